//! Interface to a model that turns texts into vectors, used to rank tools, memories and code by
//! more than words. No model is included here.

use std::{error::Error, fmt};

/// Reason why there are no vectors.
pub type EmbedderError = Box<dyn Error + Send + Sync>;

/// Turns texts into vectors that are close if the texts mean the same. It may compute and block:
/// async callers use a blocking thread.
pub trait Embedder: fmt::Debug + Send + Sync + 'static {
    /// Name of the model: vectors of different models are never compared.
    fn name(&self) -> &str;

    /// One vector for each text, in order and all of the same length. A text in which the model
    /// finds nothing has a vector of zeros, which is close to nothing.
    ///
    /// # Errors
    /// When the vectors cannot be computed now. The caller then ranks by words alone.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError>;
}

/// The cosine of the angle between two vectors; `None` if they cannot be compared: different
/// lengths, a zero vector, or not finite.
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
