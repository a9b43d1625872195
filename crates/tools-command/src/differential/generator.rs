//! Generates lines from the constructs of bash; the same seed gives the same lines.

use std::fmt::Write;

use super::constructs::RULES;

/// Maximum nesting of rules.
const DEEPEST: u32 = 7;

/// Pseudo-random numbers from a seed (xorshift64*).
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        // A few rounds separate similar seeds; zero would stay zero.
        let mut numbers = Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        (0..8).for_each(|_| _ = numbers.next());
        numbers
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % bound.max(1)
    }
}

/// The alternatives for each name in a grammar.
pub(super) type Rules = &'static [(&'static str, &'static [&'static str])];

/// One line in which `marker` is the program that must not run unseen.
pub(super) fn line(numbers: &mut Numbers, marker: &str) -> String {
    line_of(RULES, numbers, marker)
}

/// The same with other rules.
pub(super) fn line_of(rules: Rules, numbers: &mut Numbers, marker: &str) -> String {
    expand("‹line›", rules, numbers, marker, 0)
}

/// Lines that run a program with each of its options before the rest.
pub(super) fn option_lines<'a>(
    programs: impl IntoIterator<Item = (&'a str, &'a str)>,
    rest: impl Fn(&str) -> String,
) -> Vec<String> {
    programs.into_iter().map(|(program, option)| format!("{program} {option} {}", rest(program))).collect()
}

fn expand(form: &str, rules: Rules, numbers: &mut Numbers, marker: &str, depth: u32) -> String {
    let mut text = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('‹') {
        let (name, behind) = after.split_once('›').expect("a rule's name ends");
        text.push_str(before);
        match (name, name.strip_prefix("q:")) {
            ("M", _) => text.push_str(marker),
            (_, Some(quoted)) => {
                let inner = rule(quoted, rules, numbers, marker, depth);
                let _ = write!(text, "'{}'", inner.replace('\'', "'\\''"));
            }
            (name, None) => text.push_str(&rule(name, rules, numbers, marker, depth)),
        }
        rest = behind;
    }
    text.push_str(rest);
    text
}

fn rule(name: &str, rules: Rules, numbers: &mut Numbers, marker: &str, depth: u32) -> String {
    let (_, forms) = rules.iter().find(|(own, _)| *own == name).expect("every rule that is named is there");
    let form = if depth >= DEEPEST { forms[0] } else { forms[numbers.below(forms.len())] };
    expand(form, rules, numbers, marker, depth + 1)
}
