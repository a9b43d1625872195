//! The filter's pipeline: always on, named, short description, unknown to the scorer, rank; then
//! requirements.

use std::sync::{Arc, Mutex};

use tools_core::{Locked as _, ToolDef};

use super::prepared::{NOWHERE, PreparedList};
use super::{InclusionReason, Query, ToolFilterPolicy, ToolFilterResult};
use crate::score::{Places, Scores, best_by};
use crate::{Prerequisites, Scorer};

/// Selects the definitions to show in a turn. It decides nothing about permission.
///
/// The order is fixed: tools that are always on, tools that the turn names, tools with a too short
/// description, tools unknown to the scorer, then the best of the ranking. Finally
/// [`ToolSchemaFilter::filter_with`] removes tools with unmet requirements. Boosts are added before
/// the ranking, so that they can bring in a preferred tool.
#[derive(Debug)]
pub struct ToolSchemaFilter {
    policy: ToolFilterPolicy,
    scorer: Arc<dyn Scorer>,
    /// The prepared list of the last turn: the next turn mostly has the same.
    last: Mutex<Option<IndexedList>>,
}

/// A prepared list, and the positions of its tools in the scorer's index.
#[derive(Debug, Clone)]
struct IndexedList {
    list: Arc<PreparedList>,
    places: Option<(Places, Arc<[u32]>)>,
}

impl ToolSchemaFilter {
    /// A filter with this policy. Tools that the scorer does not know are shown.
    pub fn new(policy: &ToolFilterPolicy, scorer: Arc<dyn Scorer>) -> Self {
        Self { policy: policy.clone(), scorer, last: Mutex::default() }
    }

    /// The policy it was made with.
    pub fn policy(&self) -> &ToolFilterPolicy {
        &self.policy
    }

    /// Selects from these tools; the result names no others.
    ///
    /// Everything is shown if the policy is disabled, and if the scorer cannot judge the query.
    pub fn filter(&self, tools: &[Arc<ToolDef>], query: &Query<'_>) -> ToolFilterResult {
        self.filter_with(tools, query, &Prerequisites::default())
    }

    /// Selects from these tools, without those with unmet requirements, unless they are always on
    /// or named.
    pub fn filter_with(&self, tools: &[Arc<ToolDef>], query: &Query<'_>, needs: &Prerequisites) -> ToolFilterResult {
        let mut result = ToolFilterResult::default();
        let scores = if self.policy.enabled { self.scorer.score(query.text) } else { None };
        let (list, places) = self.looked(tools, scores.as_ref());
        let named = list.named(query);
        let mut rest = Vec::new();
        for index in 0..tools.len() {
            let place = places.as_ref().map_or(NOWHERE, |places| places[index]);
            let reason = if list.always[index] {
                InclusionReason::AlwaysOn
            } else if named[index] {
                InclusionReason::NameMentioned
            } else if self.policy.enabled && list.short[index] {
                InclusionReason::ShortDescription
            } else if place == NOWHERE {
                InclusionReason::NoEmbedding
            } else {
                rest.push((index, place));
                continue;
            };
            result.included.insert(list.name(index).clone(), vec![reason]);
        }
        if let Some(scores) = scores {
            self.rank(&list, &rest, &scores, query, &mut result);
        }
        needs.gate(&mut result);
        result
    }

    /// The part of the result that does not depend on the query.
    fn looked(&self, tools: &[Arc<ToolDef>], scores: Option<&Scores>) -> (Arc<PreparedList>, Option<Arc<[u32]>>) {
        let mut last = self.last.locked();
        let mut looked = match last.take() {
            Some(looked) if looked.list.is_of(tools) => looked,
            _ => IndexedList { list: Arc::new(PreparedList::new(tools, &self.policy)), places: None },
        };
        if let Some(scores) = scores
            && !looked.places.as_ref().is_some_and(|(of, _)| Arc::ptr_eq(of, scores.places()))
        {
            let places = looked.list.places(scores);
            looked.places = Some((Arc::clone(scores.places()), places.into()));
        }
        let kept = last.insert(looked);
        let places = scores.and(kept.places.as_ref()).map(|(_, places)| Arc::clone(places));
        (Arc::clone(&kept.list), places)
    }

    fn rank(
        &self,
        list: &PreparedList,
        rest: &[(usize, u32)],
        scores: &Scores,
        query: &Query<'_>,
        result: &mut ToolFilterResult,
    ) {
        let boosts = &query.boosts;
        let boost = |index: usize| {
            if boosts.is_empty() { 0.0 } else { boosts.get(list.name(index)).copied().unwrap_or_default() }
        };
        let fitting = rest.iter().filter_map(|&(index, place)| {
            let score = scores.at(place) + boost(index);
            (score > 0.0 && score >= self.policy.min_score).then_some((index, score))
        });
        let mut is_in = vec![false; list.always.len()];
        for (index, _) in best_by(fitting, self.policy.top_k, |a, b| list.name_order[*a].cmp(&list.name_order[*b])) {
            let mut reasons = vec![InclusionReason::SimilarityRank];
            if boost(index) > 0.0 {
                reasons.push(InclusionReason::PreferenceBoost);
            }
            is_in[index] = true;
            result.included.insert(list.name(index).clone(), reasons);
        }
        // If two definitions have the same name and one is shown, the name is not excluded.
        let is_out =
            |index: usize| !(is_in[index] || list.has_doubles && result.included.contains_key(list.name(index)));
        let out = rest.iter().map(|&(index, _)| index).filter(|&index| is_out(index));
        result.excluded = out.map(|index| list.name(index).clone()).collect();
    }
}
