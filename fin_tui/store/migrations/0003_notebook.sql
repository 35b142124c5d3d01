-- What a reader kept from answers and filings, in the reader's own order.
CREATE TABLE notebook (
    number   INTEGER PRIMARY KEY AUTOINCREMENT,
    position INTEGER NOT NULL,
    note     TEXT NOT NULL,
    saved    TEXT NOT NULL,
    created  TEXT NOT NULL
);
CREATE INDEX notebook_position ON notebook (position, number);

-- All passages that stood beside an answer, with rank and score: the answer itself holds only those that it cites.
ALTER TABLE turns ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]';
