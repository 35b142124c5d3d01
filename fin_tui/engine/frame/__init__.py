"""What a question means: ``reader`` reads its words with the trained encoder."""
