-- What models saved. `owner` is the project's folder or the session, by scope; empty for the user's own. Times are
-- microseconds since 1970, UTC.

CREATE TABLE memories (
    number        BIGINT  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    scope         TEXT    NOT NULL,
    owner         TEXT    NOT NULL,
    kind          TEXT    NOT NULL,
    content       TEXT    NOT NULL,
    content_hash  TEXT    NOT NULL,
    tags          TEXT    NOT NULL,
    origin        TEXT    NOT NULL,
    call_id       TEXT,
    session_id    TEXT,
    untrusted     BOOLEAN NOT NULL,
    created_at    BIGINT  NOT NULL,
    last_used_at  BIGINT,
    uses          BIGINT  NOT NULL DEFAULT 0,
    expires_at    BIGINT,
    superseded_by TEXT,
    bytes         BIGINT  NOT NULL,
    words         BIGINT  NOT NULL DEFAULT 0,
    embedding     BYTEA,
    embedded_by   TEXT
);
CREATE UNIQUE INDEX memories_once ON memories (scope, owner, content_hash) WHERE superseded_by IS NULL;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;

-- Words by their stem, all of them: a dictionary of PostgreSQL's own would leave out the common ones.
CREATE TEXT SEARCH DICTIONARY haft_stem (TEMPLATE = snowball, LANGUAGE = english);
CREATE TEXT SEARCH CONFIGURATION haft_words (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION haft_words
    ALTER MAPPING FOR asciiword, asciihword, hword_asciipart, word, hword, hword_part, numword, numhword, hword_numpart
    WITH haft_stem;

-- How often a stem stands in a memory.
CREATE TABLE memory_words (
    stem   TEXT   NOT NULL,
    number BIGINT NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
    times  BIGINT NOT NULL,
    PRIMARY KEY (stem, number)
);
CREATE INDEX memory_words_of ON memory_words (number);
