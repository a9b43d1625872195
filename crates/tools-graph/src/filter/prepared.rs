//! What of a list of tools does not depend on the query: looked at once for each list, not in each
//! turn.

use std::{collections::HashMap, sync::Arc};

use tools_core::{ToolDef, ToolName};

use super::{Query, ToolFilterPolicy};
use crate::score::Scores;

/// No place: the scorer does not know the tool.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A list of tools, looked at. Holds them, so that the same pointers are the same tools.
#[derive(Debug)]
pub(super) struct Prepared {
    tools: Vec<Arc<ToolDef>>,
    pub(super) always: Vec<bool>,
    pub(super) short: Vec<bool>,
    /// The tools of each name, in lower case.
    by_name: HashMap<String, Vec<usize>>,
}

impl Prepared {
    pub(super) fn new(tools: &[Arc<ToolDef>], policy: &ToolFilterPolicy) -> Self {
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::with_capacity(tools.len());
        for (index, tool) in tools.iter().enumerate() {
            by_name.entry(tool.name.as_str().to_ascii_lowercase()).or_default().push(index);
        }
        Self {
            always: tools.iter().map(|tool| policy.always_on.contains(&tool.name)).collect(),
            short: tools.iter().map(|tool| is_short(tool, policy.min_description_words)).collect(),
            by_name,
            tools: tools.to_vec(),
        }
    }

    /// Whether this is what was looked at.
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

    /// The place of each tool in the index of a scorer.
    pub(super) fn places(&self, scores: &Scores) -> Vec<u32> {
        self.tools.iter().map(|tool| scores.place(&tool.name).unwrap_or(NOWHERE)).collect()
    }

    pub(super) fn name(&self, index: usize) -> &ToolName {
        &self.tools[index].name
    }
}

fn is_short(tool: &ToolDef, words: usize) -> bool {
    tool.description.split_whitespace().nth(words.saturating_sub(1)).is_none() && words > 0
}
