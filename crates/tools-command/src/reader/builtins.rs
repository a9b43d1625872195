//! Bash builtins that set variables or evaluate texts: what each does with its arguments.

use super::assignments::decides_what_runs;
use super::command::{Command, Input, Value};
use super::content::{ANY, ARGUMENTS, Content};
use super::names;
use crate::grammar::{Part, Word, parse_word};
use crate::registry::{DOTS, matches_dots};

/// A change that a builtin makes to variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// Puts a content into the variable of this name; the last field is its value as far as it is a
    /// single text.
    Sets(String, Content, Value),
    /// Puts a content into a variable whose name is known only at run time.
    SetsAny(Content),
    /// Evaluates a text as an expression or as a name with a subscript.
    Evaluates(Content),
    /// Declares a variable as an integer.
    Integer(String),
    /// Declares a variable as an array.
    Array(String),
    /// Gives a variable a value, which is a list of words if the variable is an array.
    Declares(String, Content),
    /// Makes some variable an associative array.
    Map,
    /// Runs a shell line.
    Line(Value),
    /// Does something that cannot be seen through.
    Opaque(&'static str),
}

use Change::{Array, Declares, Evaluates, Integer, Line, Map, Opaque, Sets, SetsAny};

/// The options of `declare` and similar builtins.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Attributes {
    pub(super) is_integer: bool,
    pub(super) is_reference: bool,
    pub(super) is_array: bool,
    pub(super) is_map: bool,
}

impl Attributes {
    /// Reads the options among arguments.
    pub(super) fn read(name: &str, args: &[Value]) -> Self {
        let mut found = Self::default();
        let is_option = |arg: &&Value| arg.text.starts_with(['-', '+']) && arg.text != "--";
        for arg in args.iter().take_while(is_option) {
            found.is_integer |= arg.text.contains('i');
            found.is_reference |= arg.text.contains('n') && name != "export";
            found.is_array |= arg.text.contains(['a', 'A']);
            found.is_map |= arg.text.contains('A');
        }
        found
    }
}

/// Whether a builtin takes assignments as arguments.
pub(super) fn declares(name: &str) -> bool {
    matches!(name, "declare" | "typeset" | "local" | "export" | "readonly")
}

/// The changes that a command makes to variables; empty for other commands.
pub(super) fn changes(command: &Command) -> Vec<Change> {
    let args = command.args.as_slice();
    match command.name() {
        "let" => args.iter().map(|arg| Evaluates(Content::value(arg, true))).collect(),
        "unset" => args.iter().filter_map(subscripted).collect(),
        "test" | "[" => behind(args, &["-v", "-R"]).filter_map(subscripted).collect(),
        "wait" => behind(args, &["-p"]).flat_map(|name| sets(name, Content::number(), &unknown())).collect(),
        "printf" => print(args),
        "read" => read(command),
        "mapfile" | "readarray" => map_file(command),
        "getopts" => options(args),
        "complete" | "compgen" => complete(args),
        "set" if is_keyword(args) => vec![Opaque("`set -k`, which takes arguments for variables")],
        "set" | "shopt" if expands_history(args) => vec![Opaque("a shell that replaces words by its history")],
        "shopt" | "setopt" if args.iter().any(|arg| !arg.is_exact || matches_dots(&arg.text)) => {
            let sets = |arg: &Value| !arg.is_exact || arg.text.starts_with('-') && arg.text.contains('s');
            let is_query = command.name() == "shopt" && !args.iter().any(sets);
            if is_query { Vec::new() } else { vec![Opaque(DOTS)] }
        }
        name if declares(name) => declare(name, args),
        _ => Vec::new(),
    }
}

/// Options that make a builtin set a variable or evaluate a text; empty for other commands.
pub(super) fn evaluating(name: &str) -> &'static [&'static str] {
    match name {
        "printf" => &["-v"],
        "test" | "[" => &["-v", "-R"],
        "wait" => &["-p"],
        "complete" | "compgen" => &["-C", "-W"],
        "mapfile" | "readarray" => &["-C"],
        _ => &[],
    }
}

