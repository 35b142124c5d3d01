"""Figures from the facts of filings, laid out with the places that print them."""
