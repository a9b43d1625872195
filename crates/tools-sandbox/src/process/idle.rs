//! Detects a tree that only waits for input, from the kernel's report of the system call in which
//! each thread is blocked.

use std::fs;
use std::path::PathBuf;

/// Maximum number of processes examined: a larger tree counts as busy.
const MAX_PROCESSES: usize = 256;

/// Whether every thread below `supervisor` is blocked reading its standard input or waiting for its
/// children, and at least one is reading. False if the kernel does not report it.
pub(super) fn only_reads_input(supervisor: i32) -> bool {
    let mut left = children(supervisor);
    let (mut reads, mut seen) = (false, 0);
    while let Some(process) = left.pop() {
        seen += 1;
        if seen > MAX_PROCESSES {
            return false;
        }
        for thread in threads(process) {
            let Ok(blocked_in) = fs::read_to_string(thread.join("syscall")) else { return false };
            match BlockReason::parse(&blocked_in) {
                Some(BlockReason::ReadingInput) => reads = true,
                Some(BlockReason::WaitingForChildren) => {}
                None => return false,
            }
        }
        left.extend(children(process));
    }
    reads
}

#[derive(Debug, PartialEq, Eq)]
enum BlockReason {
    ReadingInput,
    WaitingForChildren,
}

impl BlockReason {
    /// Reads a line of `/proc/…/syscall`: a number and its arguments in hexadecimal, or a word.
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        let call: libc::c_long = words.next()?.parse().ok()?;
        match call {
            libc::SYS_read if words.next() == Some("0x0") => Some(Self::ReadingInput),
            libc::SYS_wait4 | libc::SYS_waitid => Some(Self::WaitingForChildren),
            _ => None,
        }
    }
}

fn threads(process: i32) -> Vec<PathBuf> {
    let entries = fs::read_dir(format!("/proc/{process}/task"));
    entries.map(|entries| entries.flatten().map(|entry| entry.path()).collect()).unwrap_or_default()
}

fn children(process: i32) -> Vec<i32> {
    let lists = threads(process).into_iter().filter_map(|thread| fs::read_to_string(thread.join("children")).ok());
    lists.flat_map(|list| list.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reading_and_waiting_is_idle() {
        let (read, wait, nap) = (libc::SYS_read, libc::SYS_wait4, libc::SYS_clock_nanosleep);
        let table = [
            (format!("{read} 0x0 0x7ffc 0x1 0x0"), Some(BlockReason::ReadingInput)),
            (format!("{read} 0x5 0x7ffc 0x1 0x0"), None),
            (format!("{wait} 0xffffffff 0x0"), Some(BlockReason::WaitingForChildren)),
            (format!("{nap} 0x0 0x0"), None),
            ("running".to_owned(), None),
            ("-1 0x7ffc 0x7f".to_owned(), None),
            (String::new(), None),
        ];
        for (line, expected) in table {
            assert_eq!(BlockReason::parse(&line), expected, "{line}");
        }
    }
}
