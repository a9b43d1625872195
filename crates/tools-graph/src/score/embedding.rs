//! Scoring by meaning, with the vectors of an embedding model.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::{fmt, thread};

use tools_core::{Embedder, EmbedderError, ToolDef, ToolName};

use super::{Scorer, Scores};
use crate::words;

/// Number of definitions per request for vectors.
const BATCH: usize = 64;

/// Cosine similarity of the query's vector and each definition's. A tool without a vector is
/// unknown to the scorer and therefore shown. Without a vector, or before the tools' vectors are
/// computed, a query cannot be judged.
pub struct EmbeddingScorer {
    embedder: Arc<dyn Embedder>,
    vectors: Arc<OnceLock<HashMap<ToolName, Vec<f32>>>>,
}

impl fmt::Debug for EmbeddingScorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddingScorer").field("tools", &self.embeddings()).finish_non_exhaustive()
    }
}

impl EmbeddingScorer {
    /// An index of these tools; computes their vectors now.
    pub fn new(tools: &[Arc<ToolDef>], embedder: Arc<dyn Embedder>) -> Self {
        let vectors = Arc::new(OnceLock::from(vectors(tools, &*embedder)));
        Self { embedder, vectors }
    }

    /// An index of these tools whose vectors are computed on a separate thread: a model may take
    /// seconds.
    pub(crate) fn in_background(tools: &[Arc<ToolDef>], embedder: Arc<dyn Embedder>) -> Self {
        let made = Self { embedder: Arc::clone(&embedder), vectors: Arc::default() };
        let (all, kept) = (tools.to_vec(), Arc::clone(&made.vectors));
        let started = thread::Builder::new().name("tool vectors".to_owned()).spawn(move || {
            kept.get_or_init(|| vectors(&all, &*embedder));
        });
        if let Err(error) = started {
            tracing::warn!(%error, "tools are found by their words alone");
        }
        made
    }

    /// The number of tools with a vector, for [`crate::ToolFilterPolicy::status`].
    pub fn embeddings(&self) -> usize {
        self.vectors.get().map_or(0, HashMap::len)
    }
}

fn vectors(tools: &[Arc<ToolDef>], embedder: &dyn Embedder) -> HashMap<ToolName, Vec<f32>> {
    let batch = |tools: &[Arc<ToolDef>]| -> Result<Vec<(ToolName, Vec<f32>)>, EmbedderError> {
        let texts: Vec<String> =
            tools.iter().map(|tool| words::weighted(tool).map(|(text, _)| text).join("\n")).collect();
        let made = embedder.embed(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
        let known = tools.iter().zip(made).filter_map(|(tool, vector)| Some((tool.name.clone(), unit(vector)?)));
        Ok(known.collect())
    };
    let mut all = HashMap::with_capacity(tools.len());
    for tools in tools.chunks(BATCH) {
        match batch(tools) {
            Ok(known) => all.extend(known),
            Err(error) => {
                tracing::warn!(%error, "tools are found by their words alone");
                break;
            }
        }
    }
    all
}

impl Scorer for EmbeddingScorer {
    fn score(&self, query: &str) -> Option<Scores> {
        let vectors = self.vectors.get()?;
        let query = unit(self.embedder.embed(&[query]).ok()?.pop()?)?;
        let alike = |vector: &Vec<f32>| {
            let cosine: f32 = vector.iter().zip(&query).map(|(a, b)| a * b).sum();
            (vector.len() == query.len()).then(|| cosine.clamp(0.0, 1.0))
        };
        Some(Scores::new(vectors.iter().filter_map(|(tool, vector)| Some((tool.clone(), alike(vector)?)))))
    }
}

/// Normalizes a vector to length 1; `None` if it is zero or not finite.
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
