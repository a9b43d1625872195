//! The ways to shorten an output: what a rule names in `strategy.type`. One file each; what they
//! share is in `clip` and `shape`.

mod again;
mod alternatives;
mod apt_lists;
mod beginnings;
mod blanks;
mod carets;
mod clip;
mod columns;
mod command_lines;
mod dedup;
mod diagnostics;
mod earlier;
mod findings;
pub(crate) mod general;
mod git_diff;
mod git_log;
mod git_status;
mod group_by_rule;
mod hits;
mod keep_matching;
mod listing;
mod log_kinds;
mod long_lines;
mod passing;
mod path_runs;
mod patterns;
mod places;
mod reducer;
mod rulers;
mod runs;
mod rustc_error;
mod series;
mod snippets;
mod stack_trace;
mod strip_annotated;
mod strip_noise;
mod structured;
mod table_blanks;
mod tap;
mod test_summary;
mod truncate;
mod unfinished;
mod usage;

pub(crate) use reducer::{Facts, Reducer, Strategy};
pub use reducer::{StrategyConfig, StrategyError};
