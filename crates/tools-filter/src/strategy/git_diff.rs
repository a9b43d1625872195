//! `git_diff`: a diff of few lines is left as it is; of a longer one each file keeps its header,
//! counts, and as many lines as there is room for.

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{Facts, Reducer, Strategy};
use crate::{emit::Emitter, signal::reports};

/// Parameters of `git_diff`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GitDiff {
    /// A diff of no more lines is left as it is.
    pub max_diff_lines: usize,
}

impl Default for GitDiff {
    fn default() -> Self {
        Self { max_diff_lines: 500 }
    }
}

impl Strategy for GitDiff {
    fn start(&self, facts: &Facts) -> Box<dyn Reducer> {
        let asks_for_context = facts.command.words.iter().any(|word| asks_for_context(word));
        Box::new(Machine { limit: self.max_diff_lines, asks_for_context, ..Machine::default() })
    }
}

/// Whether an option says how much of what did not change is shown.
fn asks_for_context(word: &str) -> bool {
    ["-U", "-W", "--unified", "--function-context"].iter().any(|option| word.starts_with(option))
}

/// More text is not held; what is held is then given on with the room there is.
const MAX_HELD: usize = 4 << 20;

#[derive(Default)]
struct Machine {
    limit: usize,
    asks_for_context: bool,
    lines: usize,
    bytes: usize,
    /// Everything, as long as it may be few lines.
    all: Vec<String>,
    /// What came before the first file since the last flush, and the files.
    files: Vec<File>,
    long: bool,
    found: bool,
}

#[derive(Default)]
struct File {
    header: Vec<String>,
    body: Vec<String>,
    /// Lines of the body that were not held.
    more: usize,
    /// Unchanged lines that were left out.
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

/// `index 490d59b..83fa4ca 100644`, `index ba2906d,2299c37..0000000`.
fn is_index(line: &str) -> bool {
    let Some(names) = line.strip_prefix("index ").and_then(|rest| rest.split(' ').next()) else { return false };
    names.contains("..") && names.bytes().all(|byte| byte.is_ascii_hexdigit() || b".,".contains(&byte))
}

/// Whether a line names a file that `diff --git a/NAME b/NAME` named: `--- a/NAME`, `+++ b/NAME`.
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

    /// Gives a diff of few lines on: each change with what stands next to it.
    fn short(&mut self, out: &mut Emitter<'_>) {
        let lines = std::mem::take(&mut self.all);
        let far =
            if self.found && !self.asks_for_context { far_from_changes(&lines) } else { vec![false; lines.len()] };
        let hidden = far.iter().filter(|is_far| **is_far).count();
        let bytes: usize = lines.iter().zip(&far).filter(|(_, is_far)| **is_far).map(|(line, _)| line.len() + 1).sum();
        let note = format!("[… {hidden} unchanged lines omitted]");
        let is_shorter = bytes > note.len() + 1;
        let mut header: Option<&String> = None;
        for (line, is_far) in lines.iter().zip(far) {
            if begins_file(line) {
                header = Some(line);
            } else if line.starts_with("@@") {
                header = None;
            }
            // The names of objects say nothing about the change, and the first line already names
            // the file.
            let says_nothing = header.is_some_and(|first| is_index(line) || repeats_name(first, line));
            if says_nothing || (is_far && is_shorter) { out.fold(line) } else { out.keep(line) }
        }
        if is_shorter {
            out.write(&note);
        }
    }

