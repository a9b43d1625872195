//! The trait of scorers, and what one says of a query.

use std::{collections::HashMap, fmt, sync::Arc};

use tools_core::ToolName;

/// Says how well tools fit a query. Called once in a turn, by [`crate::ToolSchemaFilter`].
pub trait Scorer: Send + Sync + fmt::Debug {
    /// How well each tool fits that the scorer knows. `None` when the query cannot be judged (no embedding of it could be
    /// had): then every tool is shown.
    fn score(&self, query: &str) -> Option<Scores>;
}

/// How well each tool fits a query: 1 is the best possible fit and 0 none. A tool of which nothing is said is not known
/// to the scorer, and is shown whatever the query is.
#[derive(Debug, Clone)]
pub struct Scores {
    places: Arc<HashMap<ToolName, u32>>,
    values: Vec<f32>,
}

impl Scores {
    /// Scores of tools; of two of one name the last counts.
    pub fn new(scores: impl IntoIterator<Item = (ToolName, f32)>) -> Self {
        let mut places = HashMap::new();
        let mut values = Vec::new();
        for (place, (tool, score)) in (0..).zip(scores) {
            places.insert(tool, place);
            values.push(score);
        }
        Self { places: Arc::new(places), values }
    }

    /// Scores by the places of an index.
    pub(super) fn of_index(places: Arc<HashMap<ToolName, u32>>, values: Vec<f32>) -> Self {
        Self { places, values }
    }

    /// How well the tool fits; `None` when the scorer does not know it.
    pub fn get(&self, tool: &ToolName) -> Option<f32> {
        self.values.get(*self.places.get(tool)? as usize).copied()
    }

    /// Every tool that the scorer knows, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolName, f32)> {
        self.places.iter().filter_map(|(tool, place)| Some((tool, *self.values.get(*place as usize)?)))
    }
}

/// The best of these, the best first; equals by name, so that the order is the same on every run.
pub(crate) fn best<'a>(scores: impl Iterator<Item = (&'a ToolName, f32)>, most: usize) -> Vec<(&'a ToolName, f32)> {
    let order = |a: &(&ToolName, f32), b: &(&ToolName, f32)| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0));
    let mut scores: Vec<_> = scores.collect();
    if most < scores.len() {
        scores.select_nth_unstable_by(most, order);
        scores.truncate(most);
    }
    scores.sort_unstable_by(order);
    scores
}
