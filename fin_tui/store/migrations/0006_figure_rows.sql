-- Vectors of the rows that a filing's figures stand in: the texts (compressed JSON list), int8 vectors and a scale for each.
CREATE TABLE figure_rows (
    filing  INTEGER NOT NULL REFERENCES filings (number) ON DELETE CASCADE,
    encoder TEXT NOT NULL,
    texts   BLOB NOT NULL,
    vectors BLOB NOT NULL,
    scales  BLOB NOT NULL,
    PRIMARY KEY (filing, encoder)
) WITHOUT ROWID;
