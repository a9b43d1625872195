//! Patches of `apply_patch`: the files that a patch adds, changes, deletes and moves.

use serde_json::json;

use super::{HostCall, Unreadable};

/// The effect of a patch, one call per file.
///
/// # Errors
/// The patch names no file, so its format is unknown.
pub(super) fn calls(text: &str) -> Result<Vec<HostCall>, Unreadable> {
    let mut calls: Vec<HostCall> = Vec::new();
    let mut updated: Option<&str> = None;
    for line in text.lines() {
        let line = line.trim_end();
        // Added, removed and kept lines begin with a mark, so none of them looks like a heading.
        let Some(heading) = line.strip_prefix("*** ") else { continue };
        if let Some(path) = heading.strip_prefix("Add File: ") {
            calls.push(HostCall::new("write", json!({"path": path.trim(), "content": ""})));
        } else if let Some(path) = heading.strip_prefix("Update File: ") {
            let file = path.trim();
            updated = Some(file);
            calls.push(HostCall::new("edit", json!({"path": file, "old_string": "-", "new_string": "+"})));
        } else if let Some(path) = heading.strip_prefix("Delete File: ") {
            calls.push(HostCall::with("delete_path", "path", path.trim()));
        } else if let Some(path) = heading.strip_prefix("Move to: ") {
            let source = updated.ok_or_else(|| Unreadable("the patch moves no file that it names".to_owned()))?;
            calls.push(HostCall::new("move_path", json!({"source": source, "destination": path.trim()})));
        } else if !["Begin Patch", "End Patch", "End of File"].contains(&heading) {
            return Err(Unreadable(format!("the patch holds `*** {heading}`, which is not known")));
        }
    }
    if calls.is_empty() { Err(Unreadable("the patch names no file".to_owned())) } else { Ok(calls) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_a_patch_is_a_call() {
        let patch = "*** Begin Patch\n*** Add File: a\n+*** Delete File: b\n*** Update File: c\n*** Move to: d\n@@\n-x\n+y\n*** Delete File: e\n*** End Patch\n";
        let tools: Vec<&str> = calls(patch).unwrap().iter().map(|call| call.tool).collect();
        assert_eq!(tools, ["write", "edit", "move_path", "delete_path"]);
        assert!(calls("--- a\n+++ b\n").is_err());
        assert!(calls("*** Add File: a\n*** Link File: b\n").is_err());
    }
}
