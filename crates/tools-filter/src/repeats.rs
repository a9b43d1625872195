//! When a command runs again in a session, shows what changed since its output was shown in full,
//! and every line that reports something. Memory is bounded and not persistent.

use std::{
    collections::{HashMap, VecDeque},
    fmt::Write as _,
    sync::{Mutex, PoisonError},
};

use crate::signal::reports;

/// Minimum bytes of a text; a shorter one is shown again in full.
const MIN_TEXT: usize = 1000;
/// Maximum bytes of a text that is remembered.
const MAX_TEXT: usize = 64 << 10;
/// Maximum bytes remembered in total.
const MAX_BYTES: usize = 2 << 20;
const MAX_ENTRIES: usize = 256;
/// At the end of a command line, this comment requests the full output.
const FULL: &str = "# full";

/// The outputs that were last shown in full.
#[derive(Debug, Default)]
pub(crate) struct Repeats(Mutex<RecentOutputs>);

#[derive(Debug, Default)]
struct RecentOutputs {
    /// Least recently used first.
    entries: VecDeque<Entry>,
    bytes: usize,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    call: String,
    text: String,
}

/// Identifies the command whose output is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) session: String,
    pub(crate) workdir: String,
    pub(crate) command: String,
}

impl Repeats {
    /// The changes of `text` when they are much shorter than it; `None` to show all of it.
    pub(crate) fn changes(&self, key: Key, call: &str, text: &str) -> Option<String> {
        if text.len() < MIN_TEXT || text.len() > MAX_TEXT {
            return None;
        }
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = shown.entries.iter().position(|entry| entry.key == key)
            && let Some(before) = shown.entries.remove(at)
        {
            let change = Some(changed(&before, text)).filter(|change| change.len() * 2 < text.len());
            if change.is_some() && !key.command.trim_end().ends_with(FULL) {
                shown.entries.push_back(before);
                return change;
            }
            shown.bytes -= before.text.len();
        }
        shown.bytes += text.len();
        shown.entries.push_back(Entry { key, call: call.to_owned(), text: text.to_owned() });
        while shown.bytes > MAX_BYTES || shown.entries.len() > MAX_ENTRIES {
            let Some(oldest) = shown.entries.pop_front() else { break };
            shown.bytes -= oldest.text.len();
        }
        None
    }
}

/// New lines, removed lines, and lines that report something.
fn changed(before: &Entry, text: &str) -> String {
    let mut old: HashMap<&str, usize> = HashMap::new();
    for line in before.text.lines() {
        *old.entry(line).or_default() += 1;
    }
    let (mut same, mut lines) = (0_usize, Vec::new());
    for line in text.lines() {
        match old.get_mut(line).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                same += 1;
                if reports(line) {
                    lines.push((' ', line));
                }
            }
            None => lines.push(('+', line)),
        }
    }
    let mut gone = Vec::new();
    for line in before.text.lines() {
        if let Some(count) = old.get_mut(line).filter(|count| **count > 0) {
            *count -= 1;
            gone.push(line);
        }
    }
    let is_same = gone.is_empty() && lines.iter().all(|(mark, _)| *mark == ' ');
    let mut change = String::new();
    // Writing to a `String` cannot fail.
    let _ = if is_same {
        writeln!(change, "[unchanged since call {}; `{FULL}` behind the command shows it again]", before.call)
    } else {
        writeln!(
            change,
            "[{same} lines unchanged since call {}, `+` new, `-` gone; `{FULL}` behind the command shows all]",
            before.call
        )
    };
    for line in gone {
        let _ = writeln!(change, "-{line}");
    }
    for (mark, line) in lines {
        let _ = writeln!(change, "{mark}{line}");
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(session: &str, command: &str) -> Key {
        Key { session: session.to_owned(), workdir: "/w".to_owned(), command: command.to_owned() }
    }

    fn text(lines: usize) -> String {
        (0..lines).map(|n| format!("line {n} of an output that goes on for a while\n")).collect::<Vec<_>>().concat()
    }

    #[test]
    fn what_is_the_same_is_said_in_one_line_and_failures_are_listed() {
        let repeats = Repeats::default();
        let text = text(60) + "test result: FAILED. 3 passed; 1 failed\n";
        assert_eq!(repeats.changes(key("s", "make"), "c1", &text), None);
        let again = repeats.changes(key("s", "make"), "c2", &text).unwrap();
        assert_eq!(
            again,
            "[unchanged since call c1; `# full` behind the command shows it again]\n \
             test result: FAILED. 3 passed; 1 failed\n"
        );
        let changed = text.replace("line 7 of", "line seven of");
        let shown = repeats.changes(key("s", "make"), "c3", &changed).unwrap();
        assert_eq!(
            shown,
            "[60 lines unchanged since call c1, `+` new, `-` gone; `# full` behind the command shows all]\n\
             -line 7 of an output that goes on for a while\n\
             +line seven of an output that goes on for a while\n \
             test result: FAILED. 3 passed; 1 failed\n"
        );
    }

    #[test]
    fn another_session_another_command_and_a_wish_for_all_show_all() {
        let repeats = Repeats::default();
        let text = text(60);
        for (session, command) in
            [("s", "make"), ("t", "make"), ("s", "make x"), ("s", "make # full"), ("s", "make # full")]
        {
            assert_eq!(repeats.changes(key(session, command), "c", &text), None, "{session} {command}");
        }
    }

    #[test]
    fn what_is_short_or_changed_much_is_shown_whole() {
        let repeats = Repeats::default();
        for _ in 0..2 {
            assert_eq!(repeats.changes(key("s", "short"), "c", "short\n"), None);
        }
        assert_eq!(repeats.changes(key("s", "make"), "c", &text(60)), None);
        let other = text(60).replace("line", "row");
        assert_eq!(repeats.changes(key("s", "make"), "c", &other), None);
        assert!(repeats.changes(key("s", "make"), "c", &other).is_some());
    }

    #[test]
    fn memory_is_bounded() {
        let repeats = Repeats::default();
        let long = text(1000);
        for number in 0..500 {
            repeats.changes(key("s", &format!("make {number}")), "c", &long);
            let shown = repeats.0.lock().unwrap();
            assert!(shown.bytes <= MAX_BYTES && shown.entries.len() <= MAX_ENTRIES);
            assert_eq!(shown.bytes, shown.entries.iter().map(|entry| entry.text.len()).sum::<usize>());
        }
    }
}
