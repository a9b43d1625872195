//! History of earlier calls: bounded, per session, deterministic.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;

use tools_core::{Inspection, Locked as _, SessionId, Subject, ToolName};

/// Maximum number of compared outputs about the same subjects.
const OUTPUTS: usize = 5;
/// Maximum number of remembered sets of subjects per session.
const SUBJECTS: usize = 200;
/// Maximum number of remembered sessions.
const SESSIONS: usize = 64;
/// Maximum number of words read from an output.
const WORDS: usize = 2_000;
/// Number of words in one compared piece.
const GRAM: usize = 4;

/// Statistics of earlier calls like a planned one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallStatistics {
    /// Number of earlier calls with the same subjects.
    pub seen_subjects: u32,
    /// Number of calls of the tool.
    pub calls: u32,
    /// Average number of tokens of the last outputs of the tool and its program (estimated).
    pub tokens: f64,
    /// Similarity of the last outputs about the same subjects: 0 for none, 1 for identical.
    pub redundancy: f64,
}

/// History of all sessions.
#[derive(Debug, Default)]
pub struct History(Mutex<Sessions>);

#[derive(Debug, Default)]
struct Sessions {
    by_id: HashMap<SessionId, CallHistory>,
    order: VecDeque<SessionId>,
}

#[derive(Debug, Default)]
struct CallHistory {
    calls: HashMap<ToolName, u32>,
    tokens: HashMap<(ToolName, String), VecDeque<usize>>,
    subjects: HashMap<u64, Subjects>,
    order: VecDeque<u64>,
}

#[derive(Debug, Default)]
struct Subjects {
    count: u32,
    outputs: VecDeque<HashSet<u64>>,
}

impl History {
    /// The statistics of earlier calls like this one.
    pub(crate) fn experience(&self, session: &SessionId, tool: &ToolName, inspection: &Inspection) -> CallStatistics {
        let sessions = self.0.locked();
        let Some(seen) = sessions.by_id.get(session) else { return CallStatistics::default() };
        let subjects = seen.subjects.get(&key(tool, inspection));
        let tokens = seen.tokens.get(&(tool.clone(), program(inspection)));
        CallStatistics {
            seen_subjects: subjects.map_or(0, |subjects| subjects.count),
            calls: seen.calls.get(tool).copied().unwrap_or_default(),
            tokens: tokens.map_or(0.0, mean),
            redundancy: subjects.map_or(0.0, |subjects| redundancy(&subjects.outputs)),
        }
    }

    /// Remembers the output of a call.
    pub fn record(&self, session: &SessionId, tool: &ToolName, inspection: &Inspection, output: &str) {
        let pieces = pieces(output);
        let mut sessions = self.0.locked();
        let seen = sessions.of(session);
        *seen.calls.entry(tool.clone()).or_default() += 1;
        let tokens = seen.tokens.entry((tool.clone(), program(inspection))).or_default();
        tokens.push_back(output.len().div_ceil(4));
        tokens.keep_newest(OUTPUTS);
        let key = key(tool, inspection);
        if !seen.subjects.contains_key(&key) {
            seen.order.push_back(key);
            if seen.order.len() > SUBJECTS
                && let Some(oldest) = seen.order.pop_front()
            {
                seen.subjects.remove(&oldest);
            }
        }
        let subjects = seen.subjects.entry(key).or_default();
        subjects.count = subjects.count.saturating_add(1);
        subjects.outputs.push_back(pieces);
        subjects.outputs.keep_newest(OUTPUTS);
    }

    /// Forgets a session.
    pub(crate) fn reset(&self, session: &SessionId) {
        self.0.locked().by_id.remove(session);
    }
}

impl Sessions {
    fn of(&mut self, session: &SessionId) -> &mut CallHistory {
        if !self.by_id.contains_key(session) {
            self.order.push_back(session.clone());
            if self.order.len() > SESSIONS
                && let Some(oldest) = self.order.pop_front()
            {
                self.by_id.remove(&oldest);
            }
        }
        self.by_id.entry(session.clone()).or_default()
    }
}

