//! Scoring by an embedding model that the caller brings.

use std::{collections::HashMap, fmt, sync::Arc};

use tools_core::{ToolDef, ToolName};

use super::{Scorer, Scores};
use crate::words;

/// Turns a text into a vector. Called once for each tool when an index is made, and once for each query.
pub trait Embedder: Send + Sync {
    /// The vector of a text, of the same length for every text; `None` when it could not be made.
    fn embed(&self, text: &str) -> Option<Vec<f32>>;
}

/// Cosine similarity of the query's vector and each definition's. A tool whose vector could not be made is not known to
/// the scorer and is therefore shown; a query without a vector cannot be judged.
pub struct EmbeddingScorer {
    embedder: Arc<dyn Embedder>,
    vectors: HashMap<ToolName, Vec<f32>>,
}

impl fmt::Debug for EmbeddingScorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddingScorer").field("tools", &self.vectors.len()).finish_non_exhaustive()
    }
}

impl EmbeddingScorer {
    /// An index of these tools: their vectors are made now.
    pub fn new(tools: &[Arc<ToolDef>], embedder: Arc<dyn Embedder>) -> Self {
        let vector = |tool: &Arc<ToolDef>| {
            let texts = words::weighted(tool).map(|(text, _)| text);
            Some((tool.name.clone(), unit(embedder.embed(&texts.join("\n"))?)?))
        };
        Self { vectors: tools.iter().filter_map(vector).collect(), embedder }
    }

    /// How many tools have a vector, for [`crate::ToolFilterPolicy::status`].
    pub fn embeddings(&self) -> usize {
        self.vectors.len()
    }
}

impl Scorer for EmbeddingScorer {
    fn score(&self, query: &str) -> Option<Scores> {
        let query = unit(self.embedder.embed(query)?)?;
        let alike = |vector: &Vec<f32>| {
            let cosine: f32 = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
            (vector.len() == query.len()).then(|| cosine.clamp(0.0, 1.0))
        };
        Some(Scores::new(self.vectors.iter().filter_map(|(tool, vector)| Some((tool.clone(), alike(vector)?)))))
    }
}

/// The vector with length 1; `None` for one that has no direction or is not finite.
fn unit(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !length.is_normal() {
        return None;
    }
    for x in &mut vector {
        *x /= length;
    }
    Some(vector)
}
