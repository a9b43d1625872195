//! Regular expressions that are compiled at run time: those with capture groups, and those of the
//! user.

use std::{
    panic::{RefUnwindSafe, UnwindSafe},
    sync::Arc,
};

use regex::{Regex, RegexBuilder};
use regex_automata::{
    Anchored, Input,
    hybrid::{
        BuildError,
        dfa::{Cache, DFA},
    },
    nfa::thompson::{self, WhichCaptures},
    util::{pool::Pool, syntax},
};

use tools_automata::ascii;

/// Compiles a pattern of the source code that has capture groups.
pub(crate) fn regex(pattern: &str) -> Regex {
    RegexBuilder::new(&ascii(pattern)).build().expect("the pattern is a constant that a test compiles")
}

type Caches = Pool<Cache, Box<dyn Fn() -> Cache + Send + Sync + UnwindSafe + RefUnwindSafe>>;

/// Tells whether a line matches, and nothing else. Without support for positions and groups it is
/// built in a fifth of the time.
#[derive(Clone)]
pub(crate) struct Automaton(Arc<(DFA, Anchored, Caches)>);

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Automaton")
    }
}

impl Automaton {
    /// Matches bytes if the pattern allows it, otherwise characters.
    pub(crate) fn new(pattern: &str, size: usize) -> Result<Self, Box<BuildError>> {
        let pattern = ascii(pattern);
        let build = |unicode| {
            let thompson = thompson::Config::new().utf8(false).which_captures(WhichCaptures::None);
            DFA::builder()
                .syntax(syntax::Config::new().unicode(unicode).utf8(false))
                .thompson(thompson.nfa_size_limit(Some(size)))
                .configure(DFA::config().skip_cache_capacity_check(true))
                .build(&pattern)
                .map_err(Box::new)
        };
        let dfa = build(false).or_else(|_| build(true))?;
        let is_anchored = dfa.get_nfa().is_always_start_anchored();
        let maker = dfa.clone();
        let caches: Caches = Pool::new(Box::new(move || maker.create_cache()));
        Ok(Self(Arc::new((dfa, if is_anchored { Anchored::Yes } else { Anchored::No }, caches))))
    }

    pub(crate) fn is_match(&self, line: &str) -> bool {
        let (dfa, anchored, caches) = self.0.as_ref();
        let input = Input::new(line).anchored(*anchored).earliest(true);
        // The search cannot fail: no byte ends it, and the cache may be cleared as often as needed.
        dfa.try_search_fwd(&mut caches.get(), &input).is_ok_and(|found| found.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_ascii_inside_and_outside_of_brackets() {
        let regex = regex(r"^\b\d+[\w.]\s\\d$");
        assert!(regex.is_match(r"12x \d"));
        assert!(!regex.is_match("١x \\d"));
    }

    #[test]
    fn a_class_of_characters_is_one_among_bytes() {
        assert_eq!(ascii("[a-z]é[^]✓]x[]✓]"), "[a-z]é(?u:[^]✓])x(?u:[]✓])");
        let automaton = Automaton::new("^[✓√]+ é{2}$", 1 << 20).unwrap();
        assert!(automaton.is_match("✓√ éé"));
        assert!(!automaton.is_match("✓ é"));
        assert!(Automaton::new(r"^\p{L}$", 1 << 20).unwrap().is_match("é"));
        assert!(Automaton::new(r"b$", 1 << 20).unwrap().is_match("ab"));
    }
}
