-- Accounts of callers: calls in the window that began last. Times are seconds since 1970, UTC.

CREATE TABLE haft_quota_account (
    caller   TEXT   NOT NULL,
    window_s BIGINT NOT NULL,
    began_at BIGINT NOT NULL,
    used     BIGINT NOT NULL,
    PRIMARY KEY (caller, window_s)
) WITH (fillfactor = 50);
