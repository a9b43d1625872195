//! Globs on absolute paths. Few are ever compiled: patterns for a path, a name or an extension are
//! looked up in tables, and a wildcard is tried only if the path contains its literal text.

use std::{collections::HashSet, os::unix::ffi::OsStrExt as _, path::Path, sync::OnceLock};

use globset::{Glob, GlobBuilder, GlobMatcher};
use memchr::memmem;
use regex::Regex;
use tools_core::by_characters;

use crate::{PathError, alternatives::written_out};

/// Globs on paths.
#[derive(Debug, Default)]
pub(crate) struct Globs {
    /// Each configured glob with the absolute patterns that it expands to.
    pub(crate) patterns: Vec<(String, Vec<String>)>,
    /// Built at the first comparison: a process that only judges commands never needs it.
    sorted: OnceLock<Sorted>,
}

/// Patterns by the kind of comparison they need.
#[derive(Debug, Default)]
struct Sorted {
    paths: HashSet<Vec<u8>>,
    /// `**/NAME`.
    names: HashSet<Vec<u8>>,
    /// `**/*.ENDING`.
    endings: HashSet<Vec<u8>>,
    wildcards: Vec<Wildcard>,
}

/// A pattern that is compared as a whole.
#[derive(Debug)]
struct Wildcard {
    /// Index of the configured glob it came from.
    number: usize,
    pattern: String,
    literal: Literal,
    compiled: OnceLock<CompiledGlob>,
}

/// Text that every matching path contains.
#[derive(Debug)]
enum Literal {
    Beginning(Vec<u8>),
    /// Anywhere; may be empty.
    Part(Vec<u8>),
}

/// A compiled glob, whose single-character wildcards match a character and not a byte.
#[derive(Debug)]
pub struct CompiledGlob(Matcher);

#[derive(Debug)]
enum Matcher {
    Bytes(GlobMatcher),
    /// The glob has single-character wildcards, which would otherwise match bytes.
    Characters(Regex),
}

impl Globs {
    pub(crate) fn new(patterns: Vec<(String, Vec<String>)>) -> Self {
        Self { patterns, sorted: OnceLock::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    pub(crate) fn is_match(&self, path: &Path) -> bool {
        let Sorted { paths, names, endings, wildcards } = self.sorted();
        let bytes = path.as_os_str().as_bytes();
        let name = &bytes[memchr::memrchr(b'/', bytes).map_or(0, |slash| slash + 1)..];
        paths.contains(bytes)
            || names.contains(name)
            || memchr::memrchr(b'.', name).is_some_and(|dot| endings.contains(&name[dot + 1..]))
            || wildcards.iter().any(|wildcard| wildcard.is_match(path))
    }

    /// Compiles all of them now, to find invalid ones.
    ///
    /// # Errors
    /// [`PathError::Glob`] for the first invalid glob.
    pub(crate) fn check(&self) -> Result<(), PathError> {
        let empty = self.patterns.iter().position(|(glob, _)| glob.is_empty());
        let empty = empty.map(|number| (number, "it is empty".to_owned()));
        let invalid = |wildcard: &Wildcard| Some((wildcard.number, wildcard.compiled().err()?));
        let invalid = self.sorted().wildcards.iter().find_map(invalid);
        match [empty, invalid].into_iter().flatten().min_by_key(|(number, _)| *number) {
            Some((number, problem)) => Err(PathError::Glob { glob: self.patterns[number].0.clone(), problem }),
            None => Ok(()),
        }
    }

    fn sorted(&self) -> &Sorted {
        self.sorted.get_or_init(|| Sorted::new(&self.patterns))
    }
}

impl Sorted {
    fn new(globs: &[(String, Vec<String>)]) -> Self {
        let mut sorted = Self::default();
        for (number, (_, spellings)) in globs.iter().enumerate() {
            spellings.iter().flat_map(|spelling| written_out(spelling)).for_each(|pattern| sorted.add(number, pattern));
        }
        sorted
    }

    fn add(&mut self, number: usize, pattern: String) {
        let rest = pattern.strip_prefix("**/");
        match (rest, rest.and_then(|rest| rest.strip_prefix("*."))) {
            (None, _) if is_literal(&pattern) => drop(self.paths.insert(pattern.into())),
            (Some(name), _) if is_name(name) => drop(self.names.insert(name.into())),
            (_, Some(ending)) if is_literal(ending) && !ending.contains(['.', '/']) => {
                self.endings.insert(ending.into());
            }
            _ => self.wildcards.push(Wildcard::new(number, pattern)),
        }
    }
}

impl Wildcard {
    fn new(number: usize, pattern: String) -> Self {
        let literal = if pattern.starts_with('/') {
            Literal::Beginning(pattern.split(META).next().unwrap_or_default().trim_end_matches('/').into())
        } else if pattern.contains(['{', '[']) {
            // A path need not contain every alternative.
            Literal::Part(Vec::new())
        } else {
            let pieces = pattern.split(META).map(|piece| piece.trim_matches('/'));
            Literal::Part(pieces.max_by_key(|piece| piece.len()).unwrap_or_default().into())
        };
        Self { number, pattern, literal, compiled: OnceLock::new() }
    }

    fn is_match(&self, path: &Path) -> bool {
        let bytes = path.as_os_str().as_bytes();
        let may_match = match &self.literal {
            Literal::Beginning(text) => bytes.starts_with(text),
            Literal::Part(text) => memmem::find(bytes, text).is_some(),
        };
        may_match && self.compiled().expect("globs that are not constants were compiled before").is_match(path)
    }

    fn compiled(&self) -> Result<&CompiledGlob, String> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let glob = parse(&self.pattern).map_err(|error| error.kind().to_string())?;
        let compiled = CompiledGlob::try_new(&glob).map_err(|error| error.to_string())?;
        // If two threads compile at once, one result is kept.
        Ok(self.compiled.get_or_init(|| compiled))
    }
}

impl CompiledGlob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// If the expression exceeds the size limit.
    pub fn try_new(glob: &Glob) -> Result<Self, regex::Error> {
        if !glob.glob().contains(['?', '[']) {
            return Ok(Self::bytewise(glob));
        }
        Regex::new(&by_characters(glob.regex())).map(|regex| Self(Matcher::Characters(regex)))
    }

