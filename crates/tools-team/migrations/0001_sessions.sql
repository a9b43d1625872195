-- Saved sessions of agents, by owner. Whoever holds a session renews its lease; only the holder
-- writes. Times are milliseconds since 1970, UTC, by the clock of the database.

CREATE TABLE haft_session (
    owner       TEXT   NOT NULL,
    id          TEXT   NOT NULL,
    -- who holds it; NULL when nobody does
    holder      TEXT,
    host        TEXT   NOT NULL,
    pid         BIGINT NOT NULL,
    lease_until BIGINT NOT NULL,
    -- grows with each write, so that a write that comes late changes nothing
    version     BIGINT NOT NULL DEFAULT 0,
    workdir     TEXT   NOT NULL DEFAULT '',
    title       TEXT   NOT NULL DEFAULT '',
    turns       BIGINT NOT NULL DEFAULT 0,
    messages    BIGINT NOT NULL DEFAULT 0,
    written_at  BIGINT NOT NULL DEFAULT 0,
    -- NULL before the first write
    body        TEXT,
    PRIMARY KEY (owner, id)
);
CREATE INDEX haft_session_written ON haft_session (owner, written_at) WHERE body IS NOT NULL;
