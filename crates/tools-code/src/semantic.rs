//! The semantic layer: ranks passages by the words of a query (BM25), and by meaning if there is a
//! model. It first selects files by their words; only the best are parsed into passages.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use tools_core::{Embedder, cosine};

use crate::hit::{Hit, HitSymbol, Layer, share};
use crate::index::IndexedFile;
use crate::query::Query;
use crate::structural::{Search, order};
use crate::words::parts;

/// Number of files whose passages are ranked.
const FILES: usize = 40;
/// Number of passages ranked by meaning.
const EMBEDDED: usize = 40;
/// The usual constants of BM25: saturation of repeated words, and influence of the length.
const REPETITION: f32 = 1.2;
const LENGTH: f32 = 0.75;
/// Weight of a word in the name of a definition, and in the path.
const IN_NAME: f32 = 4.0;
const IN_PATH: f32 = 0.6;
/// Maximum number of names for one part of a query.
const SPELLINGS: usize = 5000;
/// Assumed mean length of a passage, in names.
const MEAN_PASSAGE: f32 = 60.0;

/// A part of a query.
struct Term {
    part: String,
    /// The numbers of the names that contain it.
    names: HashSet<u32>,
    /// Inverse document frequency: the fewer files contain it, the higher.
    rarity: f32,
}

impl Search<'_> {
    /// The passages that match the words of a query, the best first, and their files.
    pub(crate) fn passages(&self, query: &Query) -> (Vec<Hit>, Vec<Arc<Path>>) {
        let (terms, files) = self.candidates(query);
        let known = self.index.passages(self.sight, &files, self.policy);
        let mut hits: Vec<Hit> = known.iter().flat_map(|known| self.scored(known, &terms)).collect();
        hits.sort_by(order);
        (hits, files)
    }

    fn candidates(&self, query: &Query) -> (Vec<Term>, Vec<Arc<Path>>) {
        let state = self.index.state();
        let vocabulary = &state.vocabulary;
        let (mean, all) = (state.mean_length(), state.live().max(1));
        let mut scores: HashMap<u32, f32> = HashMap::new();
        let mut terms = Vec::new();
        for part in &query.parts {
            let names: HashSet<u32> = vocabulary.with_part(part).iter().take(SPELLINGS).copied().collect();
            let mut counts: HashMap<u32, f32> = HashMap::new();
            for posting in names.iter().flat_map(|name| vocabulary.postings(*name)) {
                if state.file(posting.file).is_some_and(|file| self.wanted.holds(&file.path, file.form)) {
                    *counts.entry(posting.file).or_default() += f32::from(posting.count);
                }
            }
            #[expect(clippy::cast_precision_loss, reason = "counts of files")]
            let rarity = (1.0 + (all as f32 - counts.len() as f32 + 0.5).max(0.5) / (counts.len() as f32 + 0.5)).ln();
            for (number, count) in counts {
                let Some(file) = state.file(number) else { continue };
                #[expect(clippy::cast_precision_loss, reason = "a count of words")]
                let length = file.length as f32;
                *scores.entry(number).or_default() += rarity * damped(count, length, mean) * file.weight;
            }
            terms.push(Term { part: part.clone(), names, rarity });
        }
        let mut best: Vec<(f32, Arc<Path>)> = scores
            .into_iter()
            .filter_map(|(number, score)| {
                let path = &state.file(number)?.path;
                Some((
                    score
                        + IN_PATH
                            * terms
                                .iter()
                                .filter(|term| is_in_path(path, &term.part))
                                .map(|term| term.rarity)
                                .sum::<f32>(),
                    Arc::clone(path),
                ))
            })
            .collect();
        drop(state);
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        best.truncate(FILES);
        (terms, best.into_iter().map(|(_, path)| path).collect())
    }

    fn scored(&self, (path, passages): &IndexedFile, terms: &[Term]) -> Vec<Hit> {
        let (weight, hash) = {
            let state = self.index.state();
            let Some(file) = state.file_at(path) else { return vec![] };
            (file.weight, file.hash)
        };
        let in_path: Vec<bool> = terms.iter().map(|term| is_in_path(path, &term.part)).collect();
        let mut hits = Vec::new();
        for passage in &passages.passages {
            let symbol = passage.symbol.and_then(|at| passages.parsed.symbols.get(at as usize));
            let named = symbol.map(|symbol| parts(&symbol.name)).unwrap_or_default();
            #[expect(clippy::cast_precision_loss, reason = "a count of words")]
            let length = passage.length as f32;
            let (mut score, mut matched) = (0.0, 0.0);
            for (term, in_path) in terms.iter().zip(&in_path) {
                let counted = passage.words.iter().filter(|(name, _)| term.names.contains(name));
                let count: f32 = counted.map(|(_, count)| f32::from(*count)).sum();
                let in_name = if named.contains(&term.part) { IN_NAME } else { 0.0 };
                if count + in_name > 0.0 {
                    matched += term.rarity;
                    score += term.rarity * damped(count + in_name, length, MEAN_PASSAGE);
                    score += if *in_path { IN_PATH * term.rarity } else { 0.0 };
                }
            }
            if matched <= 0.0 {
                continue;
            }
            let all: f32 = terms.iter().map(|term| term.rarity).sum();
            let score = score * weight * (0.3 + 0.7 * matched / all.max(f32::MIN_POSITIVE));
            hits.push(Hit {
                layers: vec![Layer::Semantic],
                path: Arc::clone(path),
                hash,
                line: symbol.map_or(passage.first, |symbol| symbol.line),
                first: passage.first,
                last: passage.last,
                symbol: symbol.filter(|symbol| !symbol.is_container).map(HitSymbol::of),
                score,
            });
        }
        hits
    }

    /// Reranks the best passages by words and meaning.
    pub(crate) fn embedded(&self, query: &Query, mut hits: Vec<Hit>, embedder: &dyn Embedder) -> Vec<Hit> {
        let rest = hits.split_off(hits.len().min(EMBEDDED));
        let texts: Vec<String> = hits.iter().map(|hit| self.text_of(hit)).collect();
        let mut asked = vec![query.text.as_str()];
        asked.extend(texts.iter().map(String::as_str));
        let Ok(vectors) = embedder.embed(&asked) else { return hits.into_iter().chain(rest).collect() };
        let Some((asked, vectors)) = vectors.split_first() else { return hits.into_iter().chain(rest).collect() };
        let near = |at: usize| cosine(asked, &vectors[at]).unwrap_or_default();
        let mut by_meaning: Vec<usize> = (0..hits.len().min(vectors.len())).collect();
        by_meaning.sort_by(|a, b| near(*b).total_cmp(&near(*a)));
        let mut shares: Vec<f32> = (0..hits.len()).map(share).collect();
        for (rank, at) in by_meaning.into_iter().enumerate() {
            shares[at] += share(rank);
        }
        let mut ranked: Vec<(f32, Hit)> = shares.into_iter().zip(hits).collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
        ranked.into_iter().map(|(_, hit)| hit).chain(rest).collect()
    }

    fn text_of(&self, hit: &Hit) -> String {
        let Some(text) = self.sight.read(&hit.path, self.policy.max_file_bytes) else { return String::new() };
        let text = String::from_utf8_lossy(&text);
        let lines = text.lines().skip(hit.first as usize).take((hit.last - hit.first.min(hit.last)) as usize + 1);
        lines.take(60).collect::<Vec<_>>().join("\n")
    }
}

