//! Turns a description and the arguments into effects: which rules apply, and what they name.

use super::address;
use super::by_name;
use super::doubt::Doubt;
use super::parsed::Parsed;
use super::spec::{ArgumentCondition, At, Does, Otherwise, Rule, Style};
use super::unknown;
use crate::code;
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::reader::{ELSEWHERE, Input, Value};
use tools_core::Access;

/// Maximum number of words tried as the start of a wrapped command when an option of the wrapper is
/// not known.
const MAX_GUESSES: usize = 6;

/// The effects of a program with these arguments.
pub(super) fn effects(parsed: &Parsed<'_>) -> Vec<Effect> {
    if only_says(parsed) {
        return Vec::new();
    }
    let mut found = unseen(parsed);
    if parsed.unknown.is_some() {
        found.extend(unknown::possible_effects(parsed.command));
    }
    let mut undecided = Vec::new();
    for rule in parsed.rules() {
        let mut open: Vec<Effect> = Vec::new();
        if !rule.when().iter().all(|when| holds(*when, parsed, &mut open)) {
            continue;
        }
        // What may be filled counts as filled.
        if open.is_empty() || matches!(rule.does, Does::Unpacks(_)) {
            apply(rule, parsed, &mut found);
        } else if decides(rule) {
            undecided.extend(open);
        }
    }
    found.extend(undecided);
    found.extend(by_name::of_options(parsed));
    // These come last, because the rules' own reasons about an argument say more.
    if decides_by_option(parsed) || runs_later_operands(parsed) {
        found.extend(parsed.doubtful());
    }
    for effect in &mut found {
        if let Effect::Host(host) = effect {
            *host = address::addressed(host);
        }
    }
    if !parsed.program.folder.is_empty() {
        for effect in &mut found {
            relocate(effect, parsed);
        }
    }
    found
}

/// Makes a path relative to the folder that the program works in.
fn relocate(effect: &mut Effect, parsed: &Parsed<'_>) {
    let (Effect::Path { path, .. } | Effect::Script(path) | Effect::Obeys { folder: path, .. } | Effect::Unpacks(path)) =
        effect
    else {
        return;
    };
    for folder in parsed.globals(parsed.program.folder).filter_map(|given| given.value.as_ref()).rev() {
        if path.text.starts_with(['/', '~']) {
            return;
        }
        path.is_exact &= folder.is_exact;
        path.text = format!("{}/{}", folder.text.trim_end_matches('/'), path.text);
    }
}

/// Whether the program is only asked for its help or version, or for the help of a subcommand.
/// Options in between do not qualify: `--help` could be the value of one.
pub(super) fn only_says(parsed: &Parsed<'_>) -> bool {
    let args = &parsed.command.args;
    let says = |arg: &Value| arg.is_exact && matches!(arg.text.as_str(), "--help" | "--version");
    let is_help = |arg: &Value| {
        let is_long = parsed.program.style == Style::Single && arg.text == "-help";
        arg.is_exact && (arg.text == "--help" || is_long)
    };
    let is_word = |arg: &Value| arg.is_exact && !arg.text.starts_with('-');
    let [words @ .., last] = args.as_slice() else { return false };
    // Some descriptions list subcommands only in conditions of rules, as operands.
    let is_listed = |word: &Value| {
        let conditions = parsed.program.rules.iter().flat_map(Rule::when);
        let listed = conditions.filter_map(|when| match when {
            ArgumentCondition::First(words) | ArgumentCondition::Operand(words) => Some(words),
            _ => None,
        });
        listed.flat_map(|words| words.split_ascii_whitespace()).any(|one| one == word.text)
    };
    let are_subcommands = || match words {
        [word] if parsed.path.is_empty() => is_listed(word),
        _ => !words.is_empty() && words.len() == parsed.path.len(),
    };
    (is_help(last) && words.iter().all(is_word) && are_subcommands()) || args.iter().all(says)
}

