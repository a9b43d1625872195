//! The trait of scorers, and the scores for a query.

use std::{cmp::Ordering, collections::HashMap, fmt, sync::Arc};

use tools_core::ToolName;

/// Scores tools for a query. Called once per turn, by [`crate::ToolSchemaFilter`].
pub trait Scorer: Send + Sync + fmt::Debug {
    /// The score of each tool that the scorer knows. `None` if the query cannot be judged (no
    /// embedding is available): then every tool is shown.
    fn score(&self, query: &str) -> Option<Scores>;
}

/// Scores of tools for a query: 1 is the best possible match and 0 none. A tool without a score is
/// unknown to the scorer, and is always shown.
#[derive(Debug, Clone)]
pub struct Scores {
    places: Places,
    values: Vec<f32>,
}

/// Positions of tools in an index.
pub(crate) type Places = Arc<HashMap<ToolName, u32>>;

impl Scores {
    /// Scores of tools; of two with the same name the last counts.
    pub fn new(scores: impl IntoIterator<Item = (ToolName, f32)>) -> Self {
        let mut places = HashMap::new();
        let mut values = Vec::new();
        for (place, (tool, score)) in (0..).zip(scores) {
            places.insert(tool, place);
            values.push(score);
        }
        Self { places: Arc::new(places), values }
    }

    /// Scores by positions of an index.
    pub(super) fn of_index(places: Places, values: Vec<f32>) -> Self {
        Self { places, values }
    }

    /// The score of a tool; `None` if the scorer does not know it.
    pub fn get(&self, tool: &ToolName) -> Option<f32> {
        self.values.get(*self.places.get(tool)? as usize).copied()
    }

    /// The position of a tool; `None` if the scorer does not know it.
    pub(crate) fn place(&self, tool: &ToolName) -> Option<u32> {
        self.places.get(tool).copied().filter(|place| self.values.len() > *place as usize)
    }

    /// The positions; the same pointer means that they are unchanged.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    /// The score of the tool at a position.
    pub(crate) fn at(&self, place: u32) -> f32 {
        self.values.get(place as usize).copied().unwrap_or_default()
    }

    /// Every tool that the scorer knows, unordered.
    pub fn iter(&self) -> impl Iterator<Item = (&ToolName, f32)> {
        self.places.iter().filter_map(|(tool, place)| Some((tool, *self.values.get(*place as usize)?)))
    }
}

/// The best of these, the best first; equal scores are ordered by name, so that the result is
/// deterministic.
pub(crate) fn best<'a>(scores: impl Iterator<Item = (&'a ToolName, f32)>, most: usize) -> Vec<(&'a ToolName, f32)> {
    best_by(scores, most, Ord::cmp)
}

/// Like [`best`], for any item, with an order for equal scores.
pub(crate) fn best_by<T>(
    scores: impl Iterator<Item = (T, f32)>,
    most: usize,
    equals: impl Fn(&T, &T) -> Ordering,
) -> Vec<(T, f32)> {
    let order = |a: &(T, f32), b: &(T, f32)| b.1.total_cmp(&a.1).then_with(|| equals(&a.0, &b.0));
    let mut scores: Vec<_> = scores.collect();
    if most < scores.len() {
        scores.select_nth_unstable_by(most, order);
        scores.truncate(most);
    }
    scores.sort_unstable_by(order);
    scores
}
