//! Shortens what commands print, by declarative filters, without losing anything that failed.
//!
//! A [`FilterPipeline`] holds rules, each with commands and strategies. The first rule that matches
//! the last command of a line filters its output. Whatever the rule, a line that reports a failure
//! or a warning is in the result, or the result says how many such lines there are. Text in another
//! form than a rule expects is left unchanged.
//!
//! ```
//! use tools_filter::{Exit, FilterPipeline};
//!
//! let pipeline = FilterPipeline::builtin();
//! let output = "running 2 tests\ntest a ... ok\ntest b ... ok\n\n\
//!     test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
//! let filtered = pipeline.filter("cd app && cargo test 2>&1 | tail", Exit::Code(0), output.as_bytes());
//! assert!(filtered.text.contains("test result: ok. 2 passed") && !filtered.text.contains("test a"));
//! ```

mod command;
mod matcher;
mod rules;
mod strategy;
mod tokenize;

#[cfg(test)]
mod shapes;
mod table;

mod confidence;
mod emit;
mod lines;
mod marks;
mod pipeline;
mod sanitize;
mod signal;
mod stages;
mod stats;

mod config;
mod intake;
mod layer;
mod live;
mod repeats;
mod user_rules;

pub use command::ParsedCommand;
pub use confidence::ConfidenceCounters;
pub use config::{FilterConfig, GitFilters, TestFilters, Toggle};
pub use emit::FilterEvent;
pub use layer::FilterLayer;
pub use live::LiveFilters;
pub use matcher::CommandMatcher;
pub use pipeline::{BUILTIN, Exit, FilterPipeline, FilterReport, FilterStream, FilteredOutput};
pub use rules::{MAX_PATTERN, MAX_RULES_BYTES, MatchConfig, Rule, RuleConfig, RuleError};
pub use sanitize::sanitize_output;
pub use signal::failing_lines;
pub use stats::{FilterMetrics, RuleTotals, stats_line};
pub use strategy::{StrategyConfig, StrategyError};
pub use user_rules::Filters;

pub use tools_core::estimate_tokens;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