    /// Gives the files on. When they are too long, lines that did not change go first, then the
    /// ends of long files.
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
    /// How many lines it would like to show.
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
        // A few lines more cost less than the note about them.
        let room = if self.more == 0 && length <= room.saturating_add(2) { length } else { room };
        for (number, line) in self.body.iter().enumerate() {
            if number < room || is_conflict_mark(line) {
                match hunk(line).filter(|_| self.context > 0) {
                    // Which function it is in stands in a line that is left out with all unchanged
                    // ones.
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

    /// What a formatter would change, which it does by itself: the place and how much.
    fn formatted(&self) -> Option<FormatHunks> {
        let place = self.header.first()?.strip_prefix("Diff in ")?.trim_end_matches(':');
        let (path, line) = place.rsplit_once(':').or_else(|| place.rsplit_once(" at line "))?;
        let (added, removed) = (self.added, self.removed);
        Some(FormatHunks { path: path.to_owned(), places: format!("{line} [+{added} -{removed}]") })
    }
}

/// Consecutive places in one file that a formatter would change.
struct FormatHunks {
    path: String,
    places: String,
}

impl FormatHunks {
    fn follow(so_far: &mut Option<Self>, next: Self, out: &mut Emitter<'_>) {
        match so_far {
            Some(last) if last.path == next.path => last.places.extend([", ", &next.places]),
            _ => Self::end(so_far.replace(next), out),
        }
    }

    fn end(all: Option<Self>, out: &mut Emitter<'_>) {
        if let Some(Self { path, places }) = all {
            out.write(&format!("Diff in {path}:{places}"));
        }
    }
}

/// `@@ -1,5 +1,7 @@` of a hunk's header.
fn hunk(line: &str) -> Option<&str> {
    let end = line.strip_prefix("@@ ")?.find(" @@")?;
    line.get(..end + "@@  @@".len())
}

/// The unchanged lines of hunks that do not stand next to a change and report nothing.
fn far_from_changes(lines: &[String]) -> Vec<bool> {
    let mut far = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let Some(mut hunk) = Hunk::parse(&lines[at]) else {
            at += 1;
            continue;
        };
        let first = at + 1;
        let length = lines[first..].iter().take_while(|line| hunk.takes(line)).count();
        let hunk_lines = &lines[first..first + length];
        let is_changed = |at: usize| hunk_lines.get(at).is_some_and(|line| hunk.is_change(line));
        for (number, line) in hunk_lines.iter().enumerate() {
            let is_near = is_changed(number) || is_changed(number + 1) || number.checked_sub(1).is_some_and(is_changed);
            far[first + number] = (line.trim().is_empty() || !is_near) && !is_changed(number) && !reports(line);
        }
        at = first + length;
    }
    far
}

/// What a hunk has still to show of the old text, or texts, and of the new one.
struct Hunk {
    old: Vec<usize>,
    new: usize,
}

impl Hunk {
    /// Reads `@@ -1,5 +1,7 @@`, and `@@@ -1,5 -1,6 +1,7 @@@` of a merge.
    fn parse(line: &str) -> Option<Self> {
        let signs = line.bytes().take_while(|byte| *byte == b'@').count();
        let (ranges, _) = line.get(signs..)?.strip_prefix(' ')?.split_once(" @@")?;
        let length = |range: &str, sign| {
            let (_, length) = range.strip_prefix(sign)?.split_once(',').unwrap_or(("", "1"));
            length.parse().ok()
        };
        let (old, new) = ranges.rsplit_once(' ')?;
        let old: Option<Vec<usize>> = old.split(' ').map(|range| length(range, '-')).collect();
        let hunk = Self { old: old?, new: length(new, '+')? };
        (signs >= 2 && hunk.old.len() + 1 == signs).then_some(hunk)
    }

    /// Whether a line is of this hunk.
    fn takes(&mut self, line: &str) -> bool {
        if line.starts_with('\\') {
            return true;
        }
        if self.new == 0 && self.old.iter().all(|left| *left == 0) {
            return false;
        }
        // Blanks at the end of a line may be gone.
        let signs = (0..self.old.len()).map(|at| line.as_bytes().get(at).copied().unwrap_or(b' '));
        let is_gone = line.bytes().take(self.old.len()).any(|sign| sign == b'-');
        for (left, sign) in self.old.iter_mut().zip(signs) {
            let is_of_old = if is_gone { sign == b'-' } else { sign == b' ' };
            match sign {
                b' ' | b'-' | b'+' if is_of_old => *left = left.saturating_sub(1),
                b' ' | b'-' | b'+' => {}
                _ => return false,
            }
        }
        if !is_gone {
            self.new = self.new.saturating_sub(1);
        }
        true
    }

    fn is_change(&self, line: &str) -> bool {
        line.starts_with('\\') || line.bytes().take(self.old.len()).any(|sign| sign != b' ')
    }
}

fn is_conflict_mark(line: &str) -> bool {
    let text = line.trim_start_matches(['+', '-', ' ']);
    text.starts_with("<<<<<<< ") || text.starts_with(">>>>>>> ")
}

/// How many lines each may have so that all together have no more than `room`.
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
            self.short(out);
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
    fn what_stands_next_to_a_change_is_near() {
        let table: &[(&[&str], &[usize])] = &[
            (&["@@ -1,6 +1,6 @@ fn f", " a", " b", "-c", "+d", " e", " f", " g", "", "commit 1"], &[1, 6, 7]),
            (&["@@ -1,3 +1,4 @@", " a", "", "+c", ""], &[1, 2, 4]),
            // In a merge each text has a column.
            (&["@@@ -1,3 -1,3 +1,5 @@@", "  a", "  b", " +c", "+ d", "  e"], &[1]),
            (&["@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+b", " no line of it"], &[]),
            // What a program printed between hunks is none.
            (&["@@ -1,9 +1,9 @@", " a", "Switched to a branch", " b"], &[1]),
            (&["@@ no hunk @@", " a", " b"], &[]),
            (&["@@ -1,2 +1,3 @@", " error: this is lost", " b", "+c"], &[]),
        ];
        for (lines, expected) in table {
            let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
            let far = far_from_changes(&lines);
            let far: Vec<usize> = (0..far.len()).filter(|at| far[*at]).collect();
            assert_eq!(far, *expected, "{lines:?}");
        }
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
