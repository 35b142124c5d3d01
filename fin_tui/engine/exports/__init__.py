"""Conversations and the notebook, written as files."""