/// Whether one of these options is given.
pub(super) fn has_evaluating(command: &Command) -> bool {
    let options = evaluating(command.name());
    command.args.iter().any(|arg| arg.is_exact && options.iter().any(|option| arg.text.starts_with(option)))
}

/// The arguments that would do harm if they were one of these options: the text after them is code,
/// or names a variable that decides what is run.
pub(super) fn risky_arguments(command: &Command) -> impl Iterator<Item = &Value> {
    let runs_words = matches!(command.name(), "complete" | "compgen" | "mapfile" | "readarray");
    let harms = move |value: &Value| {
        let is_harm = || value.text.contains(['$', '`']) || decides_what_runs(&value.text, "x");
        value.is_exact && (runs_words || is_harm())
    };
    let pairs = command.args.windows(2).filter(|_| !evaluating(command.name()).is_empty());
    pairs.filter(move |pair| !pair[0].is_exact && harms(&pair[1])).map(|pair| &pair[0])
}

fn is_keyword(args: &[Value]) -> bool {
    let clusters = args.iter().take_while(|arg| arg.text.starts_with(['-', '+']) || arg.text == "keyword");
    clusters.filter(|arg| arg.text != "--").any(|arg| arg.text == "keyword" || arg.text.contains('k'))
}

/// Whether options turn on the history or its expansion: `!!` is a command of an earlier line.
fn expands_history(args: &[Value]) -> bool {
    let is_unknown = |arg: &Value| !arg.is_exact && arg.text.starts_with('-');
    let clusters = args.iter().take_while(|arg| arg.text.starts_with(['-', '+']));
    clusters.filter(|arg| arg.text.starts_with('-') && arg.text != "--").any(|arg| arg.text.contains('H'))
        || args.iter().any(|arg| matches!(arg.text.as_str(), "history" | "histexpand") || is_unknown(arg))
        || args.windows(2).any(|pair| pair[0].text.ends_with('o') && pair[0].text.starts_with('-') && !pair[1].is_exact)
}

/// A value that is known only at run time.
fn unknown() -> Value {
    Value { text: "$(read)".to_owned(), is_exact: false, has_pattern: false }
}

/// The arguments that directly follow one of these options.
fn behind<'a>(args: &'a [Value], options: &'static [&'static str]) -> impl Iterator<Item = &'a Value> {
    args.windows(2).filter(|pair| options.contains(&pair[0].text.as_str())).map(|pair| &pair[1])
}

/// A change that evaluates a name with a subscript; `None` for a plain name.
fn subscripted(name: &Value) -> Option<Change> {
    let is_plain = name.is_exact && name.text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    (!is_plain).then(|| Evaluates(Content::value(name, true)))
}

/// The changes from putting a content into the variable of this name.
fn sets(name: &Value, content: Content, value: &Value) -> Vec<Change> {
    if !name.is_exact {
        return vec![Evaluates(Content::value(name, true)), SetsAny(content)];
    }
    let plain = name.text.split('[').next().unwrap_or_default().to_owned();
    let mut found: Vec<Change> = subscripted(name).into_iter().collect();
    found.push(Sets(plain, content, value.clone()));
    found
}

fn print(args: &[Value]) -> Vec<Change> {
    let attached = args
        .first()
        .and_then(|arg| Some(Value { text: arg.text.strip_prefix("-v")?.to_owned(), ..arg.clone() }))
        .filter(|name| !name.text.is_empty());
    let from = if attached.is_some() { 1 } else { 2 };
    let Some(name) = attached.or_else(|| behind(&args[..args.len().min(2)], &["-v"]).next().cloned()) else {
        let is_open = args.first().is_some_and(|arg| !arg.is_exact && arg.text.starts_with('-'));
        return if is_open { vec![SetsAny(Content::unknown())] } else { Vec::new() };
    };
    let printed = args.get(from..).unwrap_or_default();
    let texts = printed.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let is_exact = printed.iter().all(|arg| arg.is_exact) && !texts.contains('\\');
    let value = Value { text: texts, is_exact, has_pattern: false };
    sets(&name, formatted(printed), &value)
}

