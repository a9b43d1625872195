//! Scorers that need no model: by words, and by character n-grams.

use std::sync::Arc;

use tools_core::ToolDef;

use super::{Scorer, Scores, inverted::InvertedIndex};
use crate::words;

/// Length of an n-gram in characters.
const PIECE: usize = 4;

/// BM25 over the words of a definition: its name and title, which count three times, its
/// description, and the names, descriptions and allowed values of its parameters.
#[derive(Debug)]
pub struct Bm25(InvertedIndex);

impl Bm25 {
    /// An index of these tools.
    pub fn new(tools: &[Arc<ToolDef>]) -> Self {
        Self(InvertedIndex::new(tools, |text| words::terms(text).collect::<Vec<_>>().into_iter()))
    }
}

impl Scorer for Bm25 {
    fn score(&self, query: &str) -> Option<Scores> {
        Some(self.0.score(words::terms(query)))
    }
}

/// BM25 over n-grams of four characters, for words with different endings, compound or misspelt
/// words. It finds more than [`Bm25`] and needs several times the memory; both together
/// ([`super::FusedScorer`]) find most.
#[derive(Debug)]
pub struct Grams(InvertedIndex);

impl Grams {
    /// An index of these tools.
    pub fn new(tools: &[Arc<ToolDef>]) -> Self {
        Self(InvertedIndex::new(tools, |text| all_pieces(text).collect::<Vec<_>>().into_iter()))
    }
}

impl Scorer for Grams {
    fn score(&self, query: &str) -> Option<Scores> {
        Some(self.0.score(all_pieces(query)))
    }
}

fn all_pieces(text: &str) -> impl Iterator<Item = String> + '_ {
    words::terms(text).flat_map(|word| pieces(&word))
}

/// The n-grams of a word, with marks for its ends.
fn pieces(word: &str) -> Vec<String> {
    let marked: Vec<char> = std::iter::once('^').chain(word.chars()).chain(std::iter::once('$')).collect();
    if marked.len() <= PIECE {
        return vec![marked.into_iter().collect()];
    }
    marked.windows(PIECE).map(|piece| piece.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_cut_into_pieces_with_its_ends() {
        assert_eq!(pieces("ab"), ["^ab$"]);
        assert_eq!(pieces("abcd"), ["^abc", "abcd", "bcd$"]);
        assert_eq!(pieces("天气"), ["^天气$"]);
    }
}
