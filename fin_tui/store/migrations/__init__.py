"""SQL scripts that bring a library's schema from one version to the next: ``0001_….sql`` makes version 1, and so on."""
