-- Sheets: what is asked of which rows, and what was found in each cell.
CREATE TABLE sheets (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL UNIQUE COLLATE NOCASE,
    definition TEXT NOT NULL,
    created    TEXT NOT NULL,
    updated    TEXT NOT NULL
);
CREATE TABLE sheet_cells (
    sheet       INTEGER NOT NULL REFERENCES sheets (number) ON DELETE CASCADE,
    row_key     TEXT NOT NULL,
    column_key  TEXT NOT NULL,
    cell        TEXT NOT NULL,
    PRIMARY KEY (sheet, row_key, column_key)
) WITHOUT ROWID;
