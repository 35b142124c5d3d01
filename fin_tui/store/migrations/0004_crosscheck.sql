-- Share of tagged table cells that were read as their tag states, and how many there were; null where nothing is tagged.
ALTER TABLE filings ADD COLUMN crosscheck REAL;
ALTER TABLE filings ADD COLUMN crosscheck_cells INTEGER NOT NULL DEFAULT 0;