/// The parts that the description does not cover and that would decide what is run.
fn unseen(parsed: &Parsed<'_>) -> Vec<Effect> {
    let name = parsed.command.name();
    let mut found = Vec::new();
    if let Some(unknown) = &parsed.unknown
        && (unknown.hides_subcommand || unknown.hides_operands && runs_operands(parsed, |options| parsed.has(options)))
    {
        found.push(Effect::hidden(format!("the option `{}` of `{name}` is not known", shorten(&unknown.option))));
    }
    let is_elsewhere = |first: &Value| !first.is_exact && first.text == ELSEWHERE;
    if parsed.operand(0).is_some_and(is_elsewhere) && runs_operands(parsed, |_| false) {
        found.push(Effect::hidden(format!("`{name}` with arguments from elsewhere")));
    }
    match &parsed.unlisted {
        Some((word, _)) if !word.is_exact => {
            found.push(Effect::hidden(format!("a command of `{name}` that is known only when it runs")));
        }
        Some((word, Otherwise::Opaque(what))) => {
            found.push(Effect::hidden(format!("`{name} {}` is {what}", shorten(&word.text))));
        }
        _ => {}
    }
    found
}

/// Whether an option that is not given, or an operand of a certain form, would run something or
/// cause a question.
fn decides_by_option(parsed: &Parsed<'_>) -> bool {
    let own = parsed.path.iter().flat_map(|one| one.rules);
    // Options before the subcommand are no longer read after it.
    let is_over = !parsed.path.is_empty() && parsed.program.style == Style::Leading;
    own.chain(parsed.program.rules.iter().filter(|_| !is_over)).any(|rule| {
        let is_chosen = |when: &ArgumentCondition| {
            use ArgumentCondition::{Has, Operand, OperandHas, OperandStarts, Value, ValueHas, ValueStarts};
            matches!(
                when,
                Has(_) | Operand(_) | OperandHas(_) | OperandStarts(_) | Value(..) | ValueHas(..) | ValueStarts(..)
            )
        };
        let is_option = |at: At| matches!(at, At::Value(_) | At::Behind(_) | At::ValueRest(..));
        match rule.does {
            Does::Hides(_) | Does::Is(_) | Does::Says(..) | Does::By(_) => rule.when().iter().any(is_chosen),
            Does::ByOption(_) => true,
            does => does.runs().is_some_and(|at| is_option(at) || rule.when().iter().any(is_chosen)),
        }
    })
}

/// Whether operands, or values of some options, are run or evaluated: it matters then where they
/// begin.
fn runs_operands(parsed: &Parsed<'_>, or_values: impl Fn(&str) -> bool) -> bool {
    let is_operand = |at: At| match at {
        At::Nth(_) | At::From(_) | At::All | At::Last | At::AllButLast | At::Rest(_) => true,
        At::Value(options) | At::Behind(options) | At::ValueRest(options, _) => or_values(options),
        At::Remotes | At::AfterDashes | At::Input | At::Path(_) => false,
    };
    // `sed -e CODE FILE`: with the option, the operand is not code.
    let is_ruled_out = |rule: &&Rule| {
        rule.when().iter().any(|when| matches!(when, ArgumentCondition::Lacks(options) if parsed.surely_has(options)))
    };
    parsed.rules().filter(|rule| !is_ruled_out(rule)).any(|rule| match rule.does {
        Does::RunsThere(at) | Does::RunsLineThere(at) => is_operand(at),
        does => does.runs().is_some_and(is_operand),
    })
}

/// Whether the words that are run begin after another operand: they move if that operand turns out
/// to be an option.
fn runs_later_operands(parsed: &Parsed<'_>) -> bool {
    let is_later = |at: At| matches!(at, At::Nth(1..) | At::From(1..));
    parsed
        .rules()
        .filter(|rule| !matches!(rule.does, Does::RunsScript(_) | Does::Evaluates(..)))
        .any(|rule| rule.does.runs().is_some_and(is_later))
}

/// Whether a rule covers more than files and hosts, which are judged by their names.
fn decides(rule: &Rule) -> bool {
    !matches!(
        rule.does,
        Does::Reads(_)
            | Does::ReadsTrees(_)
            | Does::Writes(_)
            | Does::Unpacks(_)
            | Does::Connects(_)
            | Does::Fetches(_)
            | Does::NeedsNetwork
            | Does::StartsIn(_)
            | Does::Follows(_)
            | Does::Obeys(_)
            | Does::ObeysIn(..)
            | Does::ObeysAround(_)
    )
}

