//! Programs that run other programs by an option, a subcommand or a script of their own. One function per program; what is
//! not understood is opaque.

use super::command::{Command, Value};

/// What a program's arguments make it do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Something that is not seen through.
    Opaque(String),
    /// A line for a shell.
    Line(Value),
}

use Verdict::{Line, Opaque};

/// Everything a program would run through its arguments.
pub(super) fn look(command: &Command) -> Vec<Verdict> {
    let name = command.name();
    match name {
        _ => Vec::new(),
    }
}

/// Whether a program's arguments are looked at here, or are data for it.
pub(super) fn is_known(name: &str) -> bool {
    name == "go"
}

/// Opaque when one of these options is there: long ones by name, short ones by letter.
fn options(command: &Command, long: &[&str], short: &str) -> Vec<Verdict> {
    let name = command.name();
    let mut found = Vec::new();
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.as_str();
        let Some(option) = long.iter().find(|option| {
            let stem = text.split('=').next().unwrap_or_default();
            // Unambiguous beginnings of long options count too.
            stem == **option || (stem.len() > 4 && stem.starts_with("--") && option.starts_with(stem))
        }) else {
            let cluster = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
            if let Some(at) = cluster.and_then(|cluster| cluster.find(|c: char| short.contains(c))) {
                found.push(Opaque(format!(
                    "`{name}` runs what the option `{}` says",
                    &text[..(at + 2).min(text.len())]
                )));
                let attached = text.get(at + 2..).unwrap_or_default();
                let value = if attached.is_empty() {
                    args.next().cloned()
                } else {
                    Some(Value { text: attached.to_owned(), ..arg.clone() })
                };
                found.extend(value.filter(|value| value.is_exact).map(Line));
            }
            continue;
        };
        found.push(Opaque(format!("`{name}` runs what the option `{option}` says")));
        let value = match text.split_once('=') {
            Some((_, value)) => Some(Value { text: value.to_owned(), ..arg.clone() }),
            None => args.next().cloned(),
        };
        found.extend(value.filter(|value| value.is_exact).map(Line));
    }
    found
}
