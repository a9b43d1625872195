//! Lines of running calls, in a folder: after a process was killed, the only trace of its last
//! calls.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value};
use tools_core::{CallId, Locked as _, ProcessNotes, take_notes_left_behind};

/// Extension of the files.
const EXTENSION: &str = "line";

/// The lines of the running calls of this process.
#[derive(Debug)]
pub(crate) struct RunningCalls {
    folder: PathBuf,
    /// Several notes for calls that share an identifier.
    notes: Mutex<HashMap<CallId, Vec<ProcessNotes>>>,
}

impl RunningCalls {
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { folder, notes: Mutex::default() }
    }

    /// Notes the members of the line to record if this process is killed now. Failures are only
    /// logged: the call itself will still be recorded.
    pub(crate) fn begin(&self, call: &CallId, body: &str) {
        let mut notes = ProcessNotes::in_folder(&self.folder, EXTENSION);
        match notes.add(body.as_bytes()) {
            Ok(()) => self.with(|all| all.entry(call.clone()).or_default().push(notes)),
            Err(error) => tracing::debug!(%error, %call, "a call is not noted before it runs"),
        }
    }

    /// Removes the line of a call, which is recorded now.
    pub(crate) fn end(&self, call: &CallId) {
        let ended = self.with(|all| {
            let notes = all.get_mut(call)?;
            let ended = notes.pop();
            if notes.is_empty() {
                all.remove(call);
            }
            ended
        });
        // Outside the lock, since this removes a file.
        drop(ended);
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<CallId, Vec<ProcessNotes>>) -> T) -> T {
        work(&mut self.notes.locked())
    }
}

/// Passes the lines left by killed processes to `take`, and removes those for which it returns
/// `true`. An incomplete line belongs to a call that did not run yet.
pub(crate) fn take_unfinished(folder: &Path, mut take: impl FnMut(&str) -> bool) {
    take_notes_left_behind(folder, EXTENSION, |bytes| match std::str::from_utf8(bytes) {
        Ok(body) if is_whole(body) => take(body),
        _ => true,
    });
}

/// Whether the text is the complete members of one line.
fn is_whole(body: &str) -> bool {
    !body.contains('\n') && serde_json::from_str::<Map<String, Value>>(&format!("{{{body}}}")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_was_cut_off_is_none() {
        assert!(is_whole(r#""tool":"bash","call":{}"#));
        for cut in [r#""tool":"ba"#, r#""tool":"bash","call":{"#, "\"a\":1}\n{\"b\":2"] {
            assert!(!is_whole(cut), "{cut}");
        }
    }
}
