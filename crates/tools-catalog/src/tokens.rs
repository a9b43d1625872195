//! What a text costs of a model's context, without a tokenizer.

/// An estimate of the tokens of a text: four bytes each for words and JSON, rounded up.
///
/// Good enough to compare tools with one another; a tokenizer knows better.
pub fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}
