-- Long output of tools. An entry belongs to a conversation and goes with it; its text lies in compressed chunks.

CREATE TABLE conversations (
    id         TEXT    NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
);

CREATE TABLE tool_overflow (
    number          INTEGER PRIMARY KEY,
    id              TEXT    NOT NULL UNIQUE,
    conversation_id TEXT    NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    created_at      INTEGER NOT NULL,
    bytes           INTEGER NOT NULL,
    lines           INTEGER NOT NULL,
    lost            INTEGER NOT NULL,
    stored_bytes    INTEGER NOT NULL
);
CREATE INDEX tool_overflow_by_conversation ON tool_overflow (conversation_id);
CREATE INDEX tool_overflow_by_age ON tool_overflow (created_at, stored_bytes);

CREATE TABLE tool_overflow_chunk (
    entry        INTEGER NOT NULL REFERENCES tool_overflow (number) ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    lines_before INTEGER NOT NULL,
    data         BLOB    NOT NULL
);
CREATE UNIQUE INDEX tool_overflow_chunk_by_number ON tool_overflow_chunk (entry, number);
CREATE INDEX tool_overflow_chunk_by_line ON tool_overflow_chunk (entry, lines_before, number);
