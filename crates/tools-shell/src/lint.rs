//! Finds valid settings that have no effect.

use std::path::{Path, PathBuf};

use tools_sandbox::{expand_home, folder_hint as hint};

use crate::ShellConfig;

impl ShellConfig {
    /// One sentence for each folder that does not apply as it was typed, for commands from
    /// `workdir`.
    pub fn lint(&self, workdir: &Path, home: Option<&Path>) -> Vec<String> {
        let place = |typed: &str| expand_home(typed, home).unwrap_or_else(|| PathBuf::from(typed));
        let mut found = vec![];
        for typed in &self.allowed_paths {
            let folder = workdir.join(place(typed));
            if !folder.is_dir() {
                found.push(format!(
                    "`tools.shell.allowed_paths`: `{}` is not a folder, and no command runs without it{}",
                    folder.display(),
                    hint(&folder)
                ));
            }
        }
        for typed in &self.caches {
            let folder = place(typed);
            if folder.is_relative() {
                found.push(format!(
                    "`tools.shell.caches`: `{typed}` is relative and does not count; write it from `/` or `~/` on"
                ));
            } else if !folder.is_dir() {
                found.push(format!(
                    "`tools.shell.caches`: `{typed}` is not a folder and does not count{}",
                    hint(&folder)
                ));
            }
        }
        for typed in &self.read_paths {
            let folder = workdir.join(place(typed));
            if !folder.exists() {
                found.push(format!("`tools.shell.read_paths`: `{}` does not exist{}", folder.display(), hint(&folder)));
            }
        }
        found
    }
}
