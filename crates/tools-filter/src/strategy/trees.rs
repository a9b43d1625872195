//! Converts a drawn tree to indentation, one blank for each level. Sibling leaves share a line; a
//! sentence that reports something stays as it was printed. No name is left out.

use std::{borrow::Cow, collections::HashSet, fmt::Write as _};

use tools_core::FilterConfidence;

use super::Reducer;
use crate::{emit::Emitter, signal::reports};

/// Maximum length in bytes of a package name, and maximum number of remembered packages.
const MAX_NAME_BYTES: usize = 1000;
const MAX_PACKAGES: usize = 10_000;
/// Maximum length in bytes of a line of leaves, and of a leaf that shares a line.
const WIDTH: usize = 120;
const MAX_LEAF: usize = 60;
/// Maximum number of words of a leaf that shares a line; with more it is a sentence or has a state.
const MAX_WORDS: usize = 2;
/// Maximum bytes of a tree held; a full buffer is converted by itself.
const MAX_HELD: usize = 1 << 20;

/// The drawing before a name, and the width of a level in its tree.
const BRANCHES: &[(&str, usize)] =
    &[("├── ", 4), ("└── ", 4), ("├─┬ ", 2), ("└─┬ ", 2), ("|-- ", 4), ("`-- ", 4), ("+--- ", 5), ("\\--- ", 5)];

/// The number of drawing characters before the branch, the name, and the width of a level.
fn branch(line: &str) -> Option<(usize, &str, usize)> {
    let text = line.trim_start_matches(['│', '|', ' ', '\u{a0}']);
    let (before, text) = if text.starts_with("-- ") {
        let at = line.len() - text.len();
        (line.get(..at.checked_sub(1)?)?, line.get(at - 1..)?)
    } else {
        (&line[..line.len() - text.len()], text)
    };
    let (branch, width) = BRANCHES.iter().find(|(branch, _)| text.starts_with(branch))?;
    Some((before.chars().count(), &text[branch.len()..], *width))
}

pub(crate) fn is_drawn(line: &str) -> bool {
    branch(line).is_some()
}

/// Packages of a dependency tree whose folder was shown.
#[derive(Default)]
struct Packages(HashSet<String>);

impl Packages {
    /// `name v1.0 (/folder/of/it) (*)` without the folder, if that was shown before.
    fn name<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        let folder = text.find(" (/").and_then(|start| Some((start, start + text[start..].find(')')? + 1)));
        let Some((start, end)) = folder.filter(|_| text.len() < MAX_NAME_BYTES) else { return text.into() };
        if self.0.len() < MAX_PACKAGES && self.0.insert(text[..end].to_owned()) {
            return text.into();
        }
        if self.0.contains(&text[..end]) { [&text[..start], &text[end..]].concat().into() } else { text.into() }
    }
}

#[derive(Default)]
pub(crate) struct Trees {
    packages: Packages,
    held: Vec<String>,
    bytes: usize,
    found: bool,
}

impl Trees {
    fn flush(&mut self, out: &mut Emitter<'_>) {
        let lines = std::mem::take(&mut self.held);
        self.bytes = 0;
        let drawn: Vec<(usize, &str, usize)> = lines.iter().filter_map(|line| branch(line)).collect();
        let width = drawn.iter().map(|(.., width)| *width).min().unwrap_or(1);
        let nodes: Vec<(usize, Cow<'_, str>)> =
            drawn.iter().map(|(before, name, _)| (before / width + 1, self.packages.name(name))).collect();
        let mut written = String::new();
        for (at, (depth, name)) in nodes.iter().enumerate() {
            let is_leaf = nodes.get(at + 1).is_none_or(|(next, _)| next <= depth);
            let may_share = is_leaf && name.len() <= MAX_LEAF && name.split(' ').count() <= MAX_WORDS;
            if name.len() > MAX_LEAF && reports(name) {
                // A sentence stays as it was printed so that a search for it succeeds.
                if !written.is_empty() {
                    out.write(&std::mem::take(&mut written));
                }
                out.keep(&lines[at]);
                continue;
            }
            let is_beside = at > 0 && nodes[at - 1].0 == *depth && !written.is_empty();
            if is_beside && may_share && written.len() + name.len() <= WIDTH {
                let _ = write!(written, "  {name}");
            } else {
                if !written.is_empty() {
                    out.write(&written);
                }
                written = format!("{:depth$}{name}", "");
            }
            out.fold(&lines[at]);
            if !may_share {
                out.write(&std::mem::take(&mut written));
            }
        }
        if !written.is_empty() {
            out.write(&written);
        }
    }
}

impl Reducer for Trees {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if is_drawn(line) {
            self.found = true;
            self.bytes += line.len();
            self.held.push(line.to_owned());
            if self.bytes > MAX_HELD {
                self.flush(out);
            }
            return;
        }
        self.flush(out);
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.flush(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn a_drawing_is_indentation() {
        let table = [
            (
                "cargo tree",
                "shop v0.1.0 (/home/dev/shop)\n├── cart v0.1.0 (/home/dev/shop/cart)\n│   └── serde v1.0.2 (proc-macro)\n\
                 ├── log v0.4.1\n├── rand v0.8.5\n└── cart v0.1.0 (/home/dev/shop/cart) (*)\n",
                "shop v0.1.0 (/home/dev/shop)\n cart v0.1.0 (/home/dev/shop/cart)\n  serde v1.0.2 (proc-macro)\n \
                 log v0.4.1  rand v0.8.5\n cart v0.1.0 (*)\n",
            ),
            (
                "npm ls --all",
                "shop@1.0.0\n├─┬ a@1.0.0\n│ ├── b@1.1.0\n│ └─┬ c@2.0.0\n│   └── d@1.0.1\n├── UNMET DEPENDENCY e@1\n└── f@1.0.0\n",
                "shop@1.0.0\n a@1.0.0\n  b@1.1.0\n  c@2.0.0\n   d@1.0.1\n UNMET DEPENDENCY e@1\n f@1.0.0\n",
            ),
            (
                "./report.sh",
                "all of it:\n|-- src\n|   |-- a.c\n|   `-- b.c\n`-- README\ndone\n",
                "all of it:\n src\n  a.c  b.c\n README\ndone\n",
            ),
        ];
        for (command, text, expected) in table {
            assert_eq!(FilterPipeline::builtin().filter(command, Exit::Code(0), text.as_bytes()).text, expected);
        }
    }
}
