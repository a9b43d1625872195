//! Detects commands that wait for an answer. Three signs are needed: the last output is a question,
//! silence follows, and the kernel reports that the process tree only reads its input. Otherwise
//! the command may just be quiet and is left alone.

use std::sync::LazyLock;
use std::time::Duration;

use regex::bytes::Regex;
use tokio::time::Instant;
use tools_sandbox::process::ProcessTree;

/// Silence after which a question is checked.
const SILENCE: Duration = Duration::from_secs(3);
/// Time between the first check and the second, which decides.
const SECOND_LOOK: Duration = Duration::from_millis(500);
/// Maximum length in characters of a kept incomplete line.
const MAX_LINE_CHARS: usize = 200;

/// The last output, and its time.
#[derive(Debug)]
pub(crate) struct PromptWatch {
    line: Vec<u8>,
    look_at: Instant,
    looked: bool,
}

impl PromptWatch {
    pub(crate) fn new() -> Self {
        Self { line: Vec::new(), look_at: Instant::now() + SILENCE, looked: false }
    }

    /// Takes output of either stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let tail = &bytes[bytes.len().saturating_sub(MAX_LINE_CHARS)..];
        match tail.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => self.line = tail[end + 1..].to_vec(),
            None => self.line.extend_from_slice(tail),
        }
        let excess = self.line.len().saturating_sub(MAX_LINE_CHARS);
        self.line.drain(..excess);
        self.look_at = Instant::now() + SILENCE;
        self.looked = false;
    }

    /// The time to call [`PromptWatch::look`].
    pub(crate) fn look_at(&self) -> Instant {
        self.look_at
    }

    /// The question that the process tree waits for, if the second check confirms the first.
    pub(crate) fn look(&mut self, tree: &ProcessTree) -> Option<String> {
        let question = question(&self.line).filter(|_| tree.waits_for_input());
        let is_second = std::mem::replace(&mut self.looked, question.is_some());
        self.look_at = Instant::now() + if question.is_some() && !is_second { SECOND_LOOK } else { SILENCE };
        question.filter(|_| is_second)
    }
}

/// The text of a line that looks like a known question of programs.
fn question(line: &[u8]) -> Option<String> {
    static KNOWN: LazyLock<Regex> = LazyLock::new(|| {
        let known = [
            r"[\[(]\s*y(es)?\s*[/|]\s*n(o)?\b[^\])]*[\])]\s*[?:>]*\s*$",
            r"(password|passphrase|passcode|username|login|one-time code)\b[^\n]{0,80}:\s*$",
            r"(press|hit) (any key|enter|return|\[enter\])\b[^\n]{0,80}$",
            r"(are you sure|do you want to|continue|proceed|overwrite)\b[^\n]{0,120}\?\s*([\[(][^\])]{0,20}[\])])?\s*:?\s*$",
        ];
        Regex::new(&format!("(?i){}", known.join("|"))).expect("the pattern is a constant")
    });
    KNOWN.is_match(line).then(|| String::from_utf8_lossy(line).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_questions_are_known() {
        for line in [
            "Do you want to continue? [Y/n] ",
            "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
            "Overwrite existing file? (y/N): ",
            "[sudo] password for me: ",
            "Enter passphrase for key '/x': ",
            "Password: ",
            "Press any key to continue . . . ",
            "Press Enter to continue",
            "Is this ok [y/N]: ",
            "Proceed (Y/n)? ",
        ] {
            assert!(question(line.as_bytes()).is_some(), "{line}");
        }
        for line in
            ["", "compiling…", "building [12/40] ", "password: set", "progress 10%", "Continue reading below", "a? b"]
        {
            assert_eq!(question(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn only_the_unfinished_line_counts() {
        let after = |pieces: &[&str]| {
            let mut watch = PromptWatch::new();
            for piece in pieces {
                watch.push(piece.as_bytes());
            }
            question(&watch.line)
        };
        assert!(after(&["a\nContinue", "? [y/N] "]).is_some());
        assert_eq!(after(&["Continue? [y/N] ", "y\n"]), None);
        assert_eq!(after(&["Continue? [y/N] \n"]), None);
    }
}
