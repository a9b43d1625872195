//! Reports the status of each part of the last pipeline: `cargo test | tail` ends with 0 whatever
//! the tests did. Bash reports it at its exit, on a descriptor beside its streams; the command's
//! own text is not changed. If the command could notice this (it sets traps, or prints its lines as
//! they are read), no status is reported.

use std::sync::LazyLock;

use regex::Regex;
use tools_core::CallId;
use tools_sandbox::process::SideChannel;

/// Status of a part whose reader stopped reading: the usual end of `yes | head`.
const SIGPIPE: i32 = 141;

/// The last pipeline of a command line, with two parts or more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    parts: Vec<String>,
    /// Known only to bash, so that text written by a command to the descriptor lacks it.
    mark: String,
}

impl Pipeline {
    /// The pipeline that a line ends with, if bash can report it unnoticed.
    pub(crate) fn watchable(line: &str, parts: Vec<String>) -> Option<Self> {
        static TOUCHY: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"trap|verbose|noexec|BASH_ENV|\bset\s+[-+][A-Za-z]*[vn]").expect("the pattern is a constant")
        });
        let is_watchable = parts.len() > 1 && !TOUCHY.is_match(line);
        is_watchable.then(|| Self { parts, mark: CallId::generate().to_string() })
    }

    /// The text that bash reads before the command. It leaves no variable and no readable
    /// descriptor.
    pub(crate) fn prelude(&self) -> String {
        let (input, output, mark) = (SideChannel::INPUT, SideChannel::OUTPUT, &self.mark);
        format!(
            "exec {input}<&-\nunset BASH_ENV\n\
             trap '{{ builtin printf \"%s \" {mark} \"${{PIPESTATUS[@]}}\"; }} 2>/dev/null >&{output} || :' EXIT\n"
        )
    }

    /// The statuses in bash's report; `None` if there is no report, or one of another pipeline.
    pub(crate) fn statuses(&self, report: &[u8]) -> Option<Vec<i32>> {
        let report = String::from_utf8_lossy(report);
        let (_, told) = report.rsplit_once(self.mark.as_str())?;
        let statuses: Vec<i32> = told.split_whitespace().map(|word| word.parse().ok()).collect::<Option<_>>()?;
        (statuses.len() == self.parts.len()).then_some(statuses)
    }

    /// Describes the failures that the exit code 0 of the pipeline hides.
    pub(crate) fn hidden_failure(&self, statuses: &[i32]) -> Option<String> {
        let count = self.parts.len();
        let failed = self.parts.iter().zip(statuses).enumerate();
        let failed = failed.filter(|(_, (_, status))| **status != 0 && **status != SIGPIPE);
        let failed: Vec<String> = failed
            .map(|(index, (part, status))| {
                format!("`{}` (part {} of {count}) ended with {status}", shorten(part), index + 1)
            })
            .collect();
        (!failed.is_empty()).then(|| format!("exit code 0, but {}", failed.join(", ")))
    }
}

/// The first line of a part, shortened.
fn shorten(part: &str) -> String {
    const MAX_NAME_CHARS: usize = 60;
    let first = part.lines().next().unwrap_or_default();
    if first.chars().count() <= MAX_NAME_CHARS && first.len() == part.len() {
        return first.to_owned();
    }
    let kept: String = first.chars().take(MAX_NAME_CHARS).collect();
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tools_command::{Surroundings, analyse};

    fn parts(line: &str) -> Vec<String> {
        analyse(line, &Surroundings::default()).last_pipeline
    }

    #[test]
    fn the_last_pipeline_of_the_line_is_found() {
        let table: &[(&str, &[&str])] = &[
            ("cargo test 2>&1 | tail -5", &["cargo test 2>&1", "tail -5"]),
            ("a; b | c |& d", &["b", "c", "d"]),
            ("a | b; c", &["c"]),
            ("a && (x | y)", &["(x | y)"]),
            ("echo \"$(p | q)\"", &["echo \"$(p | q)\""]),
            ("bash -c 'a | b'", &["bash -c 'a | b'"]),
            ("! a | b", &["a", "b"]),
            ("if a | b; then c | d; fi | e", &["if a | b; then c | d; fi", "e"]),
            ("echo $(", &[]),
        ];
        for (line, expected) in table {
            assert_eq!(parts(line), *expected, "{line}");
        }
    }

    #[test]
    fn bash_is_left_alone_where_it_could_be_seen() {
        let watched = |line: &str| Pipeline::watchable(line, parts(line)).is_some();
        for line in ["a | b", "set -euo pipefail; a | b", "set -x; a | b"] {
            assert!(watched(line), "{line}");
        }
        for line in ["a", "a | b; c", "trap 'x' EXIT; a | b", "set -v; a | b", "set -o verbose; a | b", "set -n\na | b"]
        {
            assert!(!watched(line), "{line}");
        }
    }

    #[test]
    fn only_what_bash_told_counts() {
        let pipeline = Pipeline::watchable("a | b", vec!["a".into(), "b".into()]).unwrap();
        let told = |text: &str| pipeline.statuses(text.as_bytes());
        let mark = &pipeline.mark;
        assert_eq!(told(&format!("{mark} 101 0 ")), Some(vec![101, 0]));
        assert_eq!(told(&format!("0 0 {mark} 101 0 ")), Some(vec![101, 0]));
        for other in ["", "0 0", "mark 0 0"] {
            assert_eq!(told(other), None);
        }
        assert_eq!(told(&format!("{mark} 0 ")), None);
        assert_eq!(told(&format!("{mark} x 0 ")), None);
    }

    #[test]
    fn a_failure_behind_exit_code_0_is_named() {
        let line = "cargo test | tail";
        let pipeline = Pipeline::watchable(line, parts(line)).unwrap();
        assert_eq!(
            pipeline.hidden_failure(&[101, 0]).as_deref(),
            Some("exit code 0, but `cargo test` (part 1 of 2) ended with 101")
        );
        assert_eq!(pipeline.hidden_failure(&[SIGPIPE, 0]), None);
        assert_eq!(pipeline.hidden_failure(&[0, 0]), None);
    }
}
