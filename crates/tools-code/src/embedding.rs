//! Meaning as vectors: what a host brings to rank passages by more than their words.

use tools_core::ToolError;

/// Turns texts into vectors of one length. Called with the query and the passages that its words chose, off the async
/// threads.
pub trait Embedding: Send + Sync + 'static {
    /// One vector for each text.
    ///
    /// # Errors
    /// When it cannot be done now; passages are then ranked by their words alone.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ToolError>;
}

/// How near two vectors are: the cosine of their angle.
pub(crate) fn nearness(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let length = (dot(a, a) * dot(b, b)).sqrt();
    if length > 0.0 { dot(a, b) / length } else { 0.0 }
}
