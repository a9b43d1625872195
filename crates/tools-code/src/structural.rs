//! The structural layer: definitions and uses of names.

use std::{path::Path, sync::Arc};

use crate::config::IndexPolicy;
use crate::hit::{Hit, HitSymbol, Layer};
use crate::index::{Index, IndexedFile};
use crate::parse::{Lines, Parsed, Symbol};
use crate::passages::Passages;
use crate::query::{Name, Query};
use crate::redacted_text::blank_credentials;
use crate::scope::SearchScope;
use crate::words::{parts, words};
use tools_sandbox::FileAccess;

/// Maximum number of files that one call parses for one name.
const MAX_FILES: usize = 400;
/// Weights of a match: exact, different case, or a name with more parts.
const EXACT: f32 = 1.0;
const FOLDED: f32 = 0.6;
const LONGER: f32 = 0.4;

/// Number of mentions of a name, comments included, and number of files with it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Mentions {
    pub(crate) times: u64,
    pub(crate) files: usize,
}

/// The search of one call.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) index: &'a Index,
    pub(crate) sight: &'a dyn FileAccess,
    pub(crate) policy: &'a IndexPolicy,
    pub(crate) wanted: &'a SearchScope,
}

impl Search<'_> {
    /// The definitions of the names of a query, the best first.
    pub(crate) fn definitions(&self, query: &Query) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        for name in query.definition_names() {
            let mut found = self.defined(name, Match::Exact);
            if found.is_empty() {
                found = self.defined(name, Match::Folded);
            }
            if found.is_empty() && query.is_name {
                found = self.defined(name, Match::Longer);
            }
            hits.extend(found);
        }
        hits.sort_by(order);
        hits
    }

    fn defined(&self, name: &Name, how: Match) -> Vec<Hit> {
        let files = self.files_with(name, how);
        let wanted_parts = parts(&name.text);
        let mut hits: Vec<Hit> = self
            .index
            .passages(self.sight, &files, self.policy)
            .iter()
            .flat_map(|(path, passages)| {
                let symbols = passages.parsed.symbols.iter().enumerate();
                let meant =
                    symbols.filter(|(_, symbol)| !symbol.is_container && how.means(symbol, &name.text, &wanted_parts));
                let weight = self.weight(path);
                let hash = self.index.state().hash_of(path).unwrap_or_default();
                let made = meant.map(|(at, symbol)| {
                    let score = how.worth() * kind_weight(symbol) * weight * lies_in(name, path, &passages.parsed, at);
                    let length = f32::from(u16::try_from(symbol.name.len()).unwrap_or(u16::MAX));
                    // Among longer names the shortest ranks first.
                    let score = if matches!(how, Match::Longer) { score * 10.0 / (10.0 + length) } else { score };
                    of_symbol(path, hash, symbol, score)
                });
                made.collect::<Vec<_>>()
            })
            .collect();
        hits.sort_by(order);
        hits
    }

    /// The files that may define a name, likely ones first.
    fn files_with(&self, name: &Name, how: Match) -> Vec<Arc<Path>> {
        let state = self.index.state();
        let vocabulary = &state.vocabulary;
        let ids: Vec<u32> = match how {
            Match::Exact => vocabulary.id(&name.text).into_iter().collect(),
            Match::Folded => vocabulary.folded(&name.text).to_vec(),
            Match::Longer => {
                let wanted = parts(&name.text);
                let Some(rarest) = wanted.iter().map(|part| vocabulary.with_part(part)).min_by_key(|ids| ids.len())
                else {
                    return vec![];
                };
                let has_all = |id: &&u32| {
                    let own = parts(vocabulary.name(**id));
                    wanted.iter().all(|part| own.contains(part))
                };
                rarest.iter().take(20_000).filter(has_all).copied().collect()
            }
        };
        let mut files: Vec<(bool, f32, Arc<Path>)> = Vec::new();
        for posting in ids.iter().flat_map(|id| vocabulary.postings(*id)) {
            if let Some(file) = state.file(posting.file).filter(|file| self.wanted.holds(&file.path, file.form)) {
                files.push((posting.may_define, file.weight, Arc::clone(&file.path)));
            }
        }
        drop(state);
        files.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| b.1.total_cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
        let mut files: Vec<_> = files.into_iter().map(|(.., path)| path).collect();
        let mut seen = std::collections::HashSet::new();
        files.retain(|path| seen.insert(Arc::clone(path)));
        files.truncate(MAX_FILES);
        files
    }

    /// Number of mentions of a name.
    pub(crate) fn mentions(&self, name: &str) -> Mentions {
        let state = self.index.state();
        let Some(id) = state.vocabulary.id(name) else { return Mentions::default() };
        let postings = state.vocabulary.postings(id).iter();
        let wanted = postings
            .filter(|posting| state.file(posting.file).is_some_and(|file| self.wanted.holds(&file.path, file.form)));
        wanted.fold(Mentions::default(), |sum, posting| Mentions {
            times: sum.times + u64::from(posting.count),
            files: sum.files + 1,
        })
    }

    /// The uses of a name, without comments, strings and definitions.
    pub(crate) fn references(&self, name: &Name) -> Vec<Hit> {
        let files = self.files_with(name, Match::Exact);
        let mut hits = Vec::new();
        for path in files {
            if self.sight.is_cancelled() {
                break;
            }
            let Some(fresh) = self.index.fresh(self.sight, &path, self.policy) else { continue };
            let hash = fresh.hash;
            let (lines, parsed) = (Lines::of(&fresh.text), &fresh.passages.parsed);
            let (weight, mut last) = (self.weight(&path), None);
            let searched = blank_credentials(self.sight, &path, &fresh.text);
            for word in words(&searched).filter(|word| word.text == name.text.as_bytes()) {
                let line = u32::try_from(lines.at(word.at)).unwrap_or(u32::MAX);
                if last == Some(line) || is_quiet(parsed, word.at) || is_name_of(parsed, line, &name.text) {
                    continue;
                }
                last = Some(line);
                hits.push(Hit::of_line(Layer::Structural, &path, hash, line, weight));
            }
        }
        hits.sort_by(order);
        hits
    }

    /// The definitions in files, in order: all of a single file, only outer ones of several.
    pub(crate) fn outline(&self, query: Option<&Query>) -> Vec<Hit> {
        let mut files: Vec<Arc<Path>> = {
            let state = self.index.state();
            let wanted =
                state.files().filter(|(_, file)| file.form != "text" && self.wanted.holds(&file.path, file.form));
            wanted.map(|(_, file)| Arc::clone(&file.path)).collect()
        };
        files.sort_unstable();
        files.truncate(10 * MAX_FILES);
        let deepest = if files.len() == 1 { u16::MAX } else { 1 };
        let has_all = |symbol: &Symbol| {
            query.is_none_or(|query| {
                let own = parts(&symbol.name);
                query.parts.iter().all(|part| own.contains(part))
            })
        };
        let known: Vec<IndexedFile> = self.index.passages(self.sight, &files, self.policy);
        let shown = |(path, passages): &IndexedFile| {
            let hash = self.index.state().hash_of(path).unwrap_or_default();
            let symbols = passages.parsed.symbols.iter();
            let shown = symbols.filter(|symbol| {
                let deepest = if query.is_some() { u16::MAX } else { deepest };
                symbol.depth <= deepest && has_all(symbol) && (deepest > 1 || is_telling(symbol, passages))
            });
            shown.map(|symbol| of_symbol(path, hash, symbol, 1.0)).collect::<Vec<_>>()
        };
        known.iter().flat_map(shown).collect()
    }

    fn weight(&self, path: &Path) -> f32 {
        self.index.state().file_at(path).map_or(1.0, |file| file.weight)
    }
}

