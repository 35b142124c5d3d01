"""EDGAR: which filings a company has made, and their files. Nothing here stores or reads a filing."""
