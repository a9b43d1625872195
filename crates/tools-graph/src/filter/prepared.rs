//! Properties of a list of tools that do not depend on the query: computed once per list, not in
//! each turn.

use std::{collections::HashMap, sync::Arc};

use tools_core::{ToolDef, ToolName};

use super::{Query, ToolFilterPolicy};
use crate::score::Scores;

/// No position: the scorer does not know the tool.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A prepared list of tools. Owns them, so that equal pointers mean equal tools.
#[derive(Debug)]
pub(super) struct PreparedList {
    tools: Vec<Arc<ToolDef>>,
    pub(super) always: Vec<bool>,
    pub(super) short: Vec<bool>,
    /// Rank of each tool's name in sorted order; equal names have the same rank.
    pub(super) name_order: Vec<u32>,
    /// Whether two tools have the same name.
    pub(super) has_doubles: bool,
    /// The tools with each lower-case name.
    by_name: HashMap<String, Vec<usize>>,
}

impl PreparedList {
    pub(super) fn new(tools: &[Arc<ToolDef>], policy: &ToolFilterPolicy) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(tools.len());
        for (index, tool) in tools.iter().enumerate() {
            by_name.entry(tool.name.as_str().to_ascii_lowercase()).or_default().push(index);
        }
        let (name_order, names) = name_order(tools);
        Self {
            name_order,
            has_doubles: names < tools.len(),
            always: tools.iter().map(|tool| policy.always_on.contains(&tool.name)).collect(),
            short: tools.iter().map(|tool| is_short(tool, policy.min_description_words)).collect(),
            by_name,
            tools: tools.to_vec(),
        }
    }

    /// Whether this was prepared from these tools.
    pub(super) fn is_of(&self, tools: &[Arc<ToolDef>]) -> bool {
        self.tools.len() == tools.len() && self.tools.iter().zip(tools).all(|(mine, given)| Arc::ptr_eq(mine, given))
    }

    /// Which tools the turn names or has referred to.
    pub(super) fn named(&self, query: &Query<'_>) -> Vec<bool> {
        let mut named = vec![false; self.tools.len()];
        for word in query.words() {
            for &index in self.by_name.get(&word).into_iter().flatten() {
                named[index] = true;
            }
        }
        for tool in &query.referenced {
            let alike = self.by_name.get(&tool.as_str().to_ascii_lowercase());
            for &index in alike.into_iter().flatten().filter(|index| self.tools[**index].name == *tool) {
                named[index] = true;
            }
        }
        named
    }

    /// Position of each tool in a scorer's index.
    pub(super) fn places(&self, scores: &Scores) -> Vec<u32> {
        self.tools.iter().map(|tool| scores.place(&tool.name).unwrap_or(NOWHERE)).collect()
    }

    pub(super) fn name(&self, index: usize) -> &ToolName {
        &self.tools[index].name
    }
}

/// Rank of each tool's name among the distinct names, and their number.
fn name_order(tools: &[Arc<ToolDef>]) -> (Vec<u32>, usize) {
    let mut indices: Vec<usize> = (0..tools.len()).collect();
    indices.sort_unstable_by(|&a, &b| tools[a].name.cmp(&tools[b].name));
    let mut order = vec![0; tools.len()];
    let mut names = 0;
    for same in indices.chunk_by(|&a, &b| tools[a].name == tools[b].name) {
        for &index in same {
            order[index] = u32::try_from(names).unwrap_or(u32::MAX);
        }
        names += 1;
    }
    (order, names)
}

fn is_short(tool: &ToolDef, words: usize) -> bool {
    tool.description.split_whitespace().nth(words.saturating_sub(1)).is_none() && words > 0
}