/// The output of `printf` for a format and its arguments.
fn formatted(printed: &[Value]) -> Content {
    let Some((format, args)) = printed.split_first().filter(|(format, _)| format.is_exact) else {
        return Content::unknown();
    };
    if prints_number(&format.text) {
        return Content::number();
    }
    let is_escaped = printed.iter().any(|arg| arg.text.contains('\\'));
    let any = Content { may_run: is_escaped, ..Content::variable(ANY) };
    let texts = args.iter().map(|arg| Content::value(arg, true));
    texts.fold(any.with(Content::text(&format.text)), Content::with)
}

/// Whether a format of `printf` prints a number for any arguments.
fn prints_number(format: &str) -> bool {
    let mut pieces = format.split('%');
    let is_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    pieces.next().is_some_and(is_digits)
        && format.contains('%')
        && pieces.all(|piece| {
            let conversion = piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            conversion.strip_prefix(['d', 'i', 'u']).is_some_and(is_digits)
        })
}

/// The content and value that a reading builtin gets from its input.
fn input(command: &Command) -> (Content, Value) {
    match &command.input {
        _ if command.has_short("u") => (Content::unknown(), unknown()),
        // A part of the split text may name other variables than the whole text.
        Input::Text(text) if !text.contains('\\') => {
            let content = Content::text(text);
            let pieces = if content.is_number { content } else { content.with(Content::variable(ANY)) };
            (pieces, Value::exact(text.clone()))
        }
        Input::None => (Content::number(), Value::exact("")),
        Input::Text(_) | Input::Unknown => (Content::unknown(), unknown()),
    }
}

fn read(command: &Command) -> Vec<Change> {
    let (content, value) = input(command);
    let mut found = Vec::new();
    let mut args = command.args.iter();
    let mut has_name = false;
    let mut ended = false;
    while let Some(arg) = args.next() {
        let letters = arg.text.strip_prefix('-').filter(|rest| !ended && arg.is_exact && !rest.is_empty());
        match letters {
            Some("-") => ended = true,
            Some(letters) => {
                let Some(at) = letters.find(|c: char| "adinNptu".contains(c)) else { continue };
                let attached = letters.get(at + 1..).filter(|rest| !rest.is_empty()).map(Value::exact);
                let operand = attached.or_else(|| args.next().cloned());
                if letters[at..].starts_with('a') {
                    has_name = true;
                    found.extend(operand.iter().map(|name| Array(name.text.clone())));
                    found.extend(operand.iter().flat_map(|name| sets(name, content.clone(), &value)));
                }
            }
            None => {
                has_name = true;
                found.extend(sets(arg, content.clone(), &value));
            }
        }
    }
    if !has_name {
        found.push(Sets("REPLY".to_owned(), content, value));
    }
    found
}

fn map_file(command: &Command) -> Vec<Change> {
    let (content, value) = input(command);
    let mut found = Vec::new();
    let mut args = command.args.iter();
    let mut name = None;
    while let Some(arg) = args.next() {
        let Some(letters) = arg.text.strip_prefix('-').filter(|rest| !rest.is_empty() && *rest != "-") else {
            name = name.or_else(|| (arg.text != "--").then(|| arg.clone()));
            continue;
        };
        if !arg.is_exact {
            found.push(Opaque("`mapfile` with an option that is known only when it runs"));
        }
        let Some(at) = letters.find(|c: char| "dnOsuCc".contains(c)) else { continue };
        let attached = letters.get(at + 1..).filter(|rest| !rest.is_empty()).map(Value::exact);
        let operand = attached.or_else(|| args.next().cloned());
        if letters[at..].starts_with('C') {
            found.push(Opaque("`mapfile` that runs a line for what it reads"));
            found.extend(operand.filter(|line| line.is_exact).map(Line));
        }
    }
    let name = name.unwrap_or_else(|| Value::exact("MAPFILE"));
    found.push(Array(name.text.clone()));
    found.extend(sets(&name, content, &value));
    found
}

