//! Combines several scorers by their ranks.

use std::{collections::HashMap, sync::Arc};

use tools_core::ToolName;

use super::{Scorer, Scores, best};

/// How much the first ranks stand out; the constant of Cormack, Clarke and Büttcher (SIGIR 2009),
/// who introduced reciprocal rank fusion.
const FLATTENING: f32 = 60.0;
/// Number of ranks that count.
const PLACES: u16 = 200;

/// Several scorers combined by reciprocal rank: their scores have different scales, their ranks do
/// not.
#[derive(Debug)]
pub struct FusedScorer(Vec<Arc<dyn Scorer>>);

impl FusedScorer {
    /// Combines these scorers. One that cannot judge a query is left out for it; if none can,
    /// neither can this.
    pub fn new(scorers: Vec<Arc<dyn Scorer>>) -> Self {
        Self(scorers)
    }
}

impl Scorer for FusedScorer {
    fn score(&self, query: &str) -> Option<Scores> {
        let judged: Vec<Scores> = self.0.iter().filter_map(|scorer| scorer.score(query)).collect();
        if judged.is_empty() {
            return None;
        }
        let mut sums: HashMap<&ToolName, f32> = HashMap::new();
        for scores in &judged {
            sums.reserve(scores.iter().size_hint().0);
            for (tool, _) in scores.iter() {
                sums.entry(tool).or_default();
            }
            let fitting = scores.iter().filter(|(_, score)| *score > 0.0);
            for (place, (tool, _)) in (1..=PLACES).zip(best(fitting, PLACES.into())) {
                *sums.entry(tool).or_default() += 1.0 / (FLATTENING + f32::from(place));
            }
        }
        let highest = sums.values().copied().fold(f32::MIN_POSITIVE, f32::max);
        Some(Scores::new(sums.into_iter().map(|(tool, sum)| (tool.clone(), sum / highest))))
    }
}
