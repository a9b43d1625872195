//! The options of a description by their spellings, built from its table once.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use super::spec::Syntax;

/// Whether an option has a value, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    Flag,
    Valued,
    Optional,
    /// Has a value, and ends the options.
    Last,
}

/// An option: its spellings as in the description, and the form of its value.
pub(super) type OptionEntry = (&'static str, ValueForm);

/// Identity of a syntax: addresses and lengths of its lists.
type Key = [(usize, usize); 4];

/// The options of one syntax.
pub(super) struct Index {
    /// Every option, in the order of the description.
    pub(super) all: Vec<OptionEntry>,
    by_name: HashMap<&'static str, OptionEntry>,
    /// Fixed beginnings of the spellings that end in `*`.
    beginnings: Vec<(&'static str, OptionEntry)>,
}

impl Index {
    /// The index of a syntax. Descriptions are constants, so the number of indexes is bounded.
    pub(super) fn of(syntax: &Syntax) -> &'static Self {
        static MADE: LazyLock<RwLock<HashMap<Key, &'static Index>>> = LazyLock::new(RwLock::default);
        let lists = [syntax.flags, syntax.valued, syntax.optional, syntax.last];
        let key = lists.map(|list| (list.as_ptr().addr(), list.len()));
        if let Some(index) = MADE.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return index;
        }
        let index: &'static Self = Box::leak(Box::new(Self::new(syntax)));
        MADE.write().unwrap_or_else(PoisonError::into_inner).insert(key, index);
        index
    }

    fn new(syntax: &Syntax) -> Self {
        let list =
            |list: &'static str, meaning: ValueForm| list.split_ascii_whitespace().map(move |one| (one, meaning));
        let all: Vec<OptionEntry> = list(syntax.flags, ValueForm::Flag)
            .chain(list(syntax.valued, ValueForm::Valued))
            .chain(list(syntax.optional, ValueForm::Optional))
            .chain(list(syntax.last, ValueForm::Last))
            .collect();
        let mut by_name = HashMap::new();
        let mut beginnings = Vec::new();
        for listed in &all {
            for name in listed.0.split('|') {
                by_name.entry(name).or_insert(*listed);
                beginnings.extend(name.strip_suffix('*').map(|start| (start, *listed)));
            }
        }
        Self { all, by_name, beginnings }
    }

    /// The option with exactly this spelling.
    pub(super) fn whole(&self, name: &str) -> Option<OptionEntry> {
        self.by_name.get(name).copied()
    }

    /// The option whose `*` spelling matches an argument, and the rest of the argument.
    pub(super) fn prefix<'a>(&self, text: &'a str) -> Option<(&'static str, &'a str)> {
        self.beginnings.iter().find_map(|(start, listed)| Some((listed.0, text.strip_prefix(start)?)))
    }
}
