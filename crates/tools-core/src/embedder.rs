//! The model that turns texts into vectors: what ranks tools, memories and code by more than their
//! words. None is brought along here.

use std::{error::Error, fmt};

/// Reason why there are no vectors.
pub type EmbedderError = Box<dyn Error + Send + Sync>;

/// Turns texts into vectors that are near each other where the texts mean the same. It may compute
/// and block: async callers call it on a blocking thread.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// The name of the model: vectors of different models are never compared.
    fn name(&self) -> &str;

    /// One vector for each text, in their order and all of one length. A text in which the model
    /// finds nothing has a vector of zeros, which is near nothing.
    ///
    /// # Errors
    /// When it cannot be done now. Whoever asked then ranks by words alone.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError>;
}

/// The cosine of the angle between two vectors; `None` where they cannot be compared: of different
/// lengths, without a direction, or not finite.
pub fn cosine(left: &[f32], right: &[f32]) -> Option<f32> {
    if left.len() != right.len() {
        return None;
    }
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    let cosine = dot(left, right) / (dot(left, left) * dot(right, right)).sqrt();
    cosine.is_finite().then_some(cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_vectors_with_a_direction_are_compared() {
        assert_eq!(cosine(&[1.0, 0.0], &[2.0, 0.0]), Some(1.0));
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 3.0]), Some(0.0));
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), None);
        assert_eq!(cosine(&[f32::NAN, 0.0], &[1.0, 0.0]), None);
    }
}