/// `getopts` sets variables to an option letter and to the values of options.
fn options(args: &[Value]) -> Vec<Change> {
    let values = args.iter().skip(2).map(|arg| Content::value(arg, true));
    let values = values.fold(Content::variable(ARGUMENTS), Content::with);
    let mut found = vec![Sets("OPTARG".to_owned(), values, unknown())];
    found.extend(args.get(1).into_iter().flat_map(|name| sets(name, Content::variable(ANY), &unknown())));
    found
}

/// Completions: a function is only named, a command is a shell line, and a word list is expanded.
fn complete(args: &[Value]) -> Vec<Change> {
    let mut found = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let Some(letters) = arg.text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { continue };
        let Some(at) = letters.find(|c: char| "ACFGoPSWX".contains(c)) else { continue };
        let attached = letters.get(at + 1..).filter(|rest| !rest.is_empty()).map(Value::exact);
        let Some(value) = attached.or_else(|| args.next().cloned()) else { continue };
        match &letters[at..=at] {
            "C" => {
                found.push(Opaque("a completion that runs a line"));
                found.extend(Some(value).filter(|line| line.is_exact).map(Line));
            }
            "W" if !value.is_exact || value.text.contains(['$', '`']) => {
                found.push(Opaque("a completion with words that are expanded"));
            }
            _ => {}
        }
    }
    found
}

/// `declare` and similar builtins, for arguments that the grammar did not read as assignments.
fn declare(name: &str, args: &[Value]) -> Vec<Change> {
    let attributes = Attributes::read(name, args);
    let mut found = Vec::new();
    if attributes.is_reference {
        found.push(Opaque("a variable that stands for another"));
    }
    if attributes.is_map {
        found.push(Map);
    }
    for arg in args.iter().filter(|arg| !(arg.is_exact && arg.text.starts_with(['-', '+']))) {
        match declared(arg) {
            Some((name, Some((content, value)))) => {
                if attributes.is_integer {
                    found.push(Evaluates(content.clone()));
                }
                found.push(Declares(name.text.clone(), content.clone()));
                found.extend(attributes.is_array.then(|| Array(name.text.clone())));
                found.extend(attributes.is_integer.then(|| Integer(name.text.clone())));
                found.extend(sets(&name, content, &value));
            }
            Some((name, None)) => {
                found.extend(subscripted(&name));
                found.extend(attributes.is_array.then(|| Array(name.text.clone())));
                found.extend(attributes.is_integer.then(|| Integer(name.text.clone())));
            }
            None => found.push(Opaque("a variable whose name is known only when it runs")),
        }
    }
    found
}

/// The name in an argument of `declare`, and its new value; `None` where the name is not known.
pub(super) fn declared(arg: &Value) -> Option<(Value, Option<(Content, Value)>)> {
    let plain = |name: &str| name.trim_end_matches('+').to_owned();
    if arg.is_exact {
        let (name, text) =
            arg.text.split_once('=').map_or((arg.text.as_str(), None), |(name, text)| (name, Some(text)));
        let value = text.map(|text| (Content::text(text), Value::exact(text)));
        return Some((Value::exact(plain(name)), value));
    }
    let word = parse_word(&arg.text)?;
    let (first, rest) = word.parts.split_first()?;
    let Part::Text { text, quoted } = first else { return None };
    // A quoted word begins with an empty text.
    let (text, rest) = match rest.split_first() {
        Some((Part::Text { text: second, .. }, rest)) if text.is_empty() => (second, rest),
        _ => (text, rest),
    };
    let (name, begun) = text.split_once('=')?;
    let name = plain(name);
    if !names::is_name(name.split('[').next().unwrap_or_default()) {
        return None;
    }
    let mut parts = vec![Part::Text { text: begun.to_owned(), quoted: *quoted }];
    parts.extend(rest.iter().cloned());
    let value = Word { parts, source: arg.text.clone(), has_braces: word.has_braces };
    let text = arg.text.split_once('=').map(|(_, text)| text.to_owned()).unwrap_or_default();
    let content = Content::word(&value, false);
    Some((Value::exact(name), Some((content, Value { text, is_exact: false, has_pattern: false }))))
}
