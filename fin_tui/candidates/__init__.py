"""What in a filing can answer: figures with the row, column and title they stand under. Nothing here sees a question."""
