//! Matches many globs at once: finds the first of a list that matches a text, at a cost that hardly
//! grows with the list.
//!
//! Globs without wildcards, and those whose only wildcard is at the end, are found by a binary
//! search. Every other glob is tried only if the text has its beginning or its longest literal
//! piece, whichever fewer globs share; one automaton finds all such pieces in one pass.

use std::{borrow::Cow, collections::HashMap, sync::OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use globset::{Glob, GlobBuilder};
use tools_sandbox::CompiledGlob;

use super::alternatives::expanded;
use super::heads::{HeadTreeBuilder, Heads};

/// Maximum number of alternatives that are expanded; globs with more are compared as one.
const MAX_CHOICES: usize = 512;

/// Separators that a wildcard may cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeparatorRule {
    /// `*` matches anything.
    Everything,
    /// `*` stays within one folder.
    Folders,
}

/// A list of globs, numbered.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    heads: Heads,
    globs: Vec<NumberedMatcher>,
    /// Finds the pieces; `owners` has the globs of each piece.
    pieces: Option<AhoCorasick>,
    owners: Vec<Vec<usize>>,
    /// Globs without a literal piece.
    always: Vec<usize>,
}

#[derive(Debug)]
struct NumberedMatcher {
    number: usize,
    matcher: Matcher,
}

/// Matcher of a glob that is not found by its beginning alone.
#[derive(Debug)]
enum Matcher {
    Ends(String),
    Contains(String),
    Glob {
        glob: Glob,
        /// Compiled on first use: most globs of a long list are never tried.
        compiled: OnceLock<CompiledGlob>,
    },
}

/// Compiles a glob; beyond the size limit of expressions it compares bytes.
pub(crate) fn compiled(glob: &Glob) -> CompiledGlob {
    CompiledGlob::try_new(glob).unwrap_or_else(|_| CompiledGlob::bytewise(glob))
}

/// Shape of a glob. Most patterns on commands have one of the first two.
enum Shape {
    Exactly(String),
    Begins(String),
    Other(Matcher),
}

impl Shape {
    fn parse(glob: &str, crossing: SeparatorRule) -> Result<Self, globset::Error> {
        if let Some(text) = literal(glob) {
            return Ok(Self::Exactly(text));
        }
        match crossing {
            SeparatorRule::Everything => {
                let inner = glob.strip_suffix('*').unwrap_or(glob);
                let inner = inner.strip_prefix('*').unwrap_or(inner);
                // A `\` before the last `*` escapes it, and then the rest is not a literal.
                if let Some(text) = literal(inner) {
                    return Ok(match (glob.starts_with('*'), glob.len() > 1 && glob.ends_with('*')) {
                        (true, true) => Self::Other(Matcher::Contains(text)),
                        (true, false) => Self::Other(Matcher::Ends(text)),
                        (false, _) => Self::Begins(text),
                    });
                }
            }
            SeparatorRule::Folders => {
                let folder = glob.strip_suffix("/**").filter(|folder| !folder.is_empty());
                if let Some(folder) = folder.and_then(literal) {
                    return Ok(Self::Begins(folder + "/"));
                }
            }
        }
        Ok(Self::Other(Matcher::Glob { glob: parse(glob, crossing)?, compiled: OnceLock::new() }))
    }
}

impl Matcher {
    fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Ends(end) => text.ends_with(end),
            Self::Contains(piece) => text.contains(piece),
            Self::Glob { glob, compiled } => compiled.get_or_init(|| self::compiled(glob)).is_match(text),
        }
    }
}

/// The expansions of a glob with `{a,b}`, each of which is found by its own beginning. `**` beside
/// a brace has another meaning than beside a slash: globs on paths, and those with `**`, are not
/// expanded.
fn choices(glob: &str, crossing: SeparatorRule) -> Vec<Cow<'_, str>> {
    if !glob.contains('{') {
        return vec![glob.into()];
    }
    let is_apart = crossing == SeparatorRule::Everything && !glob.contains("**");
    let each = if is_apart { expanded(glob, MAX_CHOICES) } else { None };
    // An empty alternative between two stars would create `**`.
    let each = each.filter(|each| each.iter().all(|glob| !glob.contains("**")));
    each.unwrap_or_else(|| vec![glob.into()])
}

/// Whether a glob is certainly valid: it has no characters that must be paired.
pub(crate) fn is_plain(glob: &str) -> bool {
    !glob.contains(['[', ']', '{', '}', '\\'])
}

