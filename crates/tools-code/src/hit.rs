//! What a search finds, and how what several layers find becomes one list.

use std::{path::Path, sync::Arc};

/// Which layer found something.
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

/// One place. Lines are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    /// Who found it, the first one first.
    pub(crate) layers: Vec<Layer>,
    pub(crate) path: Arc<Path>,
    /// The hash of the content that it was found in.
    pub(crate) hash: u64,
    /// The line that is named.
    pub(crate) line: u32,
    /// Its lines, with the comments above.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) symbol: Option<HitSymbol>,
    pub(crate) score: f32,
}

impl Hit {
    /// A line that defines nothing.
    pub(crate) fn of_line(layer: Layer, path: &Arc<Path>, hash: u64, line: u32, score: f32) -> Self {
        Self { layers: vec![layer], path: Arc::clone(path), hash, line, first: line, last: line, symbol: None, score }
    }
}

/// The definition that a hit is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HitSymbol {
    pub(crate) name: Box<str>,
    pub(crate) kind: &'static str,
    pub(crate) signature: Box<str>,
    pub(crate) depth: u16,
    /// Where its name begins in its line, in bytes.
    pub(crate) column: u32,
}

/// The usual constant of reciprocal rank fusion: how little the first rank of a list counts more
/// than the next.
const FUSION: f32 = 60.0;

/// What a rank in one list counts, the first being 0.
pub(crate) fn share(rank: usize) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a rank is small")]
    let rank = rank as f32;
    1.0 / (FUSION + 1.0 + rank)
}

/// One list of several: by the ranks in each (reciprocal rank fusion). Two hits of one file of
/// which one is at least half within the other are one; ties go by path and line.
pub(crate) fn fuse(lists: Vec<Vec<Hit>>) -> Vec<Hit> {
    let mut all: Vec<(Hit, f32)> = Vec::new();
    for list in lists {
        for (rank, hit) in list.into_iter().enumerate() {
            let share = share(rank);
            match all.iter_mut().find(|(known, _)| is_one_place(known, &hit)) {
                Some((known, sum)) => {
                    // Two of one layer are two parts of one passage.
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

/// Whether at least half of the shorter one lies in the other, and they are not two definitions.
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
