//! Translates the end of a command to the outcome of the call. Only the wait status decides: the
//! output of a program is its result and says nothing about the call.

use tools_sandbox::process::Exit;

use crate::error::ShellError;

/// Exit code of a command that timed out.
pub(crate) const TIMED_OUT: i32 = 124;

/// The exit code as a shell reports it.
pub(crate) fn code(exit: Exit) -> i32 {
    match (exit.code, exit.signal) {
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => 1,
    }
}

/// The failure that the end of a command means; `None` if it is an ordinary result with any code. A
/// shell reports 126 and 127 if it could not run a program.
pub(crate) fn failure(code: i32, signal: Option<i32>) -> Option<ShellError> {
    if signal.is_some() {
        return None;
    }
    match code {
        126 => Some(ShellError::NotExecutable),
        127 => Some(ShellError::NotFound),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_decides() {
        let table = [
            (0, None, None),
            (1, None, None),
            (101, None, None),
            (125, None, None),
            (126, None, Some(ShellError::NotExecutable)),
            (127, None, Some(ShellError::NotFound)),
            (128, None, None),
            (137, Some(9), None),
        ];
        for (code, signal, expected) in table {
            assert_eq!(failure(code, signal), expected, "{code} {signal:?}");
        }
    }

    #[test]
    fn death_by_signal_is_128_and_more() {
        let exit = Exit { code: None, signal: Some(9), left_running: 0 };
        assert_eq!(code(exit), 137);
        assert_eq!(code(Exit { code: Some(7), signal: None, left_running: 0 }), 7);
    }
}
