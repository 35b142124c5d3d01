"""What the library keeps of a reader's work: conversations and the notebook."""
