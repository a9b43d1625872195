//! The pipeline: always on, named, short description, unknown to the scorer, rank; and then what tools need first.

use std::sync::Arc;

use tools_core::{ToolDef, ToolName};

use super::{InclusionReason, Query, ToolFilterPolicy, ToolFilterResult, query::Words};
use crate::{
    Prerequisites, Scorer,
    score::{Scores, best},
};

/// Chooses the definitions that a turn shows. It decides nothing about permission.
///
/// The order is fixed: what is always on, what the turn names, what has too short a description, what the scorer does
/// not know, then the best of the ranking; and at last [`ToolSchemaFilter::filter_with`] takes away what needs another
/// tool first. Boosts are added before the ranking, so that a preferred tool can come in by them.
#[derive(Debug)]
pub struct ToolSchemaFilter {
    policy: ToolFilterPolicy,
    scorer: Arc<dyn Scorer>,
}

impl ToolSchemaFilter {
    /// A filter with this policy. A tool that the scorer was not made of is shown.
    pub fn new(policy: &ToolFilterPolicy, scorer: Arc<dyn Scorer>) -> Self {
        Self { policy: policy.clone(), scorer }
    }

    /// The policy it was made with.
    pub fn policy(&self) -> &ToolFilterPolicy {
        &self.policy
    }

    /// What to show of these tools, which are the only ones that may be named in the result.
    ///
    /// Everything is shown while the policy is not enabled, and when the scorer cannot judge the query.
    pub fn filter(&self, tools: &[Arc<ToolDef>], query: &Query<'_>) -> ToolFilterResult {
        self.filter_with(tools, query, &Prerequisites::default())
    }

    /// What to show of these tools, without those whose prerequisites are not met, unless they are always on or named.
    pub fn filter_with(&self, tools: &[Arc<ToolDef>], query: &Query<'_>, needs: &Prerequisites) -> ToolFilterResult {
        let mut result = ToolFilterResult::default();
        let words = query.words();
        let scores = if self.policy.enabled { self.scorer.score(query.text) } else { None };
        let mut rest = Vec::new();
        for tool in tools {
            match self.passes(tool, query, &words, scores.as_ref()) {
                Some(reason) => {
                    result.included.insert(tool.name.clone(), vec![reason]);
                }
                None => rest.push(&tool.name),
            }
        }
        if let Some(scores) = scores {
            self.rank(&rest, &scores, query, &mut result);
        }
        needs.gate(&mut result);
        result
    }

    /// The reason for which a tool is shown whatever its rank.
    fn passes(
        &self,
        tool: &ToolDef,
        query: &Query<'_>,
        words: &Words,
        scores: Option<&Scores>,
    ) -> Option<InclusionReason> {
        if self.policy.always_on.contains(&tool.name) {
            Some(InclusionReason::AlwaysOn)
        } else if query.referenced.contains(&tool.name) || words.name(&tool.name) {
            Some(InclusionReason::NameMentioned)
        } else if self.policy.enabled && is_short(tool, self.policy.min_description_words) {
            Some(InclusionReason::ShortDescription)
        } else if scores.and_then(|scores| scores.get(&tool.name)).is_none() {
            Some(InclusionReason::NoEmbedding)
        } else {
            None
        }
    }

    fn rank(&self, rest: &[&ToolName], scores: &Scores, query: &Query<'_>, result: &mut ToolFilterResult) {
        let boost = |name: &ToolName| query.boosts.get(name).copied().unwrap_or_default();
        let score = |name: &ToolName| scores.get(name).unwrap_or_default() + boost(name);
        let fitting = rest.iter().map(|&name| (name, score(name)));
        let fitting = fitting.filter(|(_, score)| *score > 0.0 && *score >= self.policy.min_score);
        for (name, _) in best(fitting, self.policy.top_k) {
            let mut reasons = vec![InclusionReason::SimilarityRank];
            if boost(name) > 0.0 {
                reasons.push(InclusionReason::PreferenceBoost);
            }
            result.included.insert(name.clone(), reasons);
        }
        let is_out = |name: &&&ToolName| !result.included.contains_key(**name);
        result.excluded = rest.iter().filter(is_out).map(|&name| name.clone()).collect();
    }
}

fn is_short(tool: &ToolDef, words: usize) -> bool {
    tool.description.split_whitespace().nth(words.saturating_sub(1)).is_none() && words > 0
}