fn damped(count: f32, length: f32, mean: f32) -> f32 {
    count * (REPETITION + 1.0) / (count + REPETITION * (1.0 - LENGTH + LENGTH * length / mean))
}

fn is_in_path(path: &Path, part: &str) -> bool {
    let nearest = path.components().rev().take(4);
    nearest.filter_map(|name| name.as_os_str().to_str()).any(|name| parts(name).iter().any(|own| own == part))
}

/// Merges the hits by words and by meaning, by the ranks in each.
pub(crate) fn joined(words: Vec<Hit>, near: Vec<Hit>) -> Vec<Hit> {
    let mut all: Vec<(f32, Hit)> = words.into_iter().enumerate().map(|(rank, hit)| (share(rank), hit)).collect();
    for (rank, hit) in near.into_iter().enumerate() {
        let is_same = |known: &Hit| (&known.path, known.first, known.last) == (&hit.path, hit.first, hit.last);
        match all.iter_mut().find(|(_, known)| is_same(known)) {
            Some((sum, _)) => *sum += share(rank),
            None => all.push((share(rank), hit)),
        }
    }
    // The first rank in both lists scores 1.
    let most = 2.0 * share(0);
    let mut hits: Vec<Hit> = all.into_iter().map(|(sum, hit)| Hit { score: sum / most, ..hit }).collect();
    hits.sort_by(order);
    hits
}
