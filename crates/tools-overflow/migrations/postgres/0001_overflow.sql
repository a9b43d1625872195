-- Long output of tools. An entry belongs to a conversation and goes with it; its text lies in compressed chunks.

CREATE TABLE conversations (
    id         TEXT   NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL
);

CREATE TABLE tool_overflow (
    number          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id              TEXT   NOT NULL UNIQUE,
    conversation_id TEXT   NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    created_at      BIGINT NOT NULL,
    bytes           BIGINT NOT NULL,
    lines           BIGINT NOT NULL,
    lost            BIGINT NOT NULL,
    stored_bytes    BIGINT NOT NULL
);
CREATE INDEX tool_overflow_by_conversation ON tool_overflow (conversation_id);
CREATE INDEX tool_overflow_by_age ON tool_overflow (created_at, stored_bytes);

CREATE TABLE tool_overflow_chunk (
    entry        BIGINT NOT NULL REFERENCES tool_overflow (number) ON DELETE CASCADE,
    number       BIGINT NOT NULL,
    lines_before BIGINT NOT NULL,
    data         BYTEA  NOT NULL,
    PRIMARY KEY (entry, number)
);
CREATE INDEX tool_overflow_chunk_by_line ON tool_overflow_chunk (entry, lines_before, number);
-- The chunks are compressed already.
ALTER TABLE tool_overflow_chunk ALTER COLUMN data SET STORAGE EXTERNAL;
