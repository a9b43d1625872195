//! Brace expansion: `{a,b}` and `{1..3}` turn one word into several. Braces around anything but
//! plain text are left as they are, and the word is unknown.

use super::tree::{Part, Word};

/// Maximum number of words that braces may make of one word.
const MAX_WORDS: usize = 64;

/// A character of a word, or a quoted part that brace expansion does not look into.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Unit {
    Open(char),
    Closed(String),
}

impl Word {
    /// The words that braces make of this word. The word itself if it has no braces, or if they
    /// cannot be expanded here.
    pub(super) fn expanded(self) -> Vec<Self> {
        if !self.has_braces {
            return vec![self];
        }
        let Some(words) = self.units().and_then(|units| expand(&units, 0)) else { return vec![self] };
        let begins_with_tilde = |units: &Vec<Unit>| units.first() == Some(&Unit::Open('~'));
        if words.iter().any(begins_with_tilde) {
            return vec![self];
        }
        words.into_iter().filter(|units| !units.is_empty()).map(word).collect()
    }

    fn units(&self) -> Option<Vec<Unit>> {
        let mut units = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text { text, quoted: false } => units.extend(text.chars().map(Unit::Open)),
                Part::Text { text, .. } => units.push(Unit::Closed(text.clone())),
                Part::Glob(character) => units.push(Unit::Open(*character)),
                _ => return None,
            }
        }
        Some(units)
    }
}

fn word(units: Vec<Unit>) -> Word {
    let mut word = Word::default();
    for unit in units {
        match unit {
            Unit::Open(character @ ('*' | '?' | '[')) => {
                word.source.push(character);
                word.parts.push(Part::Glob(character));
            }
            Unit::Open(character) => {
                word.source.push(character);
                word.push(character, false);
            }
            Unit::Closed(text) => {
                word.source.push_str(&text);
                word.parts.push(Part::Text { text, quoted: true });
            }
        }
    }
    word.close_brackets();
    word
}

/// All expansions of these units; `None` if they are too many or nested too deeply.
fn expand(units: &[Unit], depth: u32) -> Option<Vec<Vec<Unit>>> {
    if depth > 8 {
        return None;
    }
    for (open, _) in units.iter().enumerate().filter(|(_, unit)| **unit == Unit::Open('{')) {
        let Some(close) = closing(units, open) else { continue };
        let inner = &units[open + 1..close];
        let Some(middles) = alternatives(inner, depth)? else { continue };
        let ends = expand(&units[close + 1..], depth + 1)?;
        if middles.len().saturating_mul(ends.len()) > MAX_WORDS {
            return None;
        }
        let before = &units[..open];
        let joined = |middle: &Vec<Unit>, end: &Vec<Unit>| [before, middle, end].concat();
        return Some(middles.iter().flat_map(|middle| ends.iter().map(move |end| joined(middle, end))).collect());
    }
    Some(vec![units.to_vec()])
}

/// Index of the `}` that closes the `{` at `open`.
fn closing(units: &[Unit], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, unit) in units.iter().enumerate().skip(open) {
        match unit {
            Unit::Open('{') => depth += 1,
            Unit::Open('}') if depth == 1 => return Some(at),
            Unit::Open('}') => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The alternatives between a pair of braces. `None` if they cannot be expanded here, `Some(None)`
/// if the braces have no special meaning.
#[expect(clippy::option_option, reason = "unknown and meaningless are two answers")]
fn alternatives(inner: &[Unit], depth: u32) -> Option<Option<Vec<Vec<Unit>>>> {
    let mut parts = vec![Vec::new()];
    let mut open = 0_u32;
    for unit in inner {
        match unit {
            Unit::Open('{') => open += 1,
            Unit::Open('}') => open = open.saturating_sub(1),
            _ => {}
        }
        if *unit == Unit::Open(',') && open == 0 {
            parts.push(Vec::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(unit.clone());
        }
    }
    if parts.len() > 1 {
        let mut words = Vec::new();
        for part in &parts {
            words.extend(expand(part, depth + 1)?);
        }
        return (words.len() <= MAX_WORDS).then_some(Some(words));
    }
    let text: Option<String> =
        inner.iter().map(|unit| if let Unit::Open(c) = unit { Some(*c) } else { None }).collect();
    match text {
        Some(text) if text.contains("..") => range(&text),
        _ => Some(None),
    }
}

/// `1..3`, `a..c` or `1..9..2`.
#[expect(clippy::option_option, reason = "unknown and meaningless are two answers")]
fn range(text: &str) -> Option<Option<Vec<Vec<Unit>>>> {
    let parts: Vec<&str> = text.split("..").collect();
    let number = |text: &str| text.parse::<i64>().ok();
    let (from, to, step) = match parts.as_slice() {
        [from, to] => (*from, *to, 1),
        [from, to, step] => (*from, *to, number(step)?.unsigned_abs().max(1)),
        _ => return Some(None),
    };
    let units = |text: String| text.chars().map(Unit::Open).collect::<Vec<_>>();
    if let (Some(first), Some(last)) = (number(from), number(to)) {
        let is_padded = |text: &str| text.trim_start_matches('-').starts_with('0') && text.len() > 1;
        let width = if is_padded(from) || is_padded(to) { from.len().max(to.len()) } else { 0 };
        let count = first.abs_diff(last) / step;
        if count >= MAX_WORDS as u64 {
            return None;
        }
        let values = (0..=count).map(|at| {
            let offset = i64::try_from(at * step).unwrap_or(i64::MAX);
            let value = if first <= last { first.checked_add(offset) } else { first.checked_sub(offset) };
            format!("{:0width$}", value.unwrap_or(last))
        });
        return Some(Some(values.map(units).collect()));
    }
    let letter = |text: &str| {
        let mut letters = text.bytes();
        letters.next().filter(|letter| letters.next().is_none() && letter.is_ascii_alphabetic())
    };
    match (letter(from), letter(to)) {
        // Between the capital and the small letters lie quoting characters.
        (Some(first), Some(last)) if first.is_ascii_lowercase() == last.is_ascii_lowercase() && step == 1 => {
            let values: Vec<u8> = if first <= last { (first..=last).collect() } else { (last..=first).rev().collect() };
            Some(Some(values.into_iter().map(|letter| vec![Unit::Open(char::from(letter))]).collect()))
        }
        (Some(_), Some(_)) => None,
        _ => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use crate::grammar::parse;

    #[test]
    fn braces_make_the_words_that_bash_makes() {
        let table = [
            ("a{b,c}d", "abd acd"),
            ("{a,b}{1,2}", "a1 a2 b1 b2"),
            ("{a{b,c}}", "{ab} {ac}"),
            ("{a,{b,c}d}", "a bd cd"),
            ("x{1..3}", "x1 x2 x3"),
            ("{03..1}", "03 02 01"),
            ("{1..9..4}", "1 5 9"),
            ("{c..a}", "c b a"),
            ("{,x}", "x"),
            ("{}", "{}"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("'{a,b}'", "{a,b}"),
            ("{'a,b',c}", "a,b c"),
            ("\\{a,b}", "{a,b}"),
            ("{a..Z}", "?"),
            ("{a,$x}", "?"),
            ("{1..900}", "?"),
            ("{~,a}", "?"),
        ];
        for (text, expected) in table {
            let parsed = parse(&format!("echo {text}")).unwrap();
            let words: Vec<String> =
                parsed.commands[0].words[1..].iter().map(|word| word.literal().unwrap_or_else(|| "?".into())).collect();
            assert_eq!(words.join(" "), expected, "{text}");
        }
    }
}
