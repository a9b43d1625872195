//! What a strategy is: a description in a rule, its compiled form, and the machine that takes one
//! output's lines.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::FilterConfidence;

use super::{
    columns::Columns, dedup::Dedup, diagnostics::Diagnostics, git_diff::GitDiff, git_log::GitLog,
    git_status::GitStatus, group_by_rule::GroupByRule, hits::Hits, keep_matching::KeepMatching, listing::Listing,
    long_lines::LongLines, runs::Runs, stack_trace::StackTrace, strip_annotated::StripAnnotated,
    strip_noise::StripNoise, structured::StructuredParams, test_summary::TestSummary, truncate::Truncate,
};
use crate::{Exit, ParsedCommand, emit::Emitter};

/// Method of shortening an output.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum StrategyConfig {
    /// Drops lines that match.
    StripNoise(StripNoise),
    /// Keeps the beginning and the end.
    Truncate(Truncate),
    /// Keeps lines that match.
    KeepMatching(KeepMatching),
    /// Drops annotations such as `note:`.
    StripAnnotated(StripAnnotated),
    /// Keeps failures and the summary of a test run.
    TestSummary(TestSummary),
    /// One block for each lint rule.
    GroupByRule(GroupByRule),
    /// A compact list of a working tree's state.
    GitStatus(GitStatus),
    /// Limits a diff and keeps the header of every file.
    GitDiff(GitDiff),
    /// Merges repetitions.
    Dedup(Dedup),
    /// One header line for each commit.
    GitLog(GitLog),
    /// Folds long lists of files.
    Listing(Listing),
    /// Names a file once above what a search found in it.
    Hits(Hits),
    /// Keeps compilers' messages, drops what shows the source again.
    Diagnostics(Diagnostics),
    /// Shortens runs of lines that differ in numbers only.
    Runs(Runs),
    /// Reads what tools print as JSON.
    Structured(StructuredParams),
    /// Counts the frames of libraries in stack traces.
    StackTrace(StackTrace),
    /// Narrows the columns of a table.
    Columns(Columns),
    /// Shortens endless lines.
    LongLines(LongLines),
}

/// Problem of a strategy's parameters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrategyError {
    /// A pattern is no regular expression.
    #[error("pattern `{0}` is not a valid regular expression")]
    Pattern(String),
    /// A pattern is too long.
    #[error("a pattern has more than {} characters", crate::MAX_PATTERN)]
    TooLong,
    /// A list that must say something is empty.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// More lines are kept than make an output long.
    #[error("`{limit}` is less than `{head}` and `{tail}` together")]
    Threshold {
        /// The parameter that says what is long.
        limit: &'static str,
        /// The parameter for the beginning.
        head: &'static str,
        /// The parameter for the end.
        tail: &'static str,
    },
    /// A pattern captures nothing.
    #[error("`{0}` needs a capture group")]
    NoCapture(&'static str),
}

/// What is known of a run when its output begins.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) exit: Exit,
    pub(crate) command: Arc<ParsedCommand>,
}

/// A strategy with its parameters checked: makes a machine for each output.
pub(crate) trait Strategy: Send + Sync {
    fn start(&self, facts: &Facts) -> Box<dyn Reducer>;
}

/// Takes the lines of one output. Called line by line; holds a bounded amount whatever the output's
/// size.
pub(crate) trait Reducer: Send {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>);

    /// Gives on what is held. `None` when the output had nothing of the shape this strategy knows,
    /// and was left as it is.
    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence>;
}

impl StrategyConfig {
    /// Checks the parameters.
    pub(crate) fn compile(&self) -> Result<Arc<dyn Strategy>, StrategyError> {
        Ok(match self {
            Self::StripNoise(config) => Arc::new(config.compile()?),
            Self::Truncate(config) => Arc::new(config.compile()?),
            Self::KeepMatching(config) => Arc::new(config.compile()?),
            Self::StripAnnotated(config) => Arc::new(config.compile()?),
            Self::TestSummary(config) => Arc::new(config.clone()),
            Self::GroupByRule(config) => Arc::new(config.compile()?),
            Self::GitStatus(config) => Arc::new(config.clone()),
            Self::GitDiff(config) => Arc::new(config.clone()),
            Self::Dedup(config) => Arc::new(config.compile()?),
            Self::GitLog(config) => Arc::new(config.clone()),
            Self::Listing(config) => Arc::new(config.clone()),
            Self::Hits(config) => Arc::new(config.clone()),
            Self::Diagnostics(config) => Arc::new(config.compile()?),
            Self::Runs(config) => Arc::new(config.clone()),
            Self::Structured(config) => Arc::new(config.clone()),
            Self::StackTrace(config) => Arc::new(config.clone()),
            Self::Columns(config) => Arc::new(config.clone()),
            Self::LongLines(config) => Arc::new(config.clone()),
        })
    }
}
