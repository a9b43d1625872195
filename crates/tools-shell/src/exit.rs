//! What the end of a command means for the call. Decided from the wait status and from flags; text counts only on standard
//! error and only when the command failed.

use tools_sandbox::process::Exit;

use crate::error::ShellError;

/// Exit code of a command whose time was up.
pub(crate) const TIMED_OUT: i32 = 124;

/// The exit code as a shell tells it.
pub(crate) fn code(exit: Exit) -> i32 {
    match (exit.code, exit.signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    }
}

/// The failure that a command's end is; `None` when it is a result like any other, whatever its code.
pub(crate) fn failure(code: i32, signal: Option<i32>, stderr: &str) -> Option<ShellError> {
    if code == 0 || signal.is_some() {
        return None;
    }
    let says = |phrase: &str| stderr.to_ascii_lowercase().contains(phrase);
    match code {
        126 => Some(ShellError::NotExecutable),
        127 => Some(ShellError::NotFound),
        _ if says("permission denied") => Some(ShellError::Denied { code }),
        _ if says("no such file or directory") => Some(ShellError::NoSuchFile { code }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides_and_text_only_where_it_failed() {
        let table = [
            (0, None, "permission denied", None),
            (1, None, "", None),
            (101, None, "error[E0308]: mismatched types", None),
            (126, None, "", Some(ShellError::NotExecutable)),
            (127, None, "x: command not found", Some(ShellError::NotFound)),
            (1, None, "cat: x: Permission denied", Some(ShellError::Denied { code: 1 })),
            (2, None, "ls: No such file or directory", Some(ShellError::NoSuchFile { code: 2 })),
            (137, Some(9), "permission denied", None),
        ];
        for (code, signal, stderr, expected) in table {
            assert_eq!(failure(code, signal, stderr), expected, "{code} {signal:?} {stderr}");
        }
    }

    #[test]
    fn death_by_signal_is_128_and_more() {
        let exit = Exit { code: None, signal: Some(9), left_running: 0 };
        assert_eq!(code(exit), 137);
        assert_eq!(code(Exit { code: Some(7), signal: None, left_running: 0 }), 7);
    }
}
