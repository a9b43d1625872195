-- What models saved. `owner` is the project's folder or the session, by scope; empty for the user's own.

CREATE TABLE memories (
    number        INTEGER PRIMARY KEY,
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
    untrusted     INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    last_used_at  INTEGER,
    uses          INTEGER NOT NULL DEFAULT 0,
    expires_at    INTEGER,
    superseded_by TEXT,
    bytes         INTEGER NOT NULL,
    embedding     BLOB,
    embedded_by   TEXT
);
CREATE UNIQUE INDEX memories_once ON memories (scope, owner, content_hash) WHERE superseded_by IS NULL;
CREATE INDEX memories_by_expiry ON memories (expires_at) WHERE expires_at IS NOT NULL;

CREATE VIRTUAL TABLE memory_words USING fts5 (
    words, tags, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
);
