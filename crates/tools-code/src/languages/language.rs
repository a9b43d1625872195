//! Description of a language: its file names, its grammar, and the nodes that are definitions. Each
//! language is one file beside this one and a line in `mod.rs`.

use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Query};

/// One language.
///
/// The query captures definitions as `@definition.KIND` with their `@name`, nodes that only contain
/// definitions (an `impl`) as `@container.KIND`, and comments and strings as `@quiet`: names in
/// those are mentions, not uses.
pub(crate) struct Language {
    /// Its usual name.
    pub(crate) name: &'static str,
    /// Its name in the Language Server Protocol.
    pub(crate) id: &'static str,
    /// Its other names.
    pub(crate) aliases: &'static [&'static str],
    /// Its file name extensions, without the dot.
    pub(crate) extensions: &'static [&'static str],
    pub(crate) grammar: fn() -> Grammar,
    pub(crate) query: &'static str,
    /// Beginnings of lines that belong to the definition below them: comments, attributes,
    /// decorators.
    pub(crate) leads: &'static [&'static str],
    pub(crate) compiled: OnceLock<Option<Compiled>>,
}

/// A grammar with its query.
pub(crate) struct Compiled {
    pub(crate) grammar: Grammar,
    pub(crate) query: Query,
    /// Meaning of each capture of the query.
    pub(crate) captures: Vec<Capture>,
}

/// Meaning of a capture of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capture {
    Name,
    Definition(&'static str),
    Container(&'static str),
    Quiet,
    Other,
}

/// The kinds of definitions; symbols refer to these strings.
const KINDS: &[&str] = &[
    "function",
    "method",
    "class",
    "struct",
    "enum",
    "union",
    "interface",
    "trait",
    "type",
    "module",
    "macro",
    "constant",
    "static",
    "variable",
    "variant",
    "declaration",
    "impl",
    "heading",
];

impl Language {
    /// The grammar and its query; `None` if they do not fit, which a test rules out.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        let compile = || {
            let grammar = (self.grammar)();
            let query = Query::new(&grammar, self.query);
            let query = query.inspect_err(|error| tracing::error!("query of {}: {error}", self.name)).ok()?;
            let captures = query.capture_names().iter().map(|name| Capture::of(name)).collect();
            Some(Compiled { grammar, query, captures })
        };
        self.compiled.get_or_init(compile).as_ref()
    }
}

impl Capture {
    fn of(name: &str) -> Self {
        let kind = |text: &str| KINDS.iter().find(|kind| **kind == text).copied();
        match name.split_once('.') {
            None if name == "name" => Self::Name,
            None if name == "quiet" => Self::Quiet,
            Some(("definition", text)) => kind(text).map_or(Self::Other, Self::Definition),
            Some(("container", text)) => kind(text).map_or(Self::Other, Self::Container),
            _ => Self::Other,
        }
    }
}
