//! `git_diff`: in a short diff, replaces unchanged lines far from a change with a count. In a
//! longer one, each file keeps its header, counts, and as many lines as fit.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy, diff_context::DiffContext};
use crate::emit::Emitter;

/// Parameters of `git_diff`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GitDiff {
    /// Maximum number of lines of a diff in which every changed line stays.
    pub max_diff_lines: usize,
}

impl Default for GitDiff {
    fn default() -> Self {
        Self { max_diff_lines: 500 }
    }
}

impl Strategy for GitDiff {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine { limit: self.max_diff_lines, ..Machine::default() })
    }
}

/// Maximum bytes of text held; a full buffer is emitted within the remaining limit.
const MAX_HELD: usize = 4 << 20;

#[derive(Default)]
struct Machine {
    limit: usize,
    lines: usize,
    bytes: usize,
    /// All lines, while the diff may still be short.
    all: Vec<String>,
    /// The files since the last flush, and before them any text that precedes the first file.
    files: Vec<File>,
    long: bool,
    found: bool,
}

#[derive(Default)]
struct File {
    header: Vec<String>,
    body: Vec<String>,
    /// Number of body lines that were not held.
    more: usize,
    /// Number of unchanged lines left out.
    context: usize,
    added: usize,
    removed: usize,
    in_body: bool,
    is_generated: bool,
}

const HEADERS: &[&str] = &[
    "new file mode",
    "deleted file mode",
    "old mode",
    "new mode",
    "rename from",
    "rename to",
    "copy from",
    "copy to",
    "Binary files",
    "similarity index",
    "dissimilarity index",
];

const GENERATED: &[&str] = &[
    "Cargo.lock",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "uv.lock",
    "go.sum",
    "Gemfile.lock",
    "composer.lock",
];

/// Whether a line is `index 490d59b..83fa4ca 100644` or `index ba2906d,2299c37..0000000`.
fn is_index(line: &str) -> bool {
    let Some(names) = line.strip_prefix("index ").and_then(|rest| rest.split(' ').next()) else { return false };
    names.contains("..") && names.bytes().all(|byte| byte.is_ascii_hexdigit() || b".,".contains(&byte))
}

/// Whether a line repeats a name from `diff --git a/NAME b/NAME`: `--- a/NAME`, `+++ b/NAME`.
fn repeats_name(first: &str, line: &str) -> bool {
    let is_after = |sign, path: &str| line.strip_prefix(sign).map(|name| name.trim_end_matches('\t') == path);
    let Some(names) = first.strip_prefix("diff --git ") else {
        let combined = first.strip_prefix("diff --cc ").or_else(|| first.strip_prefix("diff --combined "));
        let path = combined.unwrap_or_default();
        return !path.is_empty()
            && (line.strip_prefix("--- a/") == Some(path) || line.strip_prefix("+++ b/") == Some(path));
    };
    let half = names.len() / 2;
    let (Some(old), Some(new)) = (names.get(..half), names.get(half + 1..)) else { return false };
    is_after("--- ", old).or_else(|| is_after("+++ ", new)).unwrap_or(false)
}

fn begins_file(line: &str) -> bool {
    line.starts_with("diff --") || line.starts_with("Diff in ")
}

impl Machine {
    fn take(&mut self, line: &str, out: &mut Emitter<'_>) {
        if begins_file(line) {
            let is_generated = GENERATED.iter().any(|name| line.ends_with(name));
            self.files.push(File { header: vec![line.to_owned()], is_generated, ..File::default() });
            return;
        }
        // A commit of `git log -p` ends the file before it.
        if line.starts_with("commit ") && self.files.last().is_some_and(|file| file.in_body) {
            self.flush(out);
        }
        let limit = self.limit;
        let Some(file) = self.files.last_mut() else { return out.keep(line) };
        if !file.in_body && !line.starts_with("@@") && !file.header[0].starts_with("Diff in ") {
            if HEADERS.iter().any(|name| line.starts_with(name)) {
                file.header.push(line.to_owned());
            } else if ["index ", "--- ", "+++ "].iter().any(|name| line.starts_with(name)) {
                out.fold(line);
            } else {
                file.header.push(line.to_owned());
            }
            return;
        }
        file.in_body = true;
        file.added += usize::from(line.starts_with('+'));
        file.removed += usize::from(line.starts_with('-'));
        if file.body.len() < limit {
            self.bytes += line.len();
            file.body.push(line.to_owned());
        } else {
            file.more += 1;
            out.fold(line);
        }
    }

