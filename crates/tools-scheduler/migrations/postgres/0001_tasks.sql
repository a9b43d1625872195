-- Tasks of a project, by the folder in which they run. Times are microseconds since 1970, UTC.

CREATE TABLE scheduled_tasks (
    workdir              TEXT   NOT NULL,
    name                 TEXT   NOT NULL,
    kind                 TEXT   NOT NULL,
    spec                 TEXT   NOT NULL,
    tz                   TEXT   NOT NULL,
    task                 TEXT   NOT NULL,
    created_by           TEXT   NOT NULL,
    caller_id            TEXT   NOT NULL,
    policy_snapshot_hash TEXT,
    created_at           BIGINT NOT NULL,
    next_run             BIGINT,
    last_run             BIGINT,
    last_status          TEXT,
    runs                 BIGINT NOT NULL DEFAULT 0,
    max_runs             BIGINT,
    expires_at           BIGINT,
    lease_owner          TEXT,
    lease_until          BIGINT,
    PRIMARY KEY (workdir, name)
);
CREATE INDEX scheduled_tasks_due ON scheduled_tasks (workdir, next_run) WHERE next_run IS NOT NULL;