/// Whether a definition belongs in the outline of a folder: tests in a file and enum variants do
/// not.
fn is_telling(symbol: &Symbol, passages: &Passages) -> bool {
    let is_in_tests = passages
        .parsed
        .symbols
        .iter()
        .any(|outer| &*outer.name == "tests" && outer.start <= symbol.start && outer.end >= symbol.end);
    symbol.kind != "variant" && !is_in_tests
}

#[derive(Debug, Clone, Copy)]
enum Match {
    Exact,
    Folded,
    Longer,
}

impl Match {
    fn means(self, symbol: &Symbol, name: &str, wanted: &[String]) -> bool {
        match self {
            Self::Exact => &*symbol.name == name,
            Self::Folded => symbol.name.to_lowercase() == name.to_lowercase(),
            Self::Longer => {
                let own = parts(&symbol.name);
                !wanted.is_empty() && wanted.iter().all(|part| own.contains(part))
            }
        }
    }

    fn worth(self) -> f32 {
        match self {
            Self::Exact => EXACT,
            Self::Folded => FOLDED,
            Self::Longer => LONGER,
        }
    }
}

/// Weight of a kind of definition: a declaration ranks below the definition.
fn kind_weight(symbol: &Symbol) -> f32 {
    match symbol.kind {
        "declaration" => 0.8,
        "variant" | "variable" | "module" => 0.9,
        _ => 1.0,
    }
}

/// Weight of a definition by the scope that the query names.
fn lies_in(name: &Name, path: &Path, parsed: &Parsed, at: usize) -> f32 {
    let Some(within) = &name.within else { return 1.0 };
    let symbol = &parsed.symbols[at];
    let holds = |outer: &Symbol| outer.start <= symbol.start && outer.end >= symbol.end && outer != symbol;
    let is_named = |outer: &Symbol| words(outer.name.as_bytes()).any(|word| word.text == within.as_bytes());
    if parsed.symbols.iter().any(|outer| holds(outer) && is_named(outer)) {
        return 3.0;
    }
    let head = symbol.signature.as_bytes();
    if words(head).any(|word| word.text == within.as_bytes()) {
        return 2.5;
    }
    let in_path = path
        .components()
        .any(|part| part.as_os_str().to_str().is_some_and(|part| part.split('.').next() == Some(within.as_str())));
    if in_path { 2.0 } else { 1.0 }
}

/// Orders by score, best first; ties by path and line.
pub(crate) fn order(a: &Hit, b: &Hit) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score).then_with(|| a.path.cmp(&b.path)).then_with(|| a.line.cmp(&b.line))
}

fn of_symbol(path: &Arc<Path>, hash: u64, symbol: &Symbol, score: f32) -> Hit {
    Hit {
        layers: vec![Layer::Structural],
        path: Arc::clone(path),
        hash,
        line: symbol.line,
        first: symbol.lead,
        last: symbol.end,
        symbol: Some(HitSymbol::of(symbol)),
        score,
    }
}

impl HitSymbol {
    pub(crate) fn of(symbol: &Symbol) -> Self {
        let Symbol { name, kind, signature, depth, column, .. } = symbol;
        Self { name: name.clone(), kind, signature: signature.clone(), depth: *depth, column: *column }
    }
}

fn is_quiet(parsed: &Parsed, at: usize) -> bool {
    let before = parsed.quiet.partition_point(|range| range.start as usize <= at);
    before.checked_sub(1).is_some_and(|last| parsed.quiet[last].end as usize > at)
}

fn is_name_of(parsed: &Parsed, line: u32, name: &str) -> bool {
    parsed.symbols.iter().any(|symbol| symbol.line == line && &*symbol.name == name && !symbol.is_container)
}
