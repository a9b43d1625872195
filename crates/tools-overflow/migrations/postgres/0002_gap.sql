-- Which lines of the original are not stored, from 1; 0 when all are. The line of the stored text with the first number
-- says so.
ALTER TABLE tool_overflow ADD COLUMN gap_first BIGINT NOT NULL DEFAULT 0;
ALTER TABLE tool_overflow ADD COLUMN gap_last  BIGINT NOT NULL DEFAULT 0;
