//! Shortens `git diff --stat`: each bar becomes its signs, and consecutive files of a folder share
//! a line, those with the same number of changes also that number. No name is left out.

use std::sync::LazyLock;

use regex::Regex;

use crate::{emit::Emitter, lines::regex};

/// Minimum number of files to join in one line.
const MIN_FILES: usize = 4;
/// Maximum number of names in one line.
const MAX_NAMES: usize = 100;

/// The file, the number of changed lines, and the bar.
static BAR: LazyLock<Regex> = LazyLock::new(|| regex(r"^ (\S.*?) +\| +(\d+) ([+-]+)$"));

/// Consecutive files of one folder.
#[derive(Default)]
pub(super) struct ChangedFiles {
    folder: String,
    /// Each name, with the number and the signs of its changes.
    files: Vec<(String, String)>,
    /// The original lines.
    lines: Vec<String>,
}

impl ChangedFiles {
    /// Takes a line; `false` when it is not a file of a statistic.
    pub(super) fn take(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        let Some(parts) = BAR.captures(line) else { return false };
        // A rename may have a slash between its braces.
        let at = if parts[1].contains(['{', ',', ';']) { 0 } else { parts[1].rfind('/').map_or(0, |at| at + 1) };
        let (folder, name) = parts[1].split_at(at);
        let signs = match (parts[3].contains('+'), parts[3].contains('-')) {
            (true, true) => "+-",
            (true, false) => "+",
            _ => "-",
        };
        if self.folder != folder || self.files.len() >= MAX_NAMES {
            self.end(out);
            folder.clone_into(&mut self.folder);
        }
        self.files.push((name.to_owned(), format!("{} {signs}", &parts[2])));
        self.lines.push(line.to_owned());
        true
    }

    /// Writes the held files.
    pub(super) fn end(&mut self, out: &mut Emitter<'_>) {
        for line in self.lines.drain(..) {
            out.fold(&line);
        }
        let folder = &self.folder;
        if self.files.len() < MIN_FILES || folder.is_empty() {
            for (name, change) in self.files.drain(..) {
                out.write(&format!(" {folder}{name} | {change}"));
            }
            return;
        }
        let same: Vec<(String, &str)> = self
            .files
            .chunk_by(|a, b| a.1 == b.1)
            .map(|files| {
                let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
                (names.join(", "), files[0].1.as_str())
            })
            .collect();
        if let [(names, change)] = same.as_slice() {
            out.write(&format!(" {folder}{{{names}}} | {change}"));
        } else {
            let same: Vec<String> = same.iter().map(|(names, change)| format!("{names} | {change}")).collect();
            out.write(&format!(" {folder}{{{}}}", same.join("; ")));
        }
        self.files.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Exit, FilterPipeline};

    fn filtered(text: &str) -> String {
        FilterPipeline::builtin().filter("git diff --stat", Exit::Code(0), text.as_bytes()).text
    }

    #[test]
    fn files_of_a_folder_stand_together() {
        let text = "
 README.md          | 12 ++++++------
 src/a.rs           |  2 +-
 src/b.rs           |  2 +-
 src/c.rs           |  2 +-
 src/d.rs           |  2 +-
 src/e.rs           | 40 ++++++++++++++++++++
 src/{f.rs => g.rs} |  2 +-
 src/deep/h.rs      |  9 ---------
 8 files changed, 61 insertions(+), 23 deletions(-)
";
        let expected = "
 README.md | 12 +-
 src/{a.rs, b.rs, c.rs, d.rs | 2 +-; e.rs | 40 +}
 src/{f.rs => g.rs} | 2 +-
 src/deep/h.rs | 9 -
 8 files changed, 61 insertions(+), 23 deletions(-)
";
        assert_eq!(filtered(&text[1..]), expected[1..]);
    }

    proptest! {
        /// Every name is there, in order, whatever the counts are.
        #[test]
        fn every_name_is_there(files in prop::collection::vec(("(a/|b/c/)?", "[a-z]{1,9}\\.rs", 1_u32..4), 1..40)) {
            let lines = files.iter().map(|(folder, name, count)| format!(" {folder}{name} | {count} ++-\n"));
            let shown = filtered(&lines.collect::<String>());
            let mut rest = shown.as_str();
            for (folder, name, _) in &files {
                let at = rest.find(name.as_str());
                prop_assert!(at.is_some(), "{folder}{name}:\n{shown}");
                rest = &rest[at.unwrap_or_default() + name.len()..];
            }
        }
    }
}
