//! The parameters of `test_summary`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::run::Machine;
use crate::strategy::{Facts, Reducer, Strategy};

/// Parameters of `test_summary`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TestSummary {
    /// Maximum number of failed tests whose output is shown; name and message are shown for all.
    pub max_failures: usize,
    /// Maximum number of stack trace lines shown.
    pub truncate_stack_trace: usize,
}

impl Default for TestSummary {
    fn default() -> Self {
        Self { max_failures: 10, truncate_stack_trace: 50 }
    }
}

impl Strategy for TestSummary {
    fn start(&self, _: &Facts) -> Box<dyn Reducer> {
        Box::new(Machine::new(self.clone()))
    }
}
