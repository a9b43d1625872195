//! Options as typed: which of a description's options an argument spells.

use super::index::{Index, OptionEntry, ValueForm};
use super::spec::{Style, Syntax};
use crate::reader::{PLACEHOLDER, Value};

/// An option as an argument spells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OptionSpelling {
    Known {
        spellings: &'static str,
        meaning: ValueForm,
        attached: Option<Value>,
    },
    /// A flag with a value that negates it: `--dry-run=false`.
    Denied(&'static str),
    Unknown(String),
}

/// Values that negate a flag, in any case: those of Go, Node, Python and `kubectl`.
const DENIALS: [&str; 9] = ["false", "f", "0", "no", "n", "off", "none", "null", ""];

/// Spelling in a description for every option that is not listed.
pub(super) const ANY: &str = "-*";

/// Whether the unknown rest of an argument may still belong to the name of an option.
pub(super) fn is_incomplete(arg: &Value, syntaxes: &[Syntax]) -> bool {
    let end = match arg.is_exact {
        // `-?` asks for help.
        true if arg.has_pattern && arg.text != "-?" => arg.text.find(['*', '?', '[']),
        true => arg.text.find(PLACEHOLDER),
        false => Some(known(&arg.text).len()),
    };
    let Some(beginning) = end.map(|end| &arg.text[..end]) else { return false };
    let is_single = syntaxes.first().is_some_and(|syntax| syntax.style == Style::Single);
    let begins_value = |spelled: &OptionSpelling| match spelled {
        OptionSpelling::Known { meaning, .. } => *meaning != ValueForm::Flag,
        OptionSpelling::Denied(_) | OptionSpelling::Unknown(_) => false,
    };
    if beginning.starts_with("--") || is_single {
        let is_begun = begun(&Value::exact(beginning), syntaxes).is_some_and(|known| !is_any(&known));
        return !beginning.contains('=') && !is_begun;
    }
    beginning.len() < 2 || !cluster(&Value::exact(beginning), syntaxes).iter().any(begins_value)
}

/// The part of a text before anything that is known only at run time.
fn known(text: &str) -> &str {
    text.split(['$', '`', '*', '?', '[', '{']).next().unwrap_or_default()
}

/// Whether the known beginning of a single-dash argument ends in the value of an option.
fn begins_value(known: &str, syntaxes: &[Syntax]) -> bool {
    let is_single = syntaxes.first().is_some_and(|syntax| syntax.style == Style::Single);
    if is_single || known.starts_with("--") || known.len() < 2 {
        return false;
    }
    let spelled = cluster(&Value::exact(known), syntaxes);
    matches!(spelled.last(), Some(OptionSpelling::Known { meaning, .. }) if *meaning != ValueForm::Flag)
}

/// The options that an argument spells, searched in the innermost syntax first. A single-dash
/// argument may spell several.
pub(super) fn read(arg: &Value, syntaxes: &[Syntax]) -> Vec<OptionSpelling> {
    let text = arg.text.as_str();
    if !arg.is_exact {
        let known = known(text);
        let name = known.split('=').next().unwrap_or_default();
        let is_named = known.contains('=') && name.starts_with('-');
        return match whole(name, syntaxes).or_else(|| beginning(name, syntaxes)).filter(|_| is_named) {
            Some((spellings, ValueForm::Flag)) => vec![OptionSpelling::Denied(spellings)],
            Some((spellings, meaning)) => {
                let value = text.split_once('=').map_or("", |(_, value)| value);
                vec![OptionSpelling::Known {
                    spellings,
                    meaning,
                    attached: Some(Value { text: value.to_owned(), ..arg.clone() }),
                }]
            }
            None if begins_value(known, syntaxes) => cluster(arg, syntaxes),
            None if begun(&Value::exact(known), syntaxes).is_some_and(|known| !is_any(&known)) => {
                begun(arg, syntaxes).into_iter().collect()
            }
            None => vec![OptionSpelling::Unknown(text.to_owned())],
        };
    }
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(Value { text: value.to_owned(), ..arg.clone() })),
        None => (text, None),
    };
    let is_single = syntaxes.first().is_some_and(|syntax| syntax.style == Style::Single);
    let undoubled = || name.strip_prefix('-').filter(|name| is_single && name.len() > 1);
    let found = whole(name, syntaxes)
        .or_else(|| whole(undoubled()?, syntaxes))
        .filter(|(_, meaning)| value.is_none() || *meaning != ValueForm::Flag || is_single || name.starts_with("--"));
    if let Some((spellings, meaning)) = found {
        let denies = |value: &Value| !value.is_exact || DENIALS.contains(&value.text.to_lowercase().as_str());
        if meaning == ValueForm::Flag && value.as_ref().is_some_and(denies) {
            return vec![OptionSpelling::Denied(spellings)];
        }
        return vec![OptionSpelling::Known { spellings, meaning, attached: value }];
    }
    if text.starts_with("--") {
        return match beginning(name, syntaxes) {
            Some((spellings, meaning)) => vec![OptionSpelling::Known { spellings, meaning, attached: value }],
            None => vec![begun(arg, syntaxes).unwrap_or_else(|| OptionSpelling::Unknown(text.to_owned()))],
        };
    }
    if let Some(known) = begun(arg, syntaxes).filter(|known| !is_any(known)) {
        return vec![known];
    }
    if is_number(&text[1..])
        && let Some((spellings, meaning)) = whole("-#", syntaxes)
    {
        return vec![OptionSpelling::Known { spellings, meaning, attached: None }];
    }
    cluster(arg, syntaxes)
}