/// Whether a condition holds. If the arguments that decide it are not known it holds too, and those
/// arguments are added to `open`.
fn holds(when: ArgumentCondition, parsed: &Parsed<'_>, open: &mut Vec<Effect>) -> bool {
    let listed = |list: &str, text: &str| list.split(' ').any(|one| one == text);
    let begins = |list: &str, text: &str| list.split(' ').any(|one| text.starts_with(one));
    let contains = |list: &str, text: &str| list.split(' ').any(|one| text.contains(one));
    match when {
        ArgumentCondition::Has(options) => parsed.has(options),
        ArgumentCondition::Lacks(options) => !parsed.surely_has(options),
        ArgumentCondition::Value(options, values) => {
            may(of(parsed, options), open, |value| listed(values, value), |start| may_be(values, start))
        }
        ArgumentCondition::ValueStarts(options, texts) => {
            may(of(parsed, options), open, |value| begins(texts, value), |start| may_start(texts, start))
        }
        ArgumentCondition::ValueHas(options, texts) => {
            may(of(parsed, options), open, |value| contains(texts, value), |_| true)
        }
        ArgumentCondition::OperandHas(texts) => {
            may(own(parsed.operands()), open, |operand| contains(texts, &operand.to_lowercase()), |_| true)
        }
        ArgumentCondition::Operand(words) => {
            may(own(parsed.operands()), open, |operand| listed(words, operand), |start| may_be(words, start))
        }
        ArgumentCondition::OperandStarts(texts) => {
            may(own(parsed.operands()), open, |operand| begins(texts, operand), |start| may_start(texts, start))
        }
        ArgumentCondition::First(words) => {
            may(own(parsed.operand(0).into_iter()), open, |first| listed(words, first), |start| may_be(words, start))
        }
        ArgumentCondition::FirstIsNot(words) => parsed.operand(0).is_none_or(|first| !listed(words, &first.text)),
        ArgumentCondition::AtLeast(count) => parsed.operands.len() >= count,
        ArgumentCondition::AtMost(count) => parsed.operands.len() <= count,
        ArgumentCondition::Fed => parsed.command.input != Input::None,
    }
}

/// The values of options, each with the argument that contains it.
fn of<'b>(parsed: &'b Parsed<'_>, options: &'b str) -> impl Iterator<Item = (&'b Value, &'b Value, Doubt)> {
    parsed.arguments(options).map(|(value, argument)| (value, argument, Doubt::Value))
}

/// Each operand, as value and as argument.
fn own<'b>(operands: impl Iterator<Item = &'b Value>) -> impl Iterator<Item = (&'b Value, &'b Value, Doubt)> {
    operands.map(|operand| (operand, operand, Doubt::Operand))
}

/// Whether a value passes the test `is`. If none does, the values whose known start passes `may_be`
/// are added to `open` and count.
fn may<'b>(
    values: impl Iterator<Item = (&'b Value, &'b Value, Doubt)>,
    open: &mut Vec<Effect>,
    is: impl Fn(&str) -> bool,
    may_be: impl Fn(&str) -> bool,
) -> bool {
    let mut doubtful = Vec::new();
    for (value, argument, doubt) in values {
        if is(&value.text) {
            return true;
        }
        if value.start().is_some_and(|start| may_be(&start)) {
            doubtful.push(Effect::MayDecide(argument.clone(), doubt));
        }
    }
    let is_doubtful = !doubtful.is_empty();
    open.extend(doubtful);
    is_doubtful
}

/// Whether a text with this start may be an entry of the list.
fn may_be(list: &str, start: &str) -> bool {
    list.split(' ').any(|one| one.starts_with(start))
}

/// Whether a text with this start may begin with an entry of the list.
fn may_start(list: &str, start: &str) -> bool {
    list.split(' ').any(|one| one.starts_with(start) || start.starts_with(one))
}

