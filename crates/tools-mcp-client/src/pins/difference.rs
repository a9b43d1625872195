//! Formats a change for review by a person: the differing lines, with every hidden character made
//! visible.

use std::fmt::Write as _;

use serde_json::Value;
use tools_core::{VisibleText, visible_lines};

use super::{Definition, Finding};

/// Maximum number of lines shown of a text on each side.
const MAX_LINES: usize = 400;

/// Formats one finding: its name, its result, and the lines that differ from the accepted ones.
pub fn difference(finding: &Finding) -> String {
    let mut text = format!("{}: {finding}\n", VisibleText::of(&finding.tool));
    let empty = Definition::of(&Value::Null);
    let before = finding.accepted.as_ref().unwrap_or(&empty);
    let now = finding.now.as_ref().unwrap_or(&empty);
    for field in ["title", "description", "inputSchema", "outputSchema", "annotations"] {
        let (old, new) = (before.field(field), now.field(field));
        if old == new {
            continue;
        }
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  {field}:");
        let (old, new) = (lines(old), lines(new));
        let same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
        let rest = old.len().min(new.len()) - same_start;
        let same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
        for (sign, side) in [('-', &old), ('+', &new)] {
            let changed = &side[same_start..side.len() - same_end];
            for line in changed.iter().take(MAX_LINES) {
                let _ = writeln!(text, "    {sign} {line}");
            }
            if changed.len() > MAX_LINES {
                let _ = writeln!(text, "    {sign} [{} more lines]", changed.len() - MAX_LINES);
            }
        }
    }
    text
}

fn lines(value: Option<&Value>) -> Vec<String> {
    let text = match value {
        None => return Vec::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    visible_lines(&text).lines().map(str::to_owned).collect()
}
