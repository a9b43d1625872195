-- Approvals and rejections beyond sessions: of all lines about the same, the last. Times are
-- milliseconds since 1970, UTC.

CREATE TABLE haft_approval_line (
    -- in the order of the commits: whoever adds holds the schema
    number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- what the line is about
    key    TEXT   NOT NULL UNIQUE,
    line   TEXT   NOT NULL
);

-- The texts of scripts that approvals are about, for whoever shows what changed since.
CREATE TABLE haft_approval_script (
    digest TEXT   PRIMARY KEY,
    text   BYTEA  NOT NULL,
    at     BIGINT NOT NULL
);
