"""What screens are made of. A widget shows what it is given and tells by messages what was chosen; it reads nothing itself."""