    /// A glob whose single-character wildcards match a byte.
    pub fn bytewise(glob: &Glob) -> Self {
        Self(Matcher::Bytes(glob.compile_matcher()))
    }

    /// Whether it matches a path or a text.
    pub fn is_match(&self, text: impl AsRef<Path>) -> bool {
        match &self.0 {
            Matcher::Bytes(glob) => glob.is_match(text),
            // A byte that belongs to no character counts as a character.
            Matcher::Characters(regex) => regex.is_match(&text.as_ref().to_string_lossy()),
        }
    }
}

/// Parses a glob with the options of these rules.
fn parse(pattern: &str) -> Result<Glob, globset::Error> {
    // `*` stays inside one component: `secret/*` must not match more than it says, nor `**` less.
    GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).empty_alternates(true).build()
}

/// Characters that may have a special meaning.
const META: [char; 8] = ['*', '?', '[', ']', '{', '}', '\\', ','];

/// Whether a pattern has no special characters.
fn is_literal(pattern: &str) -> bool {
    !pattern.contains(META)
}

/// Whether a pattern is a plain name. `**/` is not: it matches everything.
fn is_name(pattern: &str) -> bool {
    !pattern.is_empty() && is_literal(pattern) && !pattern.contains('/')
}

#[cfg(test)]
mod tests {
    use globset::GlobSetBuilder;
    use proptest::prelude::*;

    use super::*;

    fn globs(patterns: &[String]) -> Globs {
        Globs::new(patterns.iter().map(|pattern| (pattern.clone(), vec![pattern.clone()])).collect())
    }

    #[test]
    fn a_wildcard_is_compiled_where_a_path_has_its_literal_text() {
        let globs = globs(&["/home/me/.config/a*".to_owned(), "**/secrets/**".to_owned(), "**/x.y*".to_owned()]);
        let compiled = || {
            let sorted = globs.sorted.get().unwrap();
            sorted.wildcards.iter().filter(|wildcard| wildcard.compiled.get().is_some()).count()
        };
        assert!(!globs.is_match(Path::new("/work/src/main.rs")));
        assert_eq!(compiled(), 0);
        assert!(globs.is_match(Path::new("/work/secrets/key")));
        assert_eq!(compiled(), 1);
    }

    #[test]
    fn a_name_that_may_be_missing_is_no_name() {
        let [everything, nothing, one] = [["**/"], ["**/{,}"], ["**/{,x}"]].map(|glob| globs(&glob.map(str::to_owned)));
        assert!(everything.is_match(Path::new("/a/b")) && !nothing.is_match(Path::new("/a/b")));
        assert!(one.is_match(Path::new("/a/x")) && !one.is_match(Path::new("/a/b")));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]
        #[test]
        fn they_match_what_a_set_of_them_matches(
            patterns in prop::collection::vec(
                prop_oneof!["/[ab.]{0,3}(/[ab.*]{1,3}){0,2}(/\\*\\*)?", r"\*\*/[ab.]{1,3}", r"\*\*/\*\.[ab.]{1,2}", r"(\*\*/)?[ab./*{},\\]{1,8}"],
                1..6,
            ),
            paths in prop::collection::vec("(/[ab.]{0,2}[ab][ab.]{0,2}){1,3}", 30),
        ) {
            let mut set = GlobSetBuilder::new();
            let valid: Vec<String> = patterns.into_iter().filter(|pattern| parse(pattern).is_ok()).collect();
            for pattern in &valid {
                set.add(parse(pattern).unwrap());
            }
            let (set, globs) = (set.build().unwrap(), globs(&valid));
            prop_assert!(globs.check().is_ok());
            for path in paths {
                prop_assert_eq!(set.is_match(&path), globs.is_match(Path::new(&path)), "{} of {:?}", path, valid);
            }
        }
    }
}
