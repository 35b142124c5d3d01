-- Places in filings that a reader marked. They outlast a re-parse: the words are looked up again near where they stood.
CREATE TABLE bookmarks (
    filing  TEXT NOT NULL,
    start   INTEGER NOT NULL,
    quote   TEXT NOT NULL,
    created TEXT NOT NULL,
    PRIMARY KEY (filing, start)
) WITHOUT ROWID;