/// An option whose spelling ends in `*`, with the rest of the argument as its value.
fn begun(arg: &Value, syntaxes: &[Syntax]) -> Option<OptionSpelling> {
    let (spellings, rest) = prefix(&arg.text, syntaxes)?;
    let value = Value { text: rest.to_owned(), ..arg.clone() };
    Some(OptionSpelling::Known { spellings, meaning: ValueForm::Optional, attached: Some(value) })
}

/// Whether an option matches only because the program accepts any option.
fn is_any(spelled: &OptionSpelling) -> bool {
    matches!(spelled, OptionSpelling::Known { spellings: ANY, .. })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The option with exactly this spelling.
fn whole(name: &str, syntaxes: &[Syntax]) -> Option<OptionEntry> {
    syntaxes.iter().find_map(|syntax| Index::of(syntax).whole(name))
}

/// The option whose `*` spelling matches an argument, and the rest of the argument.
fn prefix<'a>(text: &'a str, syntaxes: &[Syntax]) -> Option<(&'static str, &'a str)> {
    syntaxes.iter().find_map(|syntax| Index::of(syntax).prefix(text))
}

/// The long option that this name abbreviates; `None` unless there is exactly one.
fn beginning(name: &str, syntaxes: &[Syntax]) -> Option<OptionEntry> {
    if name.len() < 3 {
        return None;
    }
    let abbreviating = syntaxes.iter().filter(|syntax| matches!(syntax.style, Style::Gnu | Style::Leading));
    let mut found = abbreviating
        .flat_map(|syntax| &Index::of(syntax).all)
        .filter(|(spellings, _)| spellings.split('|').any(|one| one.starts_with("--") && one.starts_with(name)));
    let first = found.next()?;
    found.all(|other| other.0 == first.0).then_some(*first)
}

/// The full names of the long options that a name may abbreviate; empty if the name is already in
/// full.
pub(super) fn in_full<'a>(name: &'a str, syntaxes: &[Syntax]) -> impl Iterator<Item = &'static str> + 'a {
    let own = whole(name, syntaxes).map(|(spellings, _)| spellings);
    let abbreviating = syntaxes.iter().filter(|syntax| matches!(syntax.style, Style::Gnu | Style::Leading));
    let all = abbreviating.flat_map(|syntax| &Index::of(syntax).all).map(|(spellings, _)| *spellings);
    let longest = |spellings: &'static str| {
        let names = spellings.split('|').filter(|one| one.starts_with("--") && !one.ends_with('*'));
        names.max_by_key(|one| one.len())
    };
    let begun = |spellings: &'static str| {
        spellings.split('|').find(|one| name.len() > 2 && one.starts_with(name) && !one.ends_with('*'))
    };
    let found: Vec<&'static str> = match own {
        Some(spellings) => longest(spellings).into_iter().collect(),
        None => all.filter_map(begun).collect(),
    };
    found.into_iter().filter(move |full| *full != name)
}

/// The options of a cluster: `-xzf file` contains three.
fn cluster(arg: &Value, syntaxes: &[Syntax]) -> Vec<OptionSpelling> {
    let unknown = || vec![OptionSpelling::Unknown(arg.text.clone())];
    let Some(letters) = arg.text.strip_prefix('-') else { return unknown() };
    let single = syntaxes.first().is_some_and(|syntax| syntax.style == Style::Single);
    let mut found = Vec::new();
    let mut digits = 0;
    for (at, letter) in letters.char_indices() {
        if at < digits {
            continue;
        }
        let name = if letter.is_ascii_digit() && whole(&format!("-{letter}"), syntaxes).is_none() {
            "-#".to_owned()
        } else {
            format!("-{letter}")
        };
        let numbered = || whole(&format!("-{letter}#"), syntaxes);
        let Some((spellings, meaning)) = numbered().or_else(|| whole(&name, syntaxes)).filter(|_| !single) else {
            // The known options of the cluster count even if the rest is unknown.
            if let Some(any) = begun(arg, syntaxes).filter(is_any) {
                found.push(any);
                if single {
                    return found;
                }
                continue;
            }
            found.push(OptionSpelling::Unknown(arg.text.clone()));
            let flags = letters[at..].chars().filter_map(|letter| whole(&format!("-{letter}"), syntaxes));
            let flags = flags.filter(|(_, meaning)| *meaning == ValueForm::Flag && !single);
            found.extend(flags.map(|(spellings, meaning)| OptionSpelling::Known {
                spellings,
                meaning,
                attached: None,
            }));
            return found;
        };
        let rest = &letters[at + letter.len_utf8()..];
        if numbered().is_some() {
            digits = letters.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        }
        let attached = (!rest.is_empty()).then(|| Value { text: rest.to_owned(), ..arg.clone() });
        found.push(OptionSpelling::Known {
            spellings,
            meaning,
            attached: attached.filter(|_| meaning != ValueForm::Flag),
        });
        if meaning != ValueForm::Flag {
            break;
        }
    }
    found
}
