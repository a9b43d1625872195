//! Moves the retry keys from `[agent]` to their own section.

use toml_edit::Table;

use super::Notes;
use super::tables::{drop_if_empty, find, make, put, take};

/// Old keys below `[agent]`, and their names below `[tools.retry]`.
const MOVED: &[(&str, &str)] = &[("max_tool_retries", "max_attempts"), ("max_retry_duration_secs", "budget_secs")];

/// Moves `[agent].max_tool_retries` and `max_retry_duration_secs` to `[tools.retry].max_attempts`
/// and `budget_secs`.
pub(super) fn apply(mut root: Table, notes: &mut Notes) -> Table {
    for (old, new) in MOVED {
        let Some(taken) = find(&mut root, &["agent"]).and_then(|agent| take(agent, old)) else { continue };
        let (from, to) = (format!("agent.{old}"), format!("tools.retry.{new}"));
        match make(&mut root, &["tools", "retry"]) {
            Some(retry) if retry.contains_key(new) => {
                notes.warn(format!("`{from}` is set beside `{to}`: the new key counts, the old one is removed"));
                notes.change(format!("`{from}` removed: `{to}` is set"));
            }
            Some(retry) => {
                put(retry, new, taken);
                notes.change(format!("`{from}` is `{to}` now"));
                notes.moved(&from, &to);
            }
            None => {
                if let Some(agent) = find(&mut root, &["agent"]) {
                    put(agent, old, taken);
                }
                notes.warn(format!("`{from}` stays: there is no table `tools.retry` to move it to"));
            }
        }
    }
    drop_if_empty(&mut root, &["agent"]);
    root
}
