//! Minimal automata as rows of states, with equal states and equal columns merged.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use regex_automata::Anchored;
use regex_automata::dfa::{Automaton as _, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::{start, syntax};

/// Number of inputs of a state: every byte, and the end of the text.
const COLUMNS: usize = 257;

/// What reaching a state means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum StateKind {
    /// Nothing can match any more.
    Dead,
    /// Something matched.
    Match,
    /// The following input decides.
    Open,
}

/// An automaton. Its states are sorted by kind, so the number of a state shows its kind.
pub struct Automaton {
    pub(super) start: usize,
    meanings: Vec<StateKind>,
    /// For each state, the next state by class.
    pub(super) rows: Vec<Vec<usize>>,
    /// The class of each byte, and of the end of the text.
    pub(super) classes: Vec<usize>,
}

impl Automaton {
    /// The automaton that finds a match of the pattern anywhere in a text; `None` if it needs too
    /// many states.
    ///
    /// # Panics
    /// If the pattern is not a regular expression.
    pub fn of_pattern(pattern: &str) -> Option<Self> {
        let pattern = crate::ascii::ascii(pattern);
        // Over bytes if the pattern allows it, else over characters.
        let nfa = |unicode| {
            let thompson = thompson::Config::new().utf8(false).which_captures(WhichCaptures::None);
            let syntax = syntax::Config::new().unicode(unicode).utf8(false);
            thompson::NFA::compiler().syntax(syntax).configure(thompson).build(&pattern).map_err(Box::new)
        };
        let nfa = nfa(false).or_else(|_| nfa(true)).unwrap_or_else(|error| panic!("{pattern}: {error}"));
        let is_anchored = nfa.is_always_start_anchored();
        let config = dense::Config::new()
            .start_kind(if is_anchored { StartKind::Anchored } else { StartKind::Unanchored })
            .dfa_size_limit(Some(8 << 20))
            .determinize_size_limit(Some(64 << 20))
            .accelerate(false);
        let dfa = dense::Builder::new().configure(config).build_from_nfa(&nfa).ok()?;
        let anchored = if is_anchored { Anchored::Yes } else { Anchored::No };
        let start = dfa.start_state(&start::Config::new().anchored(anchored)).expect("no byte stands before a line");
        let meaning = |state: StateID| {
            assert!(!dfa.is_quit_state(state), "no byte ends a search");
            if dfa.is_match_state(state) {
                StateKind::Match
            } else if dfa.is_dead_state(state) {
                StateKind::Dead
            } else {
                StateKind::Open
            }
        };
        let next = |state: StateID, column: usize| match u8::try_from(column) {
            Ok(byte) => dfa.next_state(state, byte),
            Err(_) => dfa.next_eoi_state(state),
        };
        Some(Self::explored(start, meaning, next))
    }

    /// The automaton of all states that can be reached from `start`.
    fn explored<S: Copy + Eq + Hash>(start: S, meaning: impl Fn(S) -> StateKind, next: impl Fn(S, usize) -> S) -> Self {
        let mut numbers = HashMap::from([(start, 0)]);
        let mut states = vec![start];
        let mut rows: Vec<Vec<usize>> = Vec::new();
        while let Some(state) = states.get(rows.len()).copied() {
            let row = (0..COLUMNS).map(|column| {
                let to = next(state, column);
                *numbers.entry(to).or_insert_with(|| {
                    states.push(to);
                    states.len() - 1
                })
            });
            rows.push(row.collect());
        }
        let meanings = states.into_iter().map(meaning).collect();
        let (rows, classes) = without_equal_columns(&rows);
        Self { start: 0, meanings, rows, classes }.without_equal_states()
    }

