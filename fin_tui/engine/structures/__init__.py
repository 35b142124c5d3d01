"""What a filing's structure tells by itself: lists, counts, check marks, an Item that says nothing."""
