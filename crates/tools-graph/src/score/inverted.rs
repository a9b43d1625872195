//! An inverted index with BM25 weights: for each term, the tools that contain it and its
//! contribution to their score.

use std::{collections::HashMap, sync::Arc};

use tools_core::{ToolDef, ToolName};

use super::Scores;
use crate::words;

/// How soon repetitions of a term stop counting (BM25 k1).
const SATURATION: f32 = 0.9;
/// How much less a long text counts than a short one (BM25 b).
const LENGTH: f32 = 0.4;

/// Terms, and their contributions to the scores by position of the tool.
#[derive(Debug, Default)]
pub(super) struct InvertedIndex {
    places: Arc<HashMap<ToolName, u32>>,
    terms: HashMap<Box<str>, Box<[(u32, f32)]>>,
}

impl InvertedIndex {
    /// An index of tools by the terms of their texts; of two with the same name the first counts.
    pub(super) fn new<T: Iterator<Item = String>>(tools: &[Arc<ToolDef>], terms: impl Fn(&str) -> T) -> Self {
        let mut places = HashMap::with_capacity(tools.len());
        let mut lengths = Vec::with_capacity(tools.len());
        let mut found: HashMap<Box<str>, Vec<(u32, f32)>> = HashMap::new();
        for tool in tools {
            let Ok(place) = u32::try_from(lengths.len()) else { break };
            if places.contains_key(&tool.name) {
                continue;
            }
            places.insert(tool.name.clone(), place);
            let counts = counts(tool, &terms);
            lengths.push(counts.values().sum::<f32>());
            for (term, count) in counts {
                found.entry(term.into_boxed_str()).or_default().push((place, count));
            }
        }
        let count = to_float(lengths.len()).max(1.0);
        let mean = (lengths.iter().sum::<f32>() / count).max(f32::MIN_POSITIVE);
        let weigh = |at: Vec<(u32, f32)>| {
            let within = to_float(at.len());
            let rarity = (1.0 + (count - within + 0.5) / (within + 0.5)).ln();
            let weigh = |(place, times): (u32, f32)| {
                let length = 1.0 - LENGTH + LENGTH * lengths[place as usize] / mean;
                (place, rarity * times * (SATURATION + 1.0) / (times + SATURATION * length))
            };
            at.into_iter().map(weigh).collect()
        };
        let terms = found.into_iter().map(|(term, at)| (term, weigh(at))).collect();
        Self { places: Arc::new(places), terms }
    }

    /// Sums the contributions of the terms, each once, relative to the best.
    pub(super) fn score(&self, terms: impl Iterator<Item = String>) -> Scores {
        let mut terms: Vec<String> = terms.collect();
        terms.sort_unstable();
        terms.dedup();
        let mut sums = vec![0.0_f32; self.places.len()];
        for &(place, adds) in terms.iter().filter_map(|term| self.terms.get(term.as_str())).flatten() {
            sums[place as usize] += adds;
        }
        let best = sums.iter().copied().fold(f32::MIN_POSITIVE, f32::max);
        for sum in &mut sums {
            *sum /= best;
        }
        Scores::of_index(Arc::clone(&self.places), sums)
    }
}

/// The terms of a definition and their weights.
fn counts<T: Iterator<Item = String>>(tool: &ToolDef, terms: impl Fn(&str) -> T) -> HashMap<String, f32> {
    let mut counts: HashMap<String, f32> = HashMap::new();
    for (text, weight) in words::weighted(tool) {
        for term in terms(&text) {
            *counts.entry(term).or_default() += weight;
        }
    }
    counts
}

#[expect(clippy::cast_precision_loss, reason = "numbers of tools and terms are far below 2^24")]
fn to_float(count: usize) -> f32 {
    count as f32
}