/// Parses one glob.
pub(crate) fn parse(glob: &str, crossing: SeparatorRule) -> Result<Glob, globset::Error> {
    GlobBuilder::new(glob)
        .literal_separator(crossing == SeparatorRule::Folders)
        .backslash_escape(true)
        .empty_alternates(true)
        .build()
}

impl Patterns {
    /// Compiles numbered globs; of two equal globs, the lower number applies.
    pub(crate) fn compile(list: &[(usize, String)], crossing: SeparatorRule) -> Result<Self, globset::Error> {
        let mut patterns = Self::default();
        let mut heads = HeadTreeBuilder::default();
        let mut others = Vec::new();
        for (number, text) in list {
            for text in choices(text, crossing) {
                match Shape::parse(&text, crossing)? {
                    Shape::Exactly(literal) => heads.add_exact(literal, *number),
                    Shape::Begins(head) => heads.beginning(head, *number),
                    Shape::Other(matcher) => {
                        patterns.globs.push(NumberedMatcher { number: *number, matcher });
                        others.push((head(&text), longest_piece(&text)));
                    }
                }
            }
        }
        let (mut with_head, mut with_piece) = (HashMap::new(), HashMap::new());
        for (head, piece) in &others {
            if let Some(head) = head {
                *with_head.entry(head.clone()).or_insert(0_usize) += 1;
            }
            if let Some(piece) = piece {
                *with_piece.entry(piece.clone()).or_insert(0_usize) += 1;
            }
        }
        let mut pieces: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, found) in others.into_iter().enumerate() {
            match found {
                (Some(head), Some(piece)) if with_head[&head] > with_piece[&piece] => {
                    pieces.entry(piece).or_default().push(position);
                }
                (Some(head), _) => heads.add_prefix(head, position),
                (None, Some(piece)) => pieces.entry(piece).or_default().push(position),
                (None, None) => patterns.always.push(position),
            }
        }
        patterns.heads = heads.done();
        let (pieces, owners): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
        patterns.owners = owners;
        if !pieces.is_empty() {
            // Fails only beyond 2^31 states; then every glob is tried, which is slow but correct.
            match AhoCorasick::builder().match_kind(MatchKind::Standard).build(&pieces) {
                Ok(automaton) => patterns.pieces = Some(automaton),
                Err(_) => patterns.always = (0..patterns.globs.len()).collect(),
            }
        }
        Ok(patterns)
    }

    /// The lowest number of a glob without wildcards that equals this text.
    pub(crate) fn literally(&self, text: &str) -> Option<usize> {
        self.heads.exact(text)
    }

    /// The lowest number of a glob that matches.
    pub(crate) fn first(&self, text: &str) -> Option<usize> {
        let mut tried = None;
        let mut consider = |position: usize| {
            let glob = &self.globs[position];
            if tried.is_none_or(|best| glob.number < best) && glob.matcher.is_match(text) {
                tried = Some(glob.number);
            }
        };
        self.always.iter().copied().for_each(&mut consider);
        let found = self.heads.find(text, &mut consider);
        if let Some(pieces) = &self.pieces {
            // A piece that occurs twice is tried twice, which is cheaper than remembering it.
            for piece in pieces.find_overlapping_iter(text) {
                self.owners[piece.pattern().as_usize()].iter().copied().for_each(&mut consider);
            }
        }
        [found, tried].into_iter().flatten().min()
    }
}

/// Whether a glob has no wildcards.
pub(crate) fn is_literal(glob: &str) -> bool {
    let mut bytes = glob.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'*' | b'?' | b'[' | b']' | b'{' | b'}' => return false,
            b'\\' if bytes.next().is_none() => return false,
            _ => {}
        }
    }
    true
}

/// The text that a glob without wildcards matches; `None` for every other glob.
pub(crate) fn literal(glob: &str) -> Option<String> {
    if !is_literal(glob) {
        return None;
    }
    if !glob.contains('\\') {
        return Some(glob.to_owned());
    }
    let mut text = String::with_capacity(glob.len());
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            other => text.push(other),
        }
    }
    Some(text)
}

/// A glob that matches only this text.
pub(crate) fn escape(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            glob.push('\\');
        }
        glob.push(character);
    }
    glob
}

/// The beginning that all matches share; `None` if there is none.
fn head(glob: &str) -> Option<String> {
    let mut head = String::new();
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' | '?' | '[' | '{' => break,
            '\\' => head.extend(characters.next()),
            other => head.push(other),
        }
    }
    // `a/**` may end at `a`, and `**/a` begin with it.
    if glob.contains("**") {
        head.truncate(head.trim_end_matches('/').len());
    }
    (!head.is_empty()).then_some(head)
}

