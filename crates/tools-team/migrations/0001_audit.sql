-- The record of calls: one chain for each process. Times are milliseconds since 1970, UTC.

CREATE TABLE haft_audit_chain (
    id        TEXT   PRIMARY KEY,
    host      TEXT   NOT NULL,
    pid       BIGINT NOT NULL,
    began_at  BIGINT NOT NULL,
    -- the last line
    seq       BIGINT NOT NULL,
    hash      TEXT   NOT NULL,
    moved_at  BIGINT NOT NULL,
    -- the last line that is more than a note of other chains' heads
    call_seq  BIGINT NOT NULL,
    -- the last such line that another process noted
    noted_seq BIGINT NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE haft_audit_line (
    number  BIGINT GENERATED ALWAYS AS IDENTITY,
    chain   TEXT   NOT NULL,
    seq     BIGINT NOT NULL,
    session TEXT   NOT NULL,
    line    TEXT   NOT NULL,
    PRIMARY KEY (chain, seq)
);
CREATE INDEX haft_audit_line_session ON haft_audit_line (session, number) WHERE session <> '';
