//! The types of a strategy: its configuration in a rule, its compiled form, and the reducer that
//! processes the lines of one output.

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
    /// A pattern is not a valid regular expression.
    #[error("pattern `{0}` is not a valid regular expression")]
    Pattern(String),
    /// A pattern is too long.
    #[error("a pattern has more than {} characters", crate::MAX_PATTERN)]
    TooLong,
    /// A required list is empty.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// The beginning and end to keep are longer than the limit.
    #[error("`{limit}` is less than `{head}` and `{tail}` together")]
    Threshold {
        /// The parameter for the limit.
        limit: &'static str,
        /// The parameter for the beginning.
        head: &'static str,
        /// The parameter for the end.
        tail: &'static str,
    },
    /// A pattern has no capture group.
    #[error("`{0}` needs a capture group")]
    NoCapture(&'static str),
}

/// What is known of a run when its output begins.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) exit: Exit,
    pub(crate) command: Arc<ParsedCommand>,
}

/// A strategy with checked parameters; creates a reducer for each output.
pub(crate) trait Strategy: Send + Sync {
    fn start(&self, facts: &Facts) -> Box<dyn Reducer>;
}

/// Processes the lines of one output, one call for each line. Memory is bounded for any output
/// size.
pub(crate) trait Reducer: Send {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>);

    /// Emits the held lines. `None` when the strategy recognised nothing and left the output
    /// unchanged.
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
