CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value NOT NULL
) WITHOUT ROWID;
-- generation: counts changes of chunks. revision: counts all changes of filings and their content.
-- vectors: counts changes of vectors. encoder: the name of the encoder that made vectors last.
INSERT INTO meta VALUES ('generation', 0), ('revision', 0), ('vectors', 0), ('encoder', '');

-- The bytes as added, once per content however many rows name them.
CREATE TABLE originals (
    sha256 TEXT PRIMARY KEY,
    size   INTEGER NOT NULL,
    bytes  BLOB NOT NULL
);

CREATE TABLE filings (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,
    file            TEXT NOT NULL,
    company         TEXT NOT NULL,
    company_key     TEXT NOT NULL,
    form            TEXT NOT NULL,
    fiscal_year     INTEGER,
    period_end      TEXT,
    cik             TEXT NOT NULL,
    ticker          TEXT NOT NULL,
    filed           TEXT,
    pages           INTEGER NOT NULL,
    items           TEXT NOT NULL,
    chunks          INTEGER NOT NULL,
    facts           INTEGER NOT NULL,
    format          TEXT NOT NULL,
    coverage        REAL NOT NULL,
    url             TEXT NOT NULL,
    warnings        TEXT NOT NULL,
    sha256          TEXT NOT NULL REFERENCES originals (sha256),
    version         INTEGER NOT NULL,
    irs_number      TEXT NOT NULL,
    commission_file TEXT NOT NULL,
    parsed_by       TEXT NOT NULL,
    corrections     TEXT NOT NULL,
    added           TEXT NOT NULL
);
CREATE INDEX filings_company ON filings (company_key, form, period_end);
CREATE INDEX filings_sha256 ON filings (sha256);

-- Earlier bytes of a filing that a later file replaced: kept, never searched.
CREATE TABLE earlier_versions (
    filing   INTEGER NOT NULL REFERENCES filings (number) ON DELETE CASCADE,
    version  INTEGER NOT NULL,
    id       TEXT NOT NULL,
    file     TEXT NOT NULL,
    sha256   TEXT NOT NULL REFERENCES originals (sha256),
    replaced TEXT NOT NULL,
    PRIMARY KEY (filing, version)
) WITHOUT ROWID;
CREATE INDEX earlier_versions_sha256 ON earlier_versions (sha256);

CREATE TABLE documents (
    filing INTEGER PRIMARY KEY REFERENCES filings (number) ON DELETE CASCADE,
    text   BLOB NOT NULL,
    body   BLOB NOT NULL
);

CREATE TABLE sections (
    filing     INTEGER NOT NULL REFERENCES filings (number) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    part       TEXT NOT NULL,
    item       TEXT NOT NULL,
    title      TEXT NOT NULL,
    start      INTEGER NOT NULL,
    end        INTEGER NOT NULL,
    page       INTEGER NOT NULL,
    confidence REAL NOT NULL,
    PRIMARY KEY (filing, ordinal)
) WITHOUT ROWID;
CREATE INDEX sections_item ON sections (item, filing);

CREATE TABLE chunks (
    key        INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    filing     INTEGER NOT NULL REFERENCES filings (number) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    end        INTEGER NOT NULL,
    page       INTEGER NOT NULL,
    page_label TEXT NOT NULL,
    item       TEXT NOT NULL,
    heading    TEXT NOT NULL,
    kind       TEXT NOT NULL,
    header     TEXT NOT NULL,
    -- Null when index_text ends with it, as prose does.
    text       TEXT,
    index_text TEXT NOT NULL,
    hash       BLOB NOT NULL
);
-- Covers scopes and vector counts, so that they do not read the texts.
CREATE INDEX chunks_filing ON chunks (filing, start, ordinal, item, hash);
CREATE INDEX chunks_hash ON chunks (hash);

CREATE TABLE facts (
    number       INTEGER PRIMARY KEY,
    filing       INTEGER NOT NULL REFERENCES filings (number) ON DELETE CASCADE,
    concept      TEXT NOT NULL,
    label        TEXT NOT NULL,
    value        REAL,
    text         TEXT NOT NULL,
    unit         TEXT NOT NULL,
    period_start TEXT,
    period_end   TEXT,
    dimensions   TEXT NOT NULL,
    decimals     INTEGER,
    source       TEXT NOT NULL,
    start        INTEGER NOT NULL,
    end          INTEGER NOT NULL,
    block        INTEGER
);
CREATE INDEX facts_concept ON facts (concept, period_end);
CREATE INDEX facts_filing ON facts (filing);

-- By content, not by chunk: the same passage is never embedded twice, also when its filing goes and comes back.
CREATE TABLE vectors (
    hash    BLOB NOT NULL,
    encoder TEXT NOT NULL,
    vector  BLOB NOT NULL,
    PRIMARY KEY (hash, encoder)
) WITHOUT ROWID;
-- Small enough to stay in memory: which passages have a vector is asked often, without wanting the vector.
CREATE INDEX vectors_encoder ON vectors (encoder, hash);

CREATE TABLE conversations (
    id      TEXT PRIMARY KEY,
    title   TEXT NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL
);

CREATE TABLE turns (
    conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    ordinal      INTEGER NOT NULL,
    question     TEXT NOT NULL,
    answer       TEXT NOT NULL,
    fingerprint  TEXT NOT NULL,
    created      TEXT NOT NULL,
    PRIMARY KEY (conversation, ordinal)
) WITHOUT ROWID;
