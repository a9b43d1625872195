//! Shortens the unchanged lines of a unified diff: one next to each change stays, and a count
//! replaces those further away. Every changed line and every hunk header stays. A diff is
//! recognised by its form: the names of both files, then hunks with as many lines as they announce.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Number of unchanged lines shown next to a change.
const SHOWN: usize = 1;

#[derive(Default)]
pub(crate) struct DiffContext {
    /// How much of a file's head was read: a hunk may follow after both names.
    head: Head,
    /// Remaining lines of the old and the new file in the hunk.
    left: (u32, u32),
    /// Unchanged lines that a change may still follow.
    held: Vec<String>,
    /// Whether a changed line of the hunk precedes them.
    after_change: bool,
    found: bool,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Head {
    #[default]
    None,
    Old,
    Both,
}

/// Line counts of the old and the new file in a hunk: `@@ -1,5 +1,7 @@` → `(5, 7)`.
fn lengths(line: &str) -> Option<(u32, u32)> {
    let ranges = line.strip_prefix("@@ -")?;
    let (old, rest) = ranges.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let length = |range: &str| match range.split_once(',') {
        Some((start, length)) => start.parse::<u32>().ok().and(length.parse().ok()),
        None => range.parse::<u32>().ok().map(|_| 1),
    };
    Some((length(old)?, length(new)?))
}

impl DiffContext {
    /// Updates the state for a line outside of hunks.
    pub(super) fn notice(&mut self, line: &str) {
        self.head = match self.head {
            _ if line.starts_with("--- ") => Head::Old,
            Head::Old if line.starts_with("+++ ") => Head::Both,
            _ => Head::None,
        };
    }

    pub(super) fn is_inside(&self) -> bool {
        self.left != (0, 0)
    }

    /// Emits the unchanged lines, with a count for those in the middle.
    fn close(&mut self, before_change: bool, out: &mut Emitter<'_>) {
        let first = if self.after_change { SHOWN } else { 0 };
        let last = self.held.len().saturating_sub(if before_change { SHOWN } else { 0 });
        for (at, line) in self.held.drain(..).enumerate() {
            if at < first || at >= last {
                out.keep(&line);
            } else {
                self.found = true;
                out.omit(&line);
            }
        }
    }

    /// Emits the held lines unchanged: this is not a hunk after all.
    fn give_up(&mut self, out: &mut Emitter<'_>) {
        self.left = (0, 0);
        self.head = Head::None;
        self.held.drain(..).for_each(|line| out.keep(&line));
    }

    fn of_hunk(&mut self, line: &str, out: &mut Emitter<'_>) -> bool {
        let (old, new) = self.left;
        match line.as_bytes().first() {
            // Editors strip the blank of an empty line.
            Some(b' ') | None if old > 0 && new > 0 => {
                self.left = (old - 1, new - 1);
                self.held.push(line.to_owned());
            }
            Some(b'-') if old > 0 => {
                self.left.0 = old - 1;
                self.change(line, out);
            }
            Some(b'+') if new > 0 => {
                self.left.1 = new - 1;
                self.change(line, out);
            }
            Some(b'\\') => self.change(line, out),
            _ => return false,
        }
        if !self.is_inside() {
            self.close(false, out);
        }
        true
    }

    fn change(&mut self, line: &str, out: &mut Emitter<'_>) {
        self.close(true, out);
        self.after_change = true;
        out.keep(line);
    }
}

impl Reducer for DiffContext {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if self.is_inside() {
            if self.of_hunk(line, out) {
                return;
            }
            self.give_up(out);
        }
        if self.head == Head::Both
            && let Some(lengths) = lengths(line)
        {
            self.left = lengths;
            self.after_change = false;
            return out.keep(line);
        }
        self.notice(line);
        out.keep(line);
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.held.drain(..).for_each(|line| out.keep(&line));
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    const DIFF: &str = "\
--- a/src/flow.py
+++ b/src/flow.py
@@ -1,9 +1,9 @@ def rate(kind):
     first = of_many_lines(1)
     second = of_many_lines(2)
     third = of_many_lines(3)
-    base = RATES[kind]
+    base = RATES.get(kind)
     fourth = of_many_lines(4)
     fifth = of_many_lines(5)
     sixth = of_many_lines(6)
     seventh = of_many_lines(7)
-    return base
+    return base or 0
@@ -40 +40,2 @@ def other():
-    return one
+    # both
+    return two
Done with 1 file.
";

    #[test]
    fn unchanged_lines_far_from_a_change_are_counted() {
        let expected = "\
--- a/src/flow.py
+++ b/src/flow.py
@@ -1,9 +1,9 @@ def rate(kind):
[… 2 lines]
     third = of_many_lines(3)
-    base = RATES[kind]
+    base = RATES.get(kind)
     fourth = of_many_lines(4)
[… 2]
     seventh = of_many_lines(7)
-    return base
+    return base or 0
@@ -40 +40,2 @@ def other():
-    return one
+    # both
+    return two
Done with 1 file.
";
        assert_eq!(FilterPipeline::builtin().filter("./fmt.sh", Exit::Code(1), DIFF.as_bytes()).text, expected);
    }

    #[test]
    fn what_is_no_diff_stands() {
        // No names above, and a hunk that ends too early.
        let text = DIFF.replace("--- a/", "a/");
        assert_eq!(FilterPipeline::builtin().filter("./fmt.sh", Exit::Code(1), text.as_bytes()).text, text);
        let text = DIFF.lines().take(6).chain(["is not here", ""]).collect::<Vec<_>>().join("\n");
        assert_eq!(FilterPipeline::builtin().filter("./fmt.sh", Exit::Code(1), text.as_bytes()).text, text);
    }
}
