//! Detects from the host's terminal and command line whether it has a person to ask.

use std::{fs, io::IsTerminal, os::unix::process::parent_id};

use haft::hosts::hook::HookStart;

/// Maximum number of shells between the host and the hook.
const SHELLS: usize = 3;

/// The host's terminal and command line. If the system does not report them, whether this process
/// has a terminal.
pub(crate) fn detect_hook_start() -> HookStart {
    let mut process = parent_id();
    for _ in 0..SHELLS {
        let Some(arguments) = arguments(process) else { break };
        let is_shell = arguments.get(1).is_some_and(|word| word.starts_with('-') && word.ends_with('c'));
        match above(process) {
            Some(above) if is_shell => process = above,
            _ => return HookStart { terminal: has_terminal(process), arguments },
        }
    }
    HookStart { terminal: fs::File::open("/dev/tty").is_ok_and(|tty| tty.is_terminal()), arguments: vec![] }
}

fn arguments(process: u32) -> Option<Vec<String>> {
    let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
    Some(line.split(|byte| *byte == 0).map(|word| String::from_utf8_lossy(word).into_owned()).collect())
}

fn above(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn has_terminal(process: u32) -> bool {
    let is_terminal = |number: u8| {
        let opened = fs::OpenOptions::new().read(true).open(format!("/proc/{process}/fd/{number}"));
        opened.is_ok_and(|file| file.is_terminal())
    };
    is_terminal(0) && is_terminal(1)
}