    /// Emits the files. If they are too long, unchanged lines are cut first, then the ends of long
    /// files.
    fn flush(&mut self, out: &mut Emitter<'_>) {
        let mut files = std::mem::take(&mut self.files);
        let headers: usize = files.iter().map(|file| file.header.len()).sum();
        let room = self.limit.saturating_sub(headers);
        let total: usize = files.iter().map(File::length).sum();
        if total > room {
            for file in &mut files {
                file.without_context(out);
            }
        }
        let lengths: Vec<usize> = files.iter().map(File::length).collect();
        let share = fair_share(&lengths, room);
        let context: usize = files.iter().filter(|file| file.formatted().is_none()).map(|file| file.context).sum();
        let mut formatted: Option<FormatHunks> = None;
        for file in files {
            match file.formatted() {
                Some(next) => FormatHunks::follow(&mut formatted, next, out),
                None => file.give(share, out),
            }
        }
        FormatHunks::end(formatted, out);
        if context > 0 {
            out.write(&format!("[… {context} unchanged lines omitted]"));
        }
        self.bytes = 0;
    }
}

impl File {
    /// Number of lines to show if there is room.
    fn length(&self) -> usize {
        if self.is_generated { 0 } else { self.body.len() + self.more }
    }

    fn without_context(&mut self, out: &mut Emitter<'_>) {
        let before = self.body.len();
        self.body.retain(|line| {
            let changed = line.starts_with(['+', '-', '@', '\\']);
            if !changed {
                out.fold(line);
            }
            changed
        });
        self.context += before - self.body.len();
    }

    fn give(self, share: usize, out: &mut Emitter<'_>) {
        self.header.iter().for_each(|line| out.keep(line));
        let length = self.body.len() + self.more;
        let room = if self.is_generated { 0 } else { share };
        // A few more lines are shorter than the note about them.
        let room = if self.more == 0 && length <= room.saturating_add(2) { length } else { room };
        for (number, line) in self.body.iter().enumerate() {
            if number < room || is_conflict_mark(line) {
                match hunk(line).filter(|_| self.context > 0) {
                    // The function name in the header goes too when all unchanged lines are left
                    // out.
                    Some(range) => out.write(range),
                    None => out.keep(line),
                }
            } else {
                out.fold(line);
            }
        }
        let hidden = length.saturating_sub(room);
        if hidden > 0 {
            let (added, removed) = (self.added, self.removed);
            out.write(&format!("[… {hidden} lines of this file omitted, +{added} -{removed} in all]"));
        }
    }

    /// The changes of a formatter, reduced to places and sizes: the formatter makes them by itself.
    fn formatted(&self) -> Option<FormatHunks> {
        let place = self.header.first()?.strip_prefix("Diff in ")?.trim_end_matches(':');
        let (path, line) = place.rsplit_once(':').or_else(|| place.rsplit_once(" at line "))?;
        let (added, removed) = (self.added, self.removed);
        let first = |sign| self.body.iter().find(|line| line.starts_with(sign) && line.len() < MAX_EXAMPLE);
        Some(FormatHunks {
            path: path.to_owned(),
            places: format!("{line} [+{added} -{removed}]"),
            example: ['-', '+'].into_iter().filter_map(first).cloned().collect(),
        })
    }
}

/// Consecutive places in one file that a formatter would change.
struct FormatHunks {
    path: String,
    places: String,
    /// The first removed line and the first added line.
    example: Vec<String>,
}

