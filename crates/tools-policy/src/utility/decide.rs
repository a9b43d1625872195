//! Decides whether a call is worth making. Pure.

use tools_core::{Inspection, ToolDef, ToolKind};

use super::{config::UtilityPolicy, history::CallStatistics};

/// Number of tokens at which the cost of a call reaches its maximum.
const DEAR_TOKENS: f64 = 8_000.0;

/// Input of a decision.
#[derive(Debug, Clone, Copy)]
pub struct UtilityQuestion<'a> {
    /// The tool.
    pub definition: &'a ToolDef,
    /// Subjects of the call.
    pub inspection: &'a Inspection,
    /// Whether the user explicitly asked for it.
    pub requested_by_user: bool,
    /// Earlier calls of this kind.
    pub experience: &'a CallStatistics,
}

/// Value of a call, part by part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Score {
    /// Expected gain.
    pub gain: f64,
    /// Expected cost of its output.
    pub cost: f64,
    /// Similarity of the last outputs.
    pub redundancy: f64,
    /// Bonus of a tool that was seldom used.
    pub exploration: f64,
    /// The weighted total.
    pub total: f64,
}

/// Decision about a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum UtilityDecision {
    /// It is not scored.
    Exempt,
    /// It runs.
    Run(Score),
    /// It is skipped.
    Skip(Score),
}

/// Decides whether a call runs.
pub fn decide(policy: &UtilityPolicy, question: &UtilityQuestion<'_>) -> UtilityDecision {
    let traits = question.definition.trusted_traits();
    let changes_something = !(traits.read_only && question.inspection.read_only);
    let is_named = policy.0.exempt_tools.iter().any(|tool| tool == question.definition.name.as_str());
    if !policy.0.enabled || question.requested_by_user || changes_something || is_named {
        return UtilityDecision::Exempt;
    }
    let score = score(policy, question.definition.kind, question.experience);
    // Written so that NaN is skipped.
    if score.total.is_finite() && score.total >= policy.0.threshold {
        UtilityDecision::Run(score)
    } else {
        UtilityDecision::Skip(score)
    }
}

/// Computes the score of a call.
pub(crate) fn score(policy: &UtilityPolicy, kind: ToolKind, experience: &CallStatistics) -> Score {
    let class = match kind {
        ToolKind::Read | ToolKind::Search => 0.9,
        ToolKind::Fetch => 0.8,
        ToolKind::Think => 0.5,
        _ => 0.7,
    };
    let novelty = 1.0 / (1.0 + f64::from(experience.seen_subjects));
    let gain = class * (0.4 + 0.6 * novelty);
    let cost = (experience.tokens / DEAR_TOKENS).clamp(0.0, 1.0);
    let exploration = 1.0 / (1.0 + f64::from(experience.calls));
    let redundancy = experience.redundancy;
    let weights = policy.0.weights;
    let total = gain - weights.cost * cost - weights.redundancy * redundancy + weights.exploration * exploration;
    Score { gain, cost, redundancy, exploration, total }
}

#[cfg(test)]
mod tests {
    use schemars::json_schema;
    use tools_core::{ToolName, ToolTraits};

    use super::*;
    use crate::utility::{UtilityConfig, UtilityWeights};

    fn tool(name: &str, traits: ToolTraits) -> ToolDef {
        ToolDef::new(ToolName::parse(name).unwrap(), "", json_schema!({"type": "object"}), ToolKind::Read, traits)
    }

    fn word(
        config: UtilityConfig,
        tool: &ToolDef,
        read_only: bool,
        asked: bool,
        experience: &CallStatistics,
    ) -> &'static str {
        let policy = UtilityPolicy(config);
        let inspection = Inspection { read_only, ..Inspection::default() };
        let question =
            UtilityQuestion { definition: tool, inspection: &inspection, requested_by_user: asked, experience };
        match decide(&policy, &question) {
            UtilityDecision::Exempt => "exempt",
            UtilityDecision::Run(_) => "run",
            UtilityDecision::Skip(_) => "skip",
        }
    }

    #[test]
    fn only_what_reads_and_was_not_asked_for_can_be_skipped() {
        let strict = || UtilityConfig { enabled: true, threshold: 10.0, ..UtilityConfig::default() };
        let none = CallStatistics::default();
        let read = tool("grep_like", ToolTraits::READ_ONLY);
        assert_eq!(word(strict(), &read, true, false, &none), "skip");
        assert_eq!(word(strict(), &read, true, true, &none), "exempt");
        assert_eq!(word(strict(), &read, false, false, &none), "exempt");
        assert_eq!(word(strict(), &tool("memory_save", ToolTraits::EDIT), true, false, &none), "exempt");
        assert_eq!(word(strict(), &tool("load_skill", ToolTraits::READ_ONLY), true, false, &none), "exempt");
        assert_eq!(word(UtilityConfig { enabled: false, ..strict() }, &read, true, false, &none), "exempt");
        let lax = UtilityConfig { enabled: true, ..UtilityConfig::default() };
        assert_eq!(word(lax, &read, true, false, &none), "run");
    }

    #[test]
    fn what_is_no_number_is_not_run() {
        let lax = || UtilityConfig { enabled: true, threshold: -1e9, ..UtilityConfig::default() };
        let read = tool("r", ToolTraits::READ_ONLY);
        let broken = CallStatistics { redundancy: f64::NAN, ..CallStatistics::default() };
        assert_eq!(word(lax(), &read, true, false, &broken), "skip");
        let weights = UtilityWeights { cost: f64::INFINITY, ..UtilityWeights::default() };
        assert_eq!(word(UtilityConfig { weights, ..lax() }, &read, true, false, &CallStatistics::default()), "skip");
        assert!(UtilityConfig { weights, ..lax() }.compile().is_err());
    }

    #[test]
    fn repeating_costs() {
        let policy = UtilityPolicy(UtilityConfig { enabled: true, ..UtilityConfig::default() });
        let of = |experience: &CallStatistics| score(&policy, ToolKind::Read, experience).total;
        let fresh = CallStatistics::default();
        let again = CallStatistics { seen_subjects: 3, calls: 3, tokens: 500.0, redundancy: 1.0 };
        assert!(of(&again) < of(&fresh));
        assert_eq!(of(&again).to_bits(), of(&again).to_bits());
    }
}
