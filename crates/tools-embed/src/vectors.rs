//! What every kind of model does.

use tools_core::EmbedderError;

/// Makes vectors of texts.
pub(crate) trait Vectors: Send + Sync {
    fn vectors(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError>;
}
