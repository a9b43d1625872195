//! `[tools.filters]`, and how keys of older configurations change the built-in rules.

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools_secrets::SecurityConfig;

use crate::{StrategyConfig, pipeline::uses};

/// Shortening of command output before a model reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FilterConfig {
    /// Whether the output of commands is shortened before a model reads it.
    pub enabled: bool,
    /// The file with your own filter rules, or the directory that contains `filters.toml`. Empty:
    /// the directory of the configuration.
    #[schemars(extend("x-applies" = "next_start"))]
    pub filters_path: String,
    /// Credentials in results.
    pub security: SecurityConfig,
    /// Older form: limits of test runs.
    pub test: TestFilters,
    /// Older form: limits of git output.
    pub git: GitFilters,
    /// Older form: whether the built-in rules that group messages of compilers and linters apply;
    /// `cargo test` is among them.
    #[schemars(transform = describe_switch)]
    pub clippy: Toggle,
    /// Older form: whether the built-in rules for lists of files and for trees of dependencies
    /// apply.
    #[schemars(transform = describe_switch)]
    pub dir_listing: Toggle,
    /// Older form: whether the built-in rules that merge repeated lines of logs apply.
    #[schemars(transform = describe_switch)]
    pub log_dedup: Toggle,
}

impl Default for FilterConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            filters_path: String::new(),
            security: SecurityConfig::default(),
            test: TestFilters::default(),
            git: GitFilters::default(),
            clippy: Toggle::default(),
            dir_listing: Toggle::default(),
            log_dedup: Toggle::default(),
        }
    }
}

/// Limits of test runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TestFilters {
    /// Whether the built-in rules for the output of test runs apply.
    pub enabled: bool,
    /// Maximum number of failed tests whose output is shown; the others are named.
    pub max_failures: usize,
    /// Maximum number of stack trace lines shown.
    pub truncate_stack_trace: usize,
}

impl Default for TestFilters {
    fn default() -> Self {
        Self { enabled: true, max_failures: 10, truncate_stack_trace: 50 }
    }
}

/// Limits of git output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GitFilters {
    /// Whether the built-in rules for the output of git apply.
    pub enabled: bool,
    /// Maximum number of commits that `git log` shows when the command gives no number. Unset: no
    /// limit.
    pub max_log_entries: Option<usize>,
    /// Maximum number of lines of a diff that keeps every changed line. A longer diff is shortened.
    pub max_diff_lines: usize,
}

impl Default for GitFilters {
    fn default() -> Self {
        Self { enabled: true, max_log_entries: None, max_diff_lines: 500 }
    }
}

/// A switch. Each section that uses it describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Toggle {
    /// Whether the rules of the section apply.
    pub enabled: bool,
}

/// Gives the switch in the schema of a section the description of the section.
fn describe_switch(section: &mut Schema) {
    let about = section.get("description").cloned();
    let switch = section.pointer_mut("/properties/enabled").and_then(Value::as_object_mut);
    if let (Some(about), Some(switch)) = (about, switch) {
        switch.insert("description".to_owned(), about);
    }
}

impl Default for Toggle {
    fn default() -> Self {
        Self { enabled: true }
    }
}

impl FilterConfig {
    /// Whether this section changes any built-in rule.
    pub(crate) fn changes_rules(&self) -> bool {
        let plain = Self {
            enabled: self.enabled,
            filters_path: self.filters_path.clone(),
            security: self.security.clone(),
            ..Self::default()
        };
        *self != plain
    }

    /// Sets the parameters of a built-in rule; `false` when the rule is switched off.
    pub(crate) fn adjust(&self, strategies: &mut [StrategyConfig]) -> bool {
        use StrategyConfig::{Dedup, GitDiff, GitLog, GitStatus, GroupByRule, Listing, TestSummary};
        let off = [
            (!self.test.enabled, uses(strategies, |strategy| matches!(strategy, TestSummary(_)))),
            (!self.git.enabled, uses(strategies, |strategy| matches!(strategy, GitStatus(_) | GitDiff(_) | GitLog(_)))),
            (!self.clippy.enabled, uses(strategies, |strategy| matches!(strategy, GroupByRule(_)))),
            (!self.dir_listing.enabled, uses(strategies, |strategy| matches!(strategy, Listing(_)))),
            (!self.log_dedup.enabled, uses(strategies, |strategy| matches!(strategy, Dedup(_)))),
        ];
        for strategy in strategies {
            match strategy {
                TestSummary(test) => {
                    test.max_failures = self.test.max_failures;
                    test.truncate_stack_trace = self.test.truncate_stack_trace;
                }
                GitDiff(diff) => diff.max_diff_lines = self.git.max_diff_lines,
                GitLog(log) => log.max_log_entries = self.git.max_log_entries.unwrap_or(log.max_log_entries),
                _ => {}
            }
        }
        !off.contains(&(true, true))
    }
}