/// The values at a position.
fn values(at: At, parsed: &Parsed<'_>) -> Vec<Value> {
    let operands = || parsed.operands().cloned();
    match at {
        At::Nth(number) => parsed.operand(number).cloned().into_iter().collect(),
        At::From(number) => operands().skip(number).collect(),
        At::All => operands().collect(),
        At::Last => operands().next_back().into_iter().collect(),
        At::AllButLast => operands().take(parsed.operands.len().saturating_sub(1)).collect(),
        At::Value(options) => parsed.values(options).cloned().collect(),
        At::Behind(options) => parsed.behind(options),
        At::Remotes => operands().filter(is_remote).collect(),
        At::Rest(starts) => parsed.operands().filter_map(|operand| behind(operand, starts)).collect(),
        At::ValueRest(options, starts) => parsed.values(options).filter_map(|value| behind(value, starts)).collect(),
        At::AfterDashes => parsed.after_dashes().to_vec(),
        At::Path(path) => vec![Value::exact(path)],
        At::Input => match &parsed.command.input {
            Input::None => Vec::new(),
            Input::Text(text) => vec![Value::exact(text.clone())],
            Input::Unknown => vec![Value { text: "$(cat)".to_owned(), is_exact: false, has_pattern: false }],
        },
    }
}

/// Whether a value names something on another host.
pub(crate) fn is_remote(value: &Value) -> bool {
    let text = value.text.as_str();
    let is_url = text.split_once("://").is_some_and(|(scheme, _)| !scheme.is_empty() && !scheme.ends_with("file"));
    let has_host = |(host, path): (&str, &str)| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '@');
        host.len() > 1 && host.chars().all(is_name) && !path.starts_with(':')
    };
    is_url || !text.contains("://") && text.split_once(':').is_some_and(has_host)
}

/// The effect of fetching an address: a `file://` address is read.
fn fetched(address: &Value) -> Effect {
    match address.text.strip_prefix("file://") {
        Some(file) => Effect::path(Value { text: file.to_owned(), ..address.clone() }, Access::Read),
        None => Effect::Host(address::of_web(address)),
    }
}

/// The rest of a value that begins with one of these texts; `None` if it begins with none.
fn behind(value: &Value, starts: &str) -> Option<Value> {
    let rest = starts.split(' ').find_map(|start| value.text.strip_prefix(start))?;
    Some(Value { text: rest.to_owned(), ..value.clone() })
}

/// The words of another command that begins at a position; options after it belong to that command.
fn words(at: At, parsed: &Parsed<'_>) -> Vec<Value> {
    match at {
        At::Nth(number) | At::From(number) => parsed.from(number).to_vec(),
        At::All => parsed.from(0).to_vec(),
        other => values(other, parsed),
    }
}

fn apply(rule: &Rule, parsed: &Parsed<'_>, found: &mut Vec<Effect>) {
    let mut paths = |at: At, access: Access, is_tree: bool| {
        // A dash is the standard input or output, and a process substitution is a pipe to a
        // command.
        let is_process = |path: &Value| {
            let begins = path.text.starts_with("<(") || path.text.starts_with(">(");
            begins && !path.is_exact && path.text.ends_with(')')
        };
        let named = values(at, parsed).into_iter().filter(|path| path.text != "-" && !is_process(path));
        found.extend(named.map(|path| Effect::Path { path, access, is_tree }));
    };
    match rule.does {
        Does::Reads(at) => paths(at, Access::Read, false),
        Does::ReadsTrees(at) => paths(at, Access::Read, true),
        Does::Writes(at) => paths(at, Access::Write, false),
        Does::Unpacks(at) => {
            let named = values(at, parsed);
            let here = named.is_empty().then(|| Value::exact("."));
            found.extend(named.into_iter().chain(here).map(Effect::Unpacks));
        }
        Does::Deletes(at) => paths(at, Access::Delete, false),
        Does::DeletesTrees(at) => paths(at, Access::Delete, true),
        Does::ChangesTrees(at) => paths(at, Access::Write, true),
        Does::Connects(at) => found.extend(values(at, parsed).into_iter().map(Effect::Host)),
        Does::Fetches(at) => found.extend(values(at, parsed).iter().map(fetched)),
        Does::NeedsNetwork => found.push(Effect::Network),
        Does::StartsIn(at) => found.extend(values(at, parsed).into_iter().map(Effect::StartsIn)),
        Does::RunsWords(at) => commands(at, false, parsed, found),
        Does::RunsWithVariables(at) => commands(at, true, parsed, found),
        // Operands form one line together; an option given twice gives two lines.
        Does::RunsLine(at @ (At::Value(_) | At::ValueRest(..))) => {
            found.extend(values(at, parsed).into_iter().map(Effect::Line));
        }
        Does::RunsLine(at) => found.extend(joined(values(at, parsed)).map(Effect::Line)),
        Does::RunsLineWithMore(at) => {
            let more = |line: Value| Value { text: format!("{} {ELSEWHERE}", line.text), ..line };
            found.extend(values(at, parsed).into_iter().map(|line| Effect::Line(more(line))));
        }
        Does::RunsThere(at) => {
            let words = words(at, parsed);
            found.extend((!words.is_empty()).then_some(Effect::WordsThere(words)));
        }
        Does::RunsLineThere(at @ At::Value(_)) => found.extend(values(at, parsed).into_iter().map(Effect::LineThere)),
        Does::RunsLineThere(at) => found.extend(joined(words(at, parsed)).map(Effect::LineThere)),
        Does::RunsScript(at) => found.extend(values(at, parsed).into_iter().map(Effect::Script)),
        Does::Follows(names) => found.push(Effect::obeys(names, true)),
        Does::Obeys(names) => found.push(Effect::obeys(names, false)),
        Does::ObeysIn(at, names) => found.extend(obeyed_in(values(at, parsed), names)),
        Does::ObeysAround(names) => {
            found.push(Effect::obeys(names, false));
            found.extend(obeyed_in(parsed.mentioned(), names));
        }
        Does::Evaluates(language, at) => {
            for code in values(at, parsed) {
                found.extend(code.is_exact.then(|| code::files(language, &code.text)).into_iter().flatten());
                found.push(Effect::Code(language, code));
            }
        }
        Does::Sets(at) => found.extend(values(at, parsed).iter().filter_map(assignment)),
        Does::Is(kind) => found.push(Effect::is(kind)),
        Does::Says(kind, why) => found.push(Effect::says(kind, why)),
        Does::Hides(why) => found.push(Effect::hidden(why)),
        Does::Decides(At::Value(options)) => found.extend(parsed.undecided(options)),
        Does::Decides(at) => {
            let open = values(at, parsed).into_iter().filter(|value| value.start().is_some());
            found.extend(open.map(|value| Effect::MayDecide(value, Doubt::Operand)));
        }
        Does::By(read) | Does::ByOption(read) => found.extend(read(parsed)),
    }
}

