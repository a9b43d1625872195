//! The seam to a model that turns text into vectors. None is brought along.

use async_trait::async_trait;

/// Turns text into a vector. Called when a memory is saved and when one is searched for.
#[async_trait]
pub trait Embedder: Send + Sync {
    /// The name of the model: vectors of different models are never compared.
    fn name(&self) -> &str;

    /// The vector of a text, of the same length for every text; `None` when it could not be made. Then the text is found
    /// by its words alone.
    async fn embed(&self, text: &str) -> Option<Vec<f32>>;
}
