//! Search hits, and how the hits of several layers are merged into one list.

use std::{path::Path, sync::Arc};

/// A search layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Layer {
    Structural,
    Semantic,
    Lsp,
    Text,
}

impl Layer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Semantic => "semantic",
            Self::Lsp => "lsp",
            Self::Text => "text",
        }
    }
}

/// A hit: one place in a file. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    /// The layers that found it, the first one first.
    pub(crate) layers: Vec<Layer>,
    pub(crate) path: Arc<Path>,
    /// Hash of the file content that was searched.
    pub(crate) hash: u64,
    /// The line that the result names.
    pub(crate) line: u32,
    /// First line, including the comments above. `last` is the last line.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) symbol: Option<HitSymbol>,
    pub(crate) score: f32,
}

impl Hit {
    /// A hit for a line that is not a definition.
    pub(crate) fn of_line(layer: Layer, path: &Arc<Path>, hash: u64, line: u32, score: f32) -> Self {
        Self { layers: vec![layer], path: Arc::clone(path), hash, line, first: line, last: line, symbol: None, score }
    }
}

/// The definition at a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HitSymbol {
    pub(crate) name: Box<str>,
    pub(crate) kind: &'static str,
    pub(crate) signature: Box<str>,
    pub(crate) depth: u16,
    /// Offset of its name in the line, in bytes.
    pub(crate) column: u32,
}

/// The usual constant of reciprocal rank fusion. A large value reduces the weight of the first
/// ranks.
const FUSION: f32 = 60.0;

/// Weight of a rank (from 0) in one list.
pub(crate) fn share(rank: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a rank is small")]
    let rank = rank as f32;
    1.0 / (FUSION + 1.0 + rank)
}

/// Merges several lists by the ranks in each (reciprocal rank fusion). Two hits of one file are
/// merged when at least half of one lies within the other. Ties are ordered by path and line.
pub(crate) fn fuse(lists: Vec<Vec<Hit>>) -> Vec<Hit> {
    let mut all: Vec<(Hit, f32)> = Vec::new();
    for list in lists {
        for (rank, hit) in list.into_iter().enumerate() {
            let share = share(rank);
            match all.iter_mut().find(|(known, _)| is_one_place(known, &hit)) {
                Some((known, sum)) => {
                    // Two hits of one layer are two parts of one passage.
                    if hit.layers.iter().any(|layer| !known.layers.contains(layer)) {
                        *sum += share;
                    }
                    merge(known, hit);
                }
                None => all.push((hit, share)),
            }
        }
    }
    all.sort_by(|(a, of_a), (b, of_b)| {
        of_b.total_cmp(of_a)
            .then_with(|| b.symbol.is_some().cmp(&a.symbol.is_some()))
            .then_with(|| a.path.cmp(&b.path))
            .then_with(|| a.line.cmp(&b.line))
    });
    all.into_iter().map(|(hit, _)| hit).collect()
}

fn merge(known: &mut Hit, other: Hit) {
    for layer in other.layers {
        if !known.layers.contains(&layer) {
            known.layers.push(layer);
        }
    }
    known.layers.sort_unstable();
    known.score = known.score.max(other.score);
    if known.symbol.is_none() {
        known.symbol = other.symbol;
    }
}

/// Whether at least half of the shorter hit lies in the other, and they are not two definitions.
fn is_one_place(a: &Hit, b: &Hit) -> bool {
    if a.path != b.path {
        return false;
    }
    if a.symbol.is_some() && b.symbol.is_some() {
        return a.line == b.line
            && a.symbol.as_ref().map(|found| &found.name) == b.symbol.as_ref().map(|found| &found.name);
    }
    let common = (a.last.min(b.last) + 1).saturating_sub(a.first.max(b.first));
    let shorter = (a.last - a.first.min(a.last)).min(b.last - b.first.min(b.last)) + 1;
    2 * common >= shorter
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(layer: Layer, path: &str, first: u32, last: u32) -> Hit {
        Hit {
            layers: vec![layer],
            path: Path::new(path).into(),
            hash: 0,
            line: first,
            first,
            last,
            symbol: None,
            score: 1.0,
        }
    }

    #[test]
    fn what_two_layers_find_comes_first_and_once() {
        use Layer::{Semantic, Structural};
        let fused = fuse(vec![
            vec![hit(Structural, "/b", 1, 9), hit(Structural, "/a", 5, 8)],
            vec![hit(Semantic, "/c", 0, 3), hit(Semantic, "/a", 4, 9)],
        ]);
        let shown: Vec<_> = fused.iter().map(|hit| (hit.path.to_str().unwrap(), hit.layers.len())).collect();
        assert_eq!(shown, [("/a", 2), ("/b", 1), ("/c", 1)]);
    }

    #[test]
    fn one_place_is_half_of_the_shorter() {
        let check = |a: (u32, u32), b: (u32, u32), expected: bool| {
            let (a, b) = (hit(Layer::Text, "/a", a.0, a.1), hit(Layer::Text, "/a", b.0, b.1));
            assert_eq!((is_one_place(&a, &b), is_one_place(&b, &a)), (expected, expected), "{a:?} {b:?}");
        };
        check((0, 9), (5, 14), true);
        check((0, 9), (6, 15), false);
        check((0, 100), (50, 50), true);
        check((3, 3), (4, 4), false);
        assert!(!is_one_place(&hit(Layer::Text, "/a", 1, 1), &hit(Layer::Text, "/b", 1, 1)));
    }
}
