-- The digest of the rules in force when the task was stored.

ALTER TABLE scheduled_tasks ADD COLUMN policy_snapshot_hash TEXT;
