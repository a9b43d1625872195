//! Finds the last line of the chain at the end of a log file, even if the last write was
//! interrupted.

use std::{fs::File, io, os::unix::fs::FileExt as _};

use tools_core::sha256_hex;

use crate::chain::{Head, Mark, unseal};

/// Number of bytes read first from the end; grows until a line is found.
const FIRST: u64 = 64 * 1024;
/// Maximum number of bytes read from the end: without a line in them the file is no log of ours,
/// since lines are far shorter.
const LAST: u64 = 64 * 1024 * 1024;
/// Beginning of every line of a log.
const START: &[u8] = br#"{"v":1,"seq":"#;

/// The end of a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Tail {
    /// The last line; number 0 if there is none.
    pub(super) head: Head,
    /// Set if other bytes follow the last line.
    pub(super) mark: Option<Mark>,
    /// Whether the file ends without a newline.
    pub(super) torn: bool,
}

/// Reads the end of a file of `len` bytes; `None` if its content is not a log.
pub(super) fn read(file: &File, len: u64) -> io::Result<Option<Tail>> {
    let mut size = FIRST.min(len);
    loop {
        let start = len - size;
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut bytes, start)?;
        if let Some(tail) = last_line(&bytes, start == 0) {
            return Ok(Some(tail));
        }
        if start == 0 {
            return Ok(no_line(&bytes));
        }
        if size >= LAST {
            return Ok(None);
        }
        size = (size * 8).min(len).min(LAST);
    }
}

/// The last sealed line in a piece of a file, and the bytes after it.
fn last_line(bytes: &[u8], from_start: bool) -> Option<Tail> {
    let mut end = bytes.len();
    loop {
        let start = bytes[..end].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        let line = match start {
            Some(start) => &bytes[start..end],
            None if from_start => &bytes[..end],
            None => return None,
        };
        if let Some(sealed) = unseal(line) {
            let rest = bytes.get(end + 1..).unwrap_or_default();
            return Some(Tail { head: sealed.head(), mark: damage(rest), torn: !bytes.ends_with(b"\n") });
        }
        end = start?.checked_sub(1)?;
    }
}

/// A file without any line: empty, or the very first write was interrupted.
fn no_line(bytes: &[u8]) -> Option<Tail> {
    let common = bytes.len().min(START.len());
    let is_first_line = bytes[..common] == START[..common] && !bytes.contains(&b'\n');
    // Some file systems leave zeros for lost writes.
    let is_zeros = bytes.iter().all(|byte| *byte == 0);
    (is_first_line || is_zeros).then(|| Tail { head: Head::default(), mark: damage(bytes), torn: !bytes.is_empty() })
}

fn damage(bytes: &[u8]) -> Option<Mark> {
    (!bytes.is_empty()).then(|| Mark::Damaged { bytes: bytes.len() as u64, sha256: sha256_hex(bytes) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::seal;

    fn log(lines: usize) -> (String, Head) {
        let mut text = String::new();
        let head = (0..lines).fold(Head::default(), |head, _| seal(&head, r#""tool":"x""#, None, &mut text));
        (text, head)
    }

    fn check(content: &[u8], expected: Option<&Tail>) {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(content, 0).unwrap();
        assert_eq!(
            read(&file, content.len() as u64).unwrap().as_ref(),
            expected,
            "{}",
            String::from_utf8_lossy(content)
        );
    }

    #[test]
    fn the_end_of_whole_logs() {
        check(b"", Some(&Tail::default()));
        for lines in [1, 2, 2000] {
            let (text, head) = log(lines);
            let tail = Tail { head, ..Tail::default() };
            check(text.as_bytes(), Some(&tail));
            // Only the newline is missing: the line itself is recorded.
            check(text.trim_end().as_bytes(), Some(&Tail { torn: true, ..tail }));
        }
    }

    #[test]
    fn bytes_after_the_last_line_are_pinned_by_their_hash() {
        let (text, head) = log(2);
        let long = "x".repeat(70_000);
        for rest in [r#"{"v":1,"se"#, "\0\0\0", "garbage\n", "a\nb\nc", "\n\n", &long] {
            let tail = Tail { head: head.clone(), mark: damage(rest.as_bytes()), torn: !rest.ends_with('\n') };
            check(format!("{text}{rest}").as_bytes(), Some(&tail));
        }
    }

    #[test]
    fn a_file_without_lines_is_a_log_only_when_its_first_write_was_cut_off() {
        for cut in [&b"{"[..], br#"{"v":1,"seq":1,"ts":"2026"#, b"\0\0\0"] {
            let tail = Tail { head: Head::default(), mark: damage(cut), torn: true };
            check(cut, Some(&tail));
        }
        let (text, _) = log(1);
        let long = "fn main() {}\n".repeat(10_000);
        for other in ["fn main() {}\n", "\n", "[1]", &long, &text.replace(r#""v":1"#, r#""v":9"#)] {
            check(other.as_bytes(), None);
        }
    }
}
