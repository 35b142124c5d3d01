"""The library for programs that speak MCP, such as an assistant: tools over the same engine as the app."""
