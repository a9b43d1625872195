//! Shortens `git diff --stat`: each bar becomes its signs, and consecutive files of a folder with
//! the same number of changes share a line. No name is left out.

use std::sync::LazyLock;

use regex::Regex;

use crate::{emit::Emitter, lines::regex};

/// Minimum number of files to join in one line.
const MIN_FILES: usize = 4;
/// Maximum number of names in one line.
const MAX_NAMES: usize = 100;

/// The file, the number of changed lines, and the bar.
static BAR: LazyLock<Regex> = LazyLock::new(|| regex(r"^ (\S.*?) +\| +(\d+) ([+-]+)$"));

/// Files of one folder with the same count.
#[derive(Default)]
pub(super) struct ChangedFiles {
    folder: String,
    /// Number and signs.
    change: String,
    names: Vec<String>,
    /// The original lines.
    lines: Vec<String>,
}

impl ChangedFiles {
    /// Takes a line; `false` when it is not a file of a statistic.
    pub(super) fn take(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        let Some(parts) = BAR.captures(line) else { return false };
        // A rename may have a slash between its braces.
        let at = if parts[1].contains(['{', ',']) { 0 } else { parts[1].rfind('/').map_or(0, |at| at + 1) };
        let (folder, name) = parts[1].split_at(at);
        let signs = match (parts[3].contains('+'), parts[3].contains('-')) {
            (true, true) => "+-",
            (true, false) => "+",
            _ => "-",
        };
        let change = format!("{} {signs}", &parts[2]);
        if self.folder != folder || self.change != change || self.names.len() >= MAX_NAMES {
            self.end(out);
            (self.folder, self.change) = (folder.to_owned(), change);
        }
        self.names.push(name.to_owned());
        self.lines.push(line.to_owned());
        true
    }

    /// Writes the held files.
    pub(super) fn end(&mut self, out: &mut Emitter<'_>) {
        for line in self.lines.drain(..) {
            out.fold(&line);
        }
        let (folder, change) = (&self.folder, &self.change);
        if self.names.len() >= MIN_FILES && !folder.is_empty() {
            out.write(&format!(" {folder}{{{}}} | {change}", self.names.join(", ")));
        } else {
            self.names.iter().for_each(|name| out.write(&format!(" {folder}{name} | {change}")));
        }
        self.names.clear();
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
    fn files_of_a_folder_with_as_many_changes_stand_together() {
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
 src/{a.rs, b.rs, c.rs, d.rs} | 2 +-
 src/e.rs | 40 +
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