/// The effects of obeying files with these names in folders, named as `./x[dev]` or `//x:test`.
pub(super) fn obeyed_in(folders: Vec<Value>, names: &'static str) -> impl Iterator<Item = Effect> {
    let folder = |value: Value| {
        let text = value.text.split(['[', ':']).next().unwrap_or_default().to_owned();
        Value { text, ..value }
    };
    folders.into_iter().map(folder).map(move |folder| Effect::Obeys { names, folder, is_recipe: false })
}

/// Adds another command. Where an unknown option hides its start, adds one for each possible start.
fn commands(at: At, has_variables: bool, parsed: &Parsed<'_>, found: &mut Vec<Effect>) {
    let command = |words: Vec<Value>| Effect::Words { words, more: None, has_variables };
    // The value of an option has a known position.
    let is_operand = matches!(at, At::Nth(_) | At::From(_) | At::All | At::Last | At::AllButLast | At::Rest(_));
    if !is_operand || !parsed.unknown.as_ref().is_some_and(|unknown| unknown.hides_operands) {
        let words = words(at, parsed);
        found.extend((!words.is_empty()).then(|| command(words)));
        return;
    }
    let args = &parsed.command.args;
    let guesses =
        args.iter().enumerate().take(MAX_GUESSES).filter(|(_, arg)| arg.is_exact && !arg.text.starts_with('-'));
    found.extend(guesses.map(|(from, _)| command(args[from..].to_vec())));
}

/// Values as one text; `None` if there are none.
pub(super) fn joined(values: Vec<Value>) -> Option<Value> {
    let is_exact = values.iter().all(|value| value.is_exact);
    let texts: Vec<String> = values.into_iter().map(|value| value.text).collect();
    (!texts.is_empty()).then(|| Value { text: texts.join(" "), is_exact, has_pattern: false })
}

/// `NAME=value` as the setting of a variable.
fn assignment(value: &Value) -> Option<Effect> {
    if value.start().is_some_and(|start| !start.contains('=')) {
        return Some(Effect::hidden("a variable whose name is known only when it runs"));
    }
    let (name, text) = value.text.split_once('=')?;
    Some(Effect::Sets(name.to_owned(), Value { text: text.to_owned(), ..value.clone() }))
}
