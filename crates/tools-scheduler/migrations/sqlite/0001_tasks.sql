-- Tasks of a project, by the folder in which they run. Times are microseconds since 1970, UTC.

CREATE TABLE scheduled_tasks (
    workdir     TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    spec        TEXT    NOT NULL,
    tz          TEXT    NOT NULL,
    task        TEXT    NOT NULL,
    created_by  TEXT    NOT NULL,
    caller_id   TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    next_run    INTEGER,
    last_run    INTEGER,
    last_status TEXT,
    runs        INTEGER NOT NULL DEFAULT 0,
    max_runs    INTEGER,
    expires_at  INTEGER,
    lease_owner TEXT,
    lease_until INTEGER,
    PRIMARY KEY (workdir, name)
);
CREATE INDEX scheduled_tasks_due ON scheduled_tasks (workdir, next_run) WHERE next_run IS NOT NULL;
