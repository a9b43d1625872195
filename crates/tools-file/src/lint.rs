//! Finds read rules that have no effect on commands, and the key that an error is about.

use std::{io::ErrorKind, path::Path};

use tools_core::KeyFault;
use tools_sandbox::{PathError, folder_hint, named_place};

use crate::FileConfig;

impl FileConfig {
    /// Read rules that do not apply to commands, one sentence each.
    pub fn lint(&self, home: Option<&Path>) -> Vec<String> {
        let outside =
            |pattern: &&String| (pattern.starts_with('/') || pattern.starts_with('~')) && !pattern.starts_with('!');
        let named = self.deny_read.iter().flatten().filter(outside);
        let unplaced = named.filter(|pattern| named_place(pattern, home).is_none());
        let mut found: Vec<String> = unplaced
            .map(|pattern| {
                format!(
                    "`tools.file.deny_read`: outside the workspace `{pattern}` holds for commands only where they name such a file; name the folder itself to close it"
                )
            })
            .collect();
        if !self.allow_read.is_empty() {
            found.push(
                "`tools.file.allow_read`: outside the workspace commands read what they could read before; close folders there with `tools.file.deny_read`"
                    .to_owned(),
            );
        }
        found
    }

    /// Converts an error of compiling the section, for calls from `workdir`, to a fault with the
    /// path of the key that caused it.
    pub fn fault(&self, error: &PathError, workdir: &Path, home: Option<&Path>) -> KeyFault {
        let near = match error {
            PathError::Root { path, source } if source.kind() == ErrorKind::NotFound => folder_hint(path),
            _ => String::new(),
        };
        KeyFault::new(self.key_of(error, workdir, home), format!("{error}{near}"))
    }

    fn key_of(&self, error: &PathError, workdir: &Path, home: Option<&Path>) -> String {
        let position = |list: &[String], glob: &str| list.iter().position(|entry| entry == glob);
        match error {
            PathError::Glob { glob, .. } => {
                let denied = self.deny_read.as_deref().and_then(|list| position(list, glob));
                let allowed = position(&self.allow_read, glob);
                match (denied, allowed) {
                    (Some(index), _) => format!("tools.file.deny_read[{index}]"),
                    (None, Some(index)) => format!("tools.file.allow_read[{index}]"),
                    (None, None) => "tools.file".to_owned(),
                }
            }
            PathError::Root { path, .. } => {
                self.folders(workdir, home).iter().position(|folder| folder == path).map_or_else(
                    || "tools.file.allowed_paths".to_owned(),
                    |index| format!("tools.file.allowed_paths[{index}]"),
                )
            }
            _ => "tools.file".to_owned(),
        }
    }
}