/// Appends, and keeps only the newest items.
trait BoundedPush {
    fn keep_newest(&mut self, most: usize);
}

impl<T> BoundedPush for VecDeque<T> {
    fn keep_newest(&mut self, most: usize) {
        while self.len() > most {
            self.pop_front();
        }
    }
}

fn program(inspection: &Inspection) -> String {
    let named = inspection.subjects.iter().find_map(|subject| match subject {
        Subject::Command { program, .. } if !program.is_empty() => Some(program.clone()),
        _ => None,
    });
    named.unwrap_or_default()
}

fn key(tool: &ToolName, inspection: &Inspection) -> u64 {
    let mut hasher = DefaultHasher::new();
    tool.hash(&mut hasher);
    inspection.subjects.iter().for_each(|subject| subject.text().hash(&mut hasher));
    hasher.finish()
}

#[expect(clippy::cast_precision_loss, reason = "a length of text in tokens is far below 2^52")]
fn mean(tokens: &VecDeque<usize>) -> f64 {
    tokens.iter().map(|count| *count as f64).sum::<f64>() / (tokens.len().max(1) as f64)
}

/// The hashes of all sequences of [`GRAM`] words.
fn pieces(text: &str) -> HashSet<u64> {
    let words: Vec<&str> = text.split_whitespace().take(WORDS).collect();
    words
        .windows(GRAM.min(words.len().max(1)))
        .map(|gram| {
            let mut hasher = DefaultHasher::new();
            gram.hash(&mut hasher);
            hasher.finish()
        })
        .collect()
}

/// Largest share of the newest output that an earlier one contains.
#[expect(clippy::cast_precision_loss, reason = "an output has at most some thousand pieces")]
fn redundancy(outputs: &VecDeque<HashSet<u64>>) -> f64 {
    let Some(newest) = outputs.back() else { return 0.0 };
    let jaccard = |other: &HashSet<u64>| {
        let union = newest.union(other).count();
        if union == 0 { 1.0 } else { newest.intersection(other).count() as f64 / union as f64 }
    };
    outputs.iter().take(outputs.len() - 1).map(jaccard).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use tools_core::Access;

    use super::*;

    #[test]
    fn what_repeats_itself_is_redundant() {
        let history = History::default();
        let (session, tool) = (SessionId::generate(), ToolName::parse("read").unwrap());
        let about = Inspection::read_only().touching(Subject::path("/a", Access::Read));
        let other = Inspection::read_only().touching(Subject::path("/b", Access::Read));
        let redundancy = |about| history.experience(&session, &tool, about).redundancy;
        assert_eq!(redundancy(&about).to_bits(), 0.0_f64.to_bits());
        history.record(&session, &tool, &about, "one two three four five");
        assert_eq!(redundancy(&about).to_bits(), 0.0_f64.to_bits());
        history.record(&session, &tool, &about, "one two three four five");
        assert_eq!(redundancy(&about).to_bits(), 1.0_f64.to_bits());
        history.record(&session, &tool, &about, "one two three four six");
        assert!((redundancy(&about) - 1.0 / 3.0).abs() < 1e-9);
        let seen = history.experience(&session, &tool, &other);
        assert_eq!((seen.seen_subjects, seen.calls), (0, 3));
        history.reset(&session);
        assert_eq!(history.experience(&session, &tool, &about), CallStatistics::default());
    }

    #[test]
    fn any_output_can_be_remembered() {
        let history = History::default();
        let (session, tool) = (SessionId::generate(), ToolName::parse("read").unwrap());
        for output in ["", " ", "я", &"x ".repeat(100_000)] {
            history.record(&session, &tool, &Inspection::read_only(), output);
            assert!(history.experience(&session, &tool, &Inspection::read_only()).redundancy.is_finite());
        }
    }
}
