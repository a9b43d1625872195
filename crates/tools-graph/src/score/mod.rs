//! Scores of tools for a query: the trait, and its implementations.

mod bm25;
mod embedding;
mod fused;
mod inverted;
mod scorer;

pub use bm25::{Bm25, Grams};
pub use embedding::EmbeddingScorer;
pub use fused::FusedScorer;
pub(crate) use scorer::{Places, best, best_by};
pub use scorer::{Scorer, Scores};
