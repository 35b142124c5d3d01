"""Language models on this machine: their files, the process that runs one, and the client that asks it."""