impl FormatHunks {
    fn follow(so_far: &mut Option<Self>, next: Self, out: &mut Emitter<'_>) {
        match so_far {
            Some(last) if last.path == next.path => last.places.extend([", ", &next.places]),
            _ => Self::end(so_far.replace(next), out),
        }
    }

    fn end(all: Option<Self>, out: &mut Emitter<'_>) {
        if let Some(Self { path, places, example }) = all {
            out.write(&format!("Diff in {path}:{places}"));
            for line in example {
                out.write(&line);
            }
        }
    }
}

/// The range of a hunk header: `@@ -1,5 +1,7 @@`.
fn hunk(line: &str) -> Option<&str> {
    let end = line.strip_prefix("@@ ")?.find(" @@")?;
    line.get(..end + "@@  @@".len())
}

fn is_conflict_mark(line: &str) -> bool {
    let text = line.trim_start_matches(['+', '-', ' ']);
    text.starts_with("<<<<<<< ") || text.starts_with(">>>>>>> ")
}

/// Maximum length in bytes of an example line.
const MAX_EXAMPLE: usize = 160;

/// The maximum lines for each file so that all files together have at most `room`.
fn fair_share(lengths: &[usize], room: usize) -> usize {
    let mut sorted = lengths.to_vec();
    sorted.sort_unstable();
    let (mut room, mut left) = (room, sorted.len());
    for length in sorted {
        let share = room / left;
        if length > share {
            return share;
        }
        room -= length;
        left -= 1;
    }
    usize::MAX - 2
}

impl Reducer for Machine {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.lines += 1;
        self.found |= begins_file(line);
        if !self.long {
            self.bytes += line.len();
            self.all.push(line.to_owned());
            if self.lines <= self.limit && self.bytes <= MAX_HELD {
                return;
            }
            self.long = true;
            self.bytes = 0;
            for line in std::mem::take(&mut self.all) {
                self.take(&line, out);
            }
            return;
        }
        self.take(line, out);
        if self.bytes > MAX_HELD {
            self.flush(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        if !self.long {
            let mut header: Option<String> = None;
            let mut context = DiffContext::default();
            for line in std::mem::take(&mut self.all) {
                if begins_file(&line) {
                    header = Some(line.clone());
                } else if line.starts_with("@@") {
                    header = None;
                }
                // Object names do not describe the change, and the first line already names the
                // file.
                let says_nothing = header.as_ref().is_some_and(|first| is_index(&line) || repeats_name(first, &line));
                if says_nothing && !context.is_inside() {
                    context.notice(&line);
                    out.fold(&line);
                } else {
                    context.line(&line, out);
                }
            }
            context.finish(out);
            return self.found.then_some(FilterConfidence::Full);
        }
        self.flush(out);
        self.found.then_some(FilterConfidence::Partial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_files_leave_their_room_to_long_ones() {
        assert_eq!(fair_share(&[2, 100, 100], 42), 20);
        assert_eq!(fair_share(&[0, 0, 7], 6), 6);
        assert_eq!(fair_share(&[3, 3], 6), usize::MAX - 2);
    }

    #[test]
    fn the_name_of_a_file_stands_once() {
        let first = "diff --git a/src/x.rs b/src/x.rs";
        for (first, line, expected) in [
            (first, "--- a/src/x.rs", true),
            (first, "+++ b/src/x.rs", true),
            (first, "--- /dev/null", false),
            (first, "+++ b/src/y.rs", false),
            (first, "-- a/src/x.rs", false),
            ("diff --git a/old.rs b/newer.rs", "--- a/old.rs", false),
            ("diff --git a/a b b/a b", "+++ b/a b\t", true),
            ("diff --git ", "--- ", false),
            ("diff --git é", "--- é", false),
            ("diff --cc README.md", "--- a/README.md", true),
            ("diff --cc README.md", "+++ b/READ.md", false),
            ("diff --cc ", "--- a/", false),
        ] {
            assert_eq!(repeats_name(first, line), expected, "{first} / {line}");
        }
    }
}
