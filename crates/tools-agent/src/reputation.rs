//! Statistics of how well a model calls each tool: shown to people, not used for decisions.

use std::collections::BTreeMap;

use serde::Serialize;
use tools_core::{ToolErrorCategory, ToolName};

/// Number of calls after which an earlier one counts half.
const HALF_LIFE: f64 = 50.0;

/// Statistics of how well models call tools. Infrastructure failures are not counted.
#[derive(Debug, Clone, Default)]
pub struct Reputation(BTreeMap<(String, ToolName), Score>);

#[derive(Debug, Clone, Copy, Default)]
struct Score {
    calls: f64,
    faults: f64,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReputationLine {
    /// The model.
    pub model: String,
    /// The tool.
    pub tool: ToolName,
    /// Share of its calls with wrong parameters or an unknown tool, from 0 to 1; recent calls count
    /// more.
    pub faulty: f64,
    /// Number of calls behind that share, weighted by age.
    pub calls: f64,
}

impl Reputation {
    /// Counts the result of a call; `None` for success.
    pub fn note(&mut self, model: &str, tool: &ToolName, category: Option<ToolErrorCategory>) {
        let row = category.map(|category| *category.row());
        if row.is_some_and(|row| row.retryable) {
            return;
        }
        let decay = 0.5_f64.powf(1.0 / HALF_LIFE);
        let score = self.0.entry((model.to_owned(), tool.clone())).or_default();
        score.calls = score.calls.mul_add(decay, 1.0);
        score.faults = score.faults.mul_add(decay, f64::from(u8::from(row.is_some_and(|row| row.quality_failure))));
    }

    /// All statistics, by model and tool.
    pub fn standings(&self) -> Vec<ReputationLine> {
        let of = |((model, tool), score): (&(String, ToolName), &Score)| ReputationLine {
            model: model.clone(),
            tool: tool.clone(),
            faulty: score.faults / score.calls,
            calls: score.calls,
        };
        self.0.iter().map(of).collect()
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_the_model_count_and_fade() {
        let tool = ToolName::parse("read").unwrap();
        let mut reputation = Reputation::default();
        reputation.note("m", &tool, Some(ToolErrorCategory::InvalidParameters));
        reputation.note("m", &tool, Some(ToolErrorCategory::Timeout));
        let first = reputation.standings();
        assert!(first.len() == 1 && (first[0].faulty - 1.0).abs() < 1e-9 && (first[0].calls - 1.0).abs() < 1e-9);
        for _ in 0..50 {
            reputation.note("m", &tool, None);
        }
        let weight = reputation.0.values().next().unwrap().faults;
        assert!((weight - 0.5).abs() < 1e-9, "{weight}");
    }
}
