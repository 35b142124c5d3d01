"""A user's own workbook held against the filings: every typed number looked up, sums and formulas checked."""