    /// The same automaton with equivalent states merged, and with its states sorted by kind.
    fn without_equal_states(self) -> Self {
        let mut groups: Vec<usize> = numbered(self.meanings.iter());
        loop {
            let refined = numbered(self.rows.iter().zip(&groups).zip(&self.meanings).map(|((row, group), meaning)| {
                // The input after a match does not matter.
                let row = if *meaning == StateKind::Match { &[][..] } else { row.as_slice() };
                let mut hasher = DefaultHasher::new();
                group.hash(&mut hasher);
                for to in row {
                    groups[*to].hash(&mut hasher);
                }
                hasher.finish()
            }));
            let is_stable = refined.iter().max() == groups.iter().max();
            groups = refined;
            if is_stable {
                break;
            }
        }
        let count = groups.iter().max().map_or(0, |last| last + 1);
        let member = |group: usize| groups.iter().position(|of| *of == group).unwrap_or_default();
        let mut order: Vec<(StateKind, usize)> =
            (0..count).map(|group| (self.meanings[member(group)], group)).collect();
        order.sort_unstable();
        if order[0].0 != StateKind::Dead {
            order.insert(0, (StateKind::Dead, usize::MAX));
        }
        let place: HashMap<usize, usize> =
            order.iter().enumerate().map(|(place, (_, group))| (*group, place)).collect();
        let width = self.rows[0].len();
        assert!(order.get(1).is_some_and(|(kind, _)| *kind == StateKind::Match), "a pattern matches something");
        let rows = order.iter().enumerate().map(|(state, (kind, group))| match kind {
            StateKind::Open => self.rows[member(*group)].iter().map(|to| place[&groups[*to]]).collect(),
            // No input leaves these states.
            StateKind::Dead | StateKind::Match => vec![state; width],
        });
        Self {
            start: place[&groups[self.start]],
            rows: rows.collect(),
            meanings: order.iter().map(|(meaning, _)| *meaning).collect(),
            classes: self.classes,
        }
    }
}

#[cfg(test)]
impl Automaton {
    /// The table of this automaton, as if it had been written and included.
    pub(crate) fn leaked(&self) -> crate::Table {
        let number = |value: usize| u16::try_from(value).expect("an automaton has few states");
        let width = self.rows[0].len().next_power_of_two();
        let row = |row: &Vec<usize>| {
            let row: Vec<[u8; 2]> = row.iter().map(|state| number(*state).to_le_bytes()).collect();
            let fill = width - row.len();
            row.into_iter().chain(std::iter::repeat_n([0; 2], fill)).collect::<Vec<_>>()
        };
        let class = |class: &usize| u8::try_from(*class).expect("there are no more classes than bytes");
        let classes: Vec<u8> = self.classes.iter().map(class).collect();
        let (end, classes) = classes.split_last().expect("there is a class for the end");
        crate::Table {
            start: number(self.start),
            shift: width.trailing_zeros(),
            end: *end,
            classes: Box::leak(Box::<[u8; 256]>::try_from(classes.to_vec()).expect("one for each byte")),
            rows: self.rows.iter().flat_map(row).collect::<Vec<_>>().leak(),
        }
    }
}

/// Numbers the values from 0 in the order of their first occurrence; equal values get the same
/// number.
fn numbered<T: Eq + Hash>(values: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = HashMap::new();
    values
        .map(|value| {
            let next = numbers.len();
            *numbers.entry(value).or_insert(next)
        })
        .collect()
}

/// Rows by class instead of by byte, and the class of each column.
fn without_equal_columns(rows: &[Vec<usize>]) -> (Vec<Vec<usize>>, Vec<usize>) {
    let classes = numbered((0..COLUMNS).map(|column| rows.iter().map(|row| row[column]).collect::<Vec<_>>()));
    let count = classes.iter().max().map_or(0, |last| last + 1);
    let column = |class: usize| classes.iter().position(|of| *of == class).unwrap_or_default();
    let columns: Vec<usize> = (0..count).map(column).collect();
    (rows.iter().map(|row| columns.iter().map(|column| row[*column]).collect()).collect(), classes)
}