/// The longest text that every match contains.
fn longest_piece(glob: &str) -> Option<String> {
    let mut pieces = vec![String::new()];
    let mut depth = 0_usize;
    let mut characters = glob.chars();
    while let Some(character) = characters.next() {
        match character {
            '*' | '?' => pieces.push(String::new()),
            '[' => {
                // A `]` directly after the bracket, or after its negation, belongs to the class.
                let mut class = characters.as_str();
                class = class.strip_prefix(['!', '^']).unwrap_or(class);
                class = class.strip_prefix(']').unwrap_or(class);
                characters = class.split_once(']').map_or("", |(_, rest)| rest).chars();
                pieces.push(String::new());
            }
            '{' => {
                depth += 1;
                pieces.push(String::new());
            }
            '}' => {
                depth = depth.saturating_sub(1);
                pieces.push(String::new());
            }
            '\\' => {
                if let Some(next) = characters.next()
                    && depth == 0
                    && let Some(piece) = pieces.last_mut()
                {
                    piece.push(next);
                }
            }
            other if depth == 0 => pieces.last_mut()?.push(other),
            _ => {}
        }
    }
    // `**/` and `/**` may match the empty text, including their slash.
    pieces
        .iter()
        .map(|piece| piece.trim_matches('/'))
        .max_by_key(|piece| piece.len())
        .filter(|piece| !piece.is_empty())
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn literals_and_pieces() {
        let check = |glob: &str, expected: (Option<&str>, Option<&str>)| {
            let found = (literal(glob), longest_piece(glob));
            assert_eq!((found.0.as_deref(), found.1.as_deref()), expected, "{glob}");
        };
        check("cargo test", (Some("cargo test"), Some("cargo test")));
        check(r"a\*b", (Some("a*b"), Some("a*b")));
        check("cargo *", (None, Some("cargo ")));
        check("*", (None, None));
        check("[abc]", (None, None));
        check("[]x]yz*", (None, Some("yz")));
        check("{aaaa,bbbb}c?dd", (None, Some("dd")));
        check("{a{b,c},d}*e", (None, Some("e")));
        check("./**/.env", (None, Some(".env")));
        check("/etc/**", (None, Some("etc")));
    }

    #[test]
    fn heads_are_what_every_match_begins_with() {
        let check = |glob: &str, expected: Option<&str>| assert_eq!(head(glob).as_deref(), expected, "{glob}");
        check("git *push*", Some("git "));
        check(r"a\*b*c", Some("a*b"));
        check("*x", None);
        check("/a/**/b*", Some("/a"));
        check("./**/x*", Some("."));
        check("{a,b}*c", None);
    }

    #[test]
    fn the_first_match_wins_however_it_is_found() {
        let list: Vec<_> = ["x?z", "abc", "a*", "*", "abc"]
            .iter()
            .enumerate()
            .map(|(number, glob)| (number, (*glob).to_owned()))
            .collect();
        let patterns = Patterns::compile(&list, SeparatorRule::Everything).unwrap();
        for (text, first) in [("abc", 1), ("abd", 2), ("xyz", 0), ("", 3), ("xz", 3)] {
            assert_eq!(patterns.first(text), Some(first), "{text}");
        }
        assert_eq!(Patterns::compile(&[], SeparatorRule::Folders).unwrap().first("a"), None);
    }

    /// A piece of a glob, for a simple reference matcher.
    #[derive(Debug, Clone)]
    enum Piece {
        Text(String),
        One,
        Any,
        Class { is_negated: bool, from: char, to: char },
        Either(Vec<String>),
    }

    impl Piece {
        fn write(&self) -> String {
            match self {
                Self::Text(text) => escape(text),
                Self::One => "?".to_owned(),
                Self::Any => "*".to_owned(),
                Self::Class { is_negated, from, to } => format!("[{}{from}-{to}]", if *is_negated { "!" } else { "" }),
                Self::Either(texts) => format!("{{{}}}", texts.join(",")),
            }
        }

        fn is_match(pieces: &[Self], text: &str, crossing: SeparatorRule) -> bool {
            let Some((piece, rest)) = pieces.split_first() else { return text.is_empty() };
            let behind = |text: &str| Self::is_match(rest, text, crossing);
            let crosses = |one: char| crossing == SeparatorRule::Everything || one != '/';
            let mut characters = text.chars();
            let first = characters.next();
            match piece {
                Self::Text(begin) => text.strip_prefix(begin.as_str()).is_some_and(behind),
                Self::One => first.is_some_and(crosses) && behind(characters.as_str()),
                Self::Any => {
                    behind(text)
                        || (first.is_some_and(crosses) && Self::is_match(pieces, characters.as_str(), crossing))
                }
                Self::Class { is_negated, from, to } => {
                    first.is_some_and(|one| (*from..=*to).contains(&one) != *is_negated) && behind(characters.as_str())
                }
                Self::Either(texts) => texts.iter().any(|begin| text.strip_prefix(begin.as_str()).is_some_and(behind)),
            }
        }
    }

    fn globs() -> impl Strategy<Value = Vec<Piece>> {
        let text = || "[abäσ€/]{0,2}";
        let range = (prop::sample::select(vec!['a', 'b', 'ß']), prop::sample::select(vec!['b', 'ä', '€']));
        let class = (any::<bool>(), range).prop_filter_map("a range upwards", |(is_negated, (from, to))| {
            (from <= to).then_some(Piece::Class { is_negated, from, to })
        });
        let piece = prop_oneof![
            3 => text().prop_map(Piece::Text),
            1 => Just(Piece::One),
            1 => Just(Piece::Any),
            1 => class,
            1 => prop::collection::vec(text(), 2..4).prop_map(Piece::Either),
        ];
        prop::collection::vec(piece, 0..6).prop_map(|mut pieces| {
            pieces.retain(|piece| !matches!(piece, Piece::Text(text) if text.is_empty()));
            pieces.dedup_by(|a, b| matches!((a, b), (Piece::Any, Piece::Any)));
            pieces
        })
    }

    #[test]
    fn wildcards_stand_for_characters_and_an_alternative_may_be_empty() {
        let check = |glob: &str, text: &str, expected: bool| {
            for crossing in [SeparatorRule::Everything, SeparatorRule::Folders] {
                let patterns = Patterns::compile(&[(0, glob.to_owned())], crossing).unwrap();
                assert_eq!(patterns.first(text).is_some(), expected, "{glob}: {text}");
            }
        };
        check("secret{,.bak}", "secret", true);
        check("secret{,.bak}", "secret.bak", true);
        check("secret{,.bak}", "secret.", false);
        check("*{,a}*/", "", false);
        for glob in ["geheim-?.txt", "geheim-[äö].txt", "geheim-[!a].txt", "geheim-[ß-ü].txt", "*-[!a].txt"] {
            check(glob, "geheim-ä.txt", true);
            check(glob, "geheim-ää.txt", false);
            check(glob, "geheim-.txt", false);
        }
        check("foo ?", "foo é", true);
    }

    proptest! {
        #[test]
        fn many_globs_at_once_find_what_a_plain_matcher_finds(
            globs in prop::collection::vec(globs(), 0..8),
            text in "[abäöσ€/]{0,6}",
            folders in any::<bool>(),
        ) {
            let crossing = if folders { SeparatorRule::Folders } else { SeparatorRule::Everything };
            let list: Vec<_> = globs.iter().map(|glob| glob.iter().map(Piece::write).collect()).enumerate().collect();
            let expected = globs.iter().position(|glob| Piece::is_match(glob, &text, crossing));
            prop_assert_eq!(Patterns::compile(&list, crossing).unwrap().first(&text), expected, "{:?}", list);
        }

        #[test]
        fn many_globs_at_once_find_what_each_alone_finds(
            globs in prop::collection::vec("([ab/]|\\*|\\?|\\[ab\\]|\\{a,b/\\}|\\{,a\\}|/\\*\\*/){0,6}", 0..8),
            text in "[ab/]{0,6}",
            folders in any::<bool>(),
        ) {
            let crossing = if folders { SeparatorRule::Folders } else { SeparatorRule::Everything };
            let list: Vec<_> = globs.iter().cloned().enumerate().collect();
            let one_by_one = globs.iter().position(|glob| match literal(glob) {
                Some(literal) => literal == text,
                None => parse(glob, crossing).unwrap().compile_matcher().is_match(&text),
            });
            prop_assert_eq!(Patterns::compile(&list, crossing).unwrap().first(&text), one_by_one);
        }

        #[test]
        fn an_escaped_text_matches_itself_only(text in any::<String>(), other in any::<String>()) {
            let glob = escape(&text);
            prop_assert_eq!(literal(&glob), Some(text.clone()));
            let patterns = Patterns::compile(&[(0, glob)], SeparatorRule::Everything).unwrap();
            prop_assert_eq!(patterns.first(&text), Some(0));
            prop_assert_eq!(patterns.first(&other).is_some(), other == text);
        }
    }
}
