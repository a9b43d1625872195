//! Detects that a model repeats itself, by the results of its calls and by the calls themselves.
//! Pure.

use tools_core::{CallDigest, ToolErrorCategory, sha256_hex};

/// Number of equal outputs in a row that ends a turn.
const OUTPUTS: u32 = 3;
/// Number of equal calls in a row that are made. The next one is refused, and the one after it ends
/// the turn.
const CALLS: u32 = 3;
/// Maximum number of characters of a repeated output shown to a person.
const SHOWN_CHARS: usize = 200;

/// Recent calls and outputs of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DoomWatch {
    outputs: Option<RepeatCount>,
    calls: Option<Run>,
}

/// Number of iterations with the same output.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RepeatCount {
    digest: String,
    times: u32,
}

/// Number of equal calls in a row.
#[expect(clippy::option_option, reason = "whether it ended is one question, and how is another")]
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    call: CallDigest,
    /// Result of the latest call: `Some(None)` for success, `None` while unknown.
    ended: Option<Option<ToolErrorCategory>>,
    times: u32,
}

/// Decision about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The call is made.
    Go,
    /// The call is refused: it was made three times with the same result.
    Refuse,
    /// The call was refused before: the turn ends.
    Stop,
}

impl DoomWatch {
    /// Decides whether the next call is made. `poll` is for tools that are meant to be called
    /// repeatedly.
    pub fn admit(&mut self, call: CallDigest, poll: bool) -> Admission {
        if poll {
            self.calls = None;
            return Admission::Go;
        }
        let run = match self.calls.take() {
            Some(run) if run.call == call => Run { times: run.times + 1, ..run },
            _ => Run { call, ended: None, times: 1 },
        };
        let times = run.times;
        self.calls = Some(run);
        match times {
            0..=CALLS => Admission::Go,
            times if times == CALLS + 1 => Admission::Refuse,
            _ => Admission::Stop,
        }
    }

    /// Notes the result of a call: a different result than before begins a new row.
    pub fn ended(&mut self, call: CallDigest, category: Option<ToolErrorCategory>) {
        if let Some(run) = self.calls.as_mut().filter(|run| run.call == call) {
            if run.ended.is_some_and(|before| before != category) {
                run.times = 1;
            }
            run.ended = Some(category);
        }
    }

    /// Notes the outputs of all calls of an iteration; `calls` are their digests. Returns the
    /// notice for a person when the outputs are the same for the third time.
    ///
    /// Empty output counts only if the calls are the same as well: many commands print nothing when
    /// they succeed.
    pub(crate) fn outputs(&mut self, outputs: &[&str], calls: &[CallDigest]) -> Option<String> {
        let mut text = String::new();
        for output in outputs {
            text.push_str(output);
            text.push('\0');
        }
        if outputs.iter().all(|output| output.trim().is_empty()) {
            for call in calls {
                text.push_str(&call.to_string());
            }
        }
        let digest = sha256_hex(text.as_bytes());
        let times = match &self.outputs {
            Some(before) if before.digest == digest => before.times + 1,
            _ => 1,
        };
        self.outputs = Some(RepeatCount { digest, times });
        (times >= OUTPUTS).then(|| notice(outputs))
    }
}

/// Notice for a person with the beginning of the output.
fn notice(outputs: &[&str]) -> String {
    let joined = outputs.join("\n");
    let joined = joined.trim();
    let shown: String = joined.chars().take(SHOWN_CHARS).collect();
    let more = if joined.chars().nth(SHOWN_CHARS).is_some() { " …" } else { "" };
    if shown.is_empty() {
        return format!("the same calls gave nothing {OUTPUTS} times in a row");
    }
    format!("the calls gave the same {OUTPUTS} times in a row: {shown}{more}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::ToolCall;

    use super::*;

    fn digest(command: &str) -> CallDigest {
        ToolCall::new("bash", json!({"command": command})).unwrap().digest()
    }

    #[test]
    fn the_fourth_equal_call_is_refused_and_the_fifth_ends_the_turn() {
        let mut watch = DoomWatch::default();
        let seen: Vec<Admission> = (0..5)
            .map(|_| {
                let admission = watch.admit(digest("a"), false);
                if admission == Admission::Go {
                    watch.ended(digest("a"), None);
                }
                admission
            })
            .collect();
        assert_eq!(seen, [Admission::Go, Admission::Go, Admission::Go, Admission::Refuse, Admission::Stop]);
        assert_eq!(watch.admit(digest("b"), false), Admission::Go);
        assert_eq!(watch.admit(digest("a"), false), Admission::Go);
    }

    #[test]
    fn another_end_or_a_tool_that_is_polled_is_no_loop() {
        let mut watch = DoomWatch::default();
        for turn in 0..20 {
            assert_eq!(watch.admit(digest("a"), false), Admission::Go, "{turn}");
            watch.ended(digest("a"), (turn % 2 == 0).then_some(ToolErrorCategory::Timeout));
        }
        for _ in 0..20 {
            assert_eq!(watch.admit(digest("poll"), true), Admission::Go);
        }
    }

    #[test]
    fn three_equal_outputs_are_told_in_characters() {
        let mut watch = DoomWatch::default();
        let text = "ошибка ".repeat(100);
        assert_eq!(watch.outputs(&[&text], &[digest("a")]), None);
        assert_eq!(watch.outputs(&[&text], &[digest("b")]), None);
        let notice = watch.outputs(&[&text], &[digest("c")]).unwrap();
        assert!(notice.ends_with(" …") && notice.contains("ошибка"), "{notice}");
        assert_eq!(watch.outputs(&["other"], &[digest("c")]), None);
    }

    #[test]
    fn no_output_is_a_loop_of_equal_calls_only() {
        let mut watch = DoomWatch::default();
        for name in ["a", "b", "c", "d"] {
            assert_eq!(watch.outputs(&[""], &[digest(name)]), None);
        }
        assert_eq!(watch.outputs(&[""], &[digest("d")]), None);
        assert!(watch.outputs(&["\n"], &[digest("d")]).is_none(), "another output");
        assert!((0..3).find_map(|_| watch.outputs(&[""], &[digest("d")])).is_some());
    }

    #[test]
    fn where_one_output_ends_makes_a_difference() {
        let mut watch = DoomWatch::default();
        for _ in 0..2 {
            assert_eq!(watch.outputs(&["a", "b"], &[]), None);
        }
        assert_eq!(watch.outputs(&["ab", ""], &[]), None);
    }
}
