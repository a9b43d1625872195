//! Words whose value is chosen by the line or by a text that it reads. Such a word may become any
//! option of the program that gets it. Names of existing files and variables that the line does not
//! set count as data.

use std::collections::{BTreeMap, BTreeSet};

use super::builtins;
use super::command::{Command, ELSEWHERE, PLACEHOLDER, Surroundings, Value};
use super::line::{Reader, last_part};
use super::numbers::{PrintedText, printed};
use crate::grammar::{Feed, Operator, Parameter, Parsed, Part, Word, parse, parse_word};
use crate::registry::{self, Doubt};

/// Builtins that read input into variables.
const READING: [&str; 3] = ["read", "mapfile", "readarray"];
/// Variables that bash itself sets to a text from the line.
const TAKEN: [&str; 5] = ["REPLY", "MAPFILE", "BASH_REMATCH", "OPTARG", "_"];
/// Parameters of a function, a script or a shell.
const PARAMETERS: &str = "@*123456789";
/// Maximum number of passes over a line. One pass misses variables that are set from later ones:
/// functions precede their calls.
const ROUNDS: usize = 8;

/// Maximum number of texts kept per variable.
const MAX_TEXTS: usize = 50;
/// Maximum length in bytes of a text for which the results of cutting off a part are computed.
const MAX_CUT_BYTES: usize = 256;

/// Variables that the line sets to values it chooses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChosenVariables {
    /// Variables that may hold an option.
    options: BTreeSet<String>,
    /// Variables that may hold something other than a number, and so may complete an option's name.
    words: BTreeSet<String>,
    /// Variables that may hold any text except a file name.
    verbs: BTreeSet<String>,
    /// Variables that may be empty.
    empty: BTreeSet<String>,
    /// Variables that may hold an unknown or overlong text with a dash: a part of it may be an
    /// option.
    dashes: BTreeSet<String>,
    /// The texts and patterns that the line assigns to each variable, at any time.
    texts: BTreeMap<String, Vec<Value>>,
    /// The words that the line gives to arrays and to parameters.
    lists: BTreeMap<String, Vec<String>>,
}

impl ChosenVariables {
    fn extend(&mut self, names: impl IntoIterator<Item = String>) {
        for name in names {
            self.words.insert(name.clone());
            self.verbs.insert(name.clone());
            self.options.insert(name);
        }
    }

    fn count(&self) -> usize {
        self.options.len() + self.words.len() + self.verbs.len() + self.empty.len() + self.dashes.len()
    }

    /// Notes a value that a variable may hold.
    pub(super) fn hold(&mut self, name: &str, value: Value) {
        let texts = self.texts.entry(name.to_owned()).or_default();
        if !value.is_exact || texts.contains(&value) {
            return;
        }
        if value.text.contains('-') && (texts.len() >= MAX_TEXTS || value.text.len() > MAX_CUT_BYTES) {
            self.dashes.insert(name.to_owned());
        }
        if texts.len() < MAX_TEXTS {
            texts.push(value);
        }
    }

    /// Texts that a word may expand to, by the values that the line assigns to its variables.
    pub(super) fn texts(&self, word: &Word, around: &Surroundings) -> Vec<Value> {
        let given = |part: &Part| if let Part::Variable { name, .. } = part { self.texts.get(name) } else { None };
        let count = word.parts.iter().filter_map(given).map(Vec::len).max().unwrap_or_default();
        let text = |at: usize| {
            let one = |name: &str| self.texts.get(name).and_then(|texts| texts.get(at).or(texts.last()));
            let has_pattern =
                word.parts.iter().filter_map(given).any(|texts| texts.iter().any(|text| text.has_pattern));
            let value = Value::of(word, around, |name, _| one(name).map(|value| value.text.as_str()));
            Value { has_pattern: value.has_pattern || has_pattern, ..value }
        };
        (0..count).map(text).filter(|text| text.is_exact).collect()
    }

    /// Every text that the line gives a variable, and the words of an array as one.
    pub(super) fn given(&self, name: &str) -> impl Iterator<Item = String> {
        let texts = self.texts.get(name).into_iter().flatten().map(|value| value.text.clone());
        texts.chain(self.lists.get(name).map(|words| words.join(" ")))
    }

    /// Notes words that an array or the parameters get, behind those that they have.
    fn list<'a>(&mut self, name: &str, words: impl IntoIterator<Item = &'a Word>) {
        let list = self.lists.entry(name.to_owned()).or_default();
        for text in words.into_iter().filter_map(Word::literal) {
            if list.len() < MAX_TEXTS && !list.contains(&text) {
                list.push(text);
            }
        }
    }

    pub(super) fn may_be_empty(&self, name: &str) -> bool {
        self.empty.contains(name)
    }

    fn may_be_option(&self, name: &str) -> bool {
        TAKEN.contains(&name) || self.options.contains(name)
    }

    /// Whether the line assigns the variable a value.
    fn is_set(&self, name: &str) -> bool {
        self.texts.contains_key(name) || self.may_be_option(name)
    }

    /// Whether the variable may hold a dash that comes from the line.
    fn may_have_dash(&self, name: &str) -> bool {
        self.may_be_option(name)
            || self.dashes.contains(name)
            || self.texts.get(name).is_some_and(|texts| texts.iter().any(|text| text.text.contains('-')))
    }

    fn may_be_word(&self, name: &str) -> bool {
        TAKEN.contains(&name) || self.words.contains(name)
    }
}

impl Reader<'_> {
    /// Notes which variables a text sets to values that it chooses.
    pub(super) fn choose(&mut self, parsed: &Parsed) {
        for _ in 0..ROUNDS {
            let before = self.chosen.count();
            for setting in &parsed.settings {
                self.choose_word(&setting.name, &setting.value);
            }
            for at in 0..parsed.commands.len() {
                self.choose_by(parsed, at);
            }
            if self.chosen.count() == before {
                return;
            }
        }
        self.opaque("variables that are set from each other too often");
    }

    /// Notes that a variable gets a value, which may be known only in part.
    pub(super) fn choose_value(&mut self, name: &str, value: &Value) {
        if !value.is_exact {
            match parse_word(&value.text) {
                Some(word) => return self.choose_word(name, &word),
                None => return self.chosen.extend([name.to_owned()]),
            }
        }
        self.chosen.hold(name, value.clone());
        self.choose_text(name, &value.text);
    }

    fn choose_word(&mut self, name: &str, word: &Word) {
        self.chosen.hold(name, Value::of(word, self.surroundings, |_, _| None));
        if let [Part::Array(words)] = word.parts.as_slice() {
            self.chosen.list(name, words);
        }
        if let Some(text) = word.literal() {
            return self.choose_text(name, &text);
        }
        if self.text_if_unset(word).is_some_and(|text| text.is_empty()) {
            self.chosen.empty.insert(name.to_owned());
        }
        self.choose_words(&[name.to_owned()], &[word]);
    }

    /// Notes that variables get values, each of which may be any of these words.
    fn choose_words(&mut self, names: &[String], given: &[&Word]) {
        if given.iter().any(|word| self.leaves_option(word)) {
            self.chosen.options.extend(names.iter().cloned());
        }
        if given.iter().any(|word| self.may_have_dash(word)) {
            self.chosen.dashes.extend(names.iter().cloned());
        }
        if given.iter().any(|word| self.holds_verb(word)) {
            self.chosen.verbs.extend(names.iter().cloned());
        }
        if given.iter().any(|word| self.holds_word(word)) {
            self.chosen.words.extend(names.iter().cloned());
        }
    }

    fn choose_text(&mut self, name: &str, text: &str) {
        if text.is_empty() {
            self.chosen.empty.insert(name.to_owned());
        }
        if is_option(text) {
            self.chosen.options.insert(name.to_owned());
        }
        if is_verb(text) {
            self.chosen.verbs.insert(name.to_owned());
        }
        if !is_number(text) {
            self.chosen.words.insert(name.to_owned());
        }
    }

    fn choose_by(&mut self, parsed: &Parsed, at: usize) {
        let command = &parsed.commands[at];
        let program = command.words.first().and_then(Word::literal).unwrap_or_default();
        let rest: Vec<&Word> = command.words.iter().skip(1).collect();
        let is_reference = rest.iter().filter_map(|word| word.literal()).any(|option| option == "-n");
        for (name, word) in &command.assignments {
            self.choose_word(name, word);
            self.chosen.extend(word.literal().filter(|_| is_reference));
        }
        let names = || rest.iter().filter_map(|word| word.literal()).filter(|name| !name.starts_with('-'));
        if READING.contains(&program.as_str()) {
            let is_names = match &command.feed {
                Feed::Pipe(range) => self.prints_names(&parsed.commands, range.clone()),
                // The input of a loop around the command.
                Feed::None => at > 0 && self.prints_names(&parsed.commands, 0..at),
                Feed::Text(_) | Feed::Unknown => false,
            };
            if is_names {
                self.chosen.words.extend(names());
            } else {
                self.chosen.extend(names());
            }
        } else if program == "printf" && rest.first().and_then(|word| word.literal()).as_deref() == Some("-v") {
            self.chosen.extend(names().take(1));
        } else if let Some(from) = self.parameters_from(&program, &rest) {
            let parameters: Vec<String> = PARAMETERS.chars().map(String::from).collect();
            let given = rest.get(from..).unwrap_or_default();
            self.choose_words(&parameters, given);
            for name in &parameters {
                self.chosen.list(name, given.iter().copied());
            }
        }
    }

    /// Position of the first argument of a command that becomes a parameter; `None` if none does.
    fn parameters_from(&self, program: &str, args: &[&Word]) -> Option<usize> {
        if self.functions.contains(program) {
            return Some(0);
        }
        if program == "set" {
            return Some(behind_settings(args));
        }
        registry::is_shell(last_part(program)).then_some(2)
    }

    /// Whether a word may be an option that the line chooses, or is an option if the variables that
    /// the line does not set are empty.
    pub(super) fn leaves_option(&self, word: &Word) -> bool {
        self.may_be_option(word) || self.text_if_unset(word).is_some_and(|text| is_option(&text))
    }

    /// Whether a word may be a text that the line chooses and that is not the name of an existing
    /// file.
    pub(super) fn holds_verb(&self, word: &Word) -> bool {
        let is_name = word.parts.iter().any(|part| matches!(part, Part::Glob(_)));
        if let Some(text) = word.literal() {
            return is_verb(&text);
        }
        !is_name && (word.has_braces || word.parts.iter().any(|part| self.may_be_verb(part)))
    }

    /// The same for a part of a word.
    fn may_be_verb(&self, part: &Part) -> bool {
        match part {
            Part::Text { .. } | Part::Number { .. } | Part::Tilde(_) | Part::Glob(_) => false,
            Part::Variable { name, .. } => TAKEN.contains(&name.as_str()) || self.chosen.verbs.contains(name),
            Part::Output { text, .. } => !self.prints_data(text),
            Part::Parameter(parameter) => {
                parameter.operator == Operator::Other && self.arithmetic.is_set(&parameter.name)
                    || self.chosen.verbs.contains(&parameter.name)
                    || parameter.operator == Operator::Default && is_verb(&parameter.word.source)
            }
            Part::Array(_) | Part::Dynamic => true,
        }
    }

    /// Whether a word may be an option that the line chooses.
    pub(super) fn may_be_option(&self, word: &Word) -> bool {
        if let Some(text) = word.literal() {
            return is_option(&text);
        }
        for part in &word.parts {
            return match part {
                Part::Text { text, .. } if text.is_empty() => continue,
                Part::Text { text, .. } => text.starts_with('-') || text.contains(" -") || self.splits(word),
                Part::Output { text, .. } => !self.prints_data(text),
                Part::Variable { name, .. } => self.chosen.may_be_option(name),
                Part::Parameter(parameter) => {
                    let left = self.left(parameter);
                    let is_option = self.chosen.may_be_option(&parameter.name)
                        || self.is_changed(parameter)
                        || left.iter().any(|text| is_option(text))
                        || parameter.operator == Operator::TrimStart && self.chosen.dashes.contains(&parameter.name)
                        || parameter.word.source.trim_start_matches(['"', '\'', '$']).starts_with('-');
                    // If this part may be empty, the next part may begin the word.
                    if !is_option && left.iter().any(String::is_empty) {
                        continue;
                    }
                    is_option
                }
                Part::Array(words) => words.iter().any(|word| self.may_be_option(word)),
                _ => false,
            };
        }
        false
    }

    /// Whether an operator changes the value of a variable that the line sets.
    fn is_changed(&self, parameter: &Parameter) -> bool {
        let name = &parameter.name;
        parameter.operator == Operator::Other && (self.chosen.is_set(name) || self.arithmetic.is_set(name))
    }

    /// The texts that may remain of a variable's values when a part is cut off.
    fn left(&self, parameter: &Parameter) -> Vec<String> {
        let is_start = match parameter.operator {
            Operator::TrimStart => true,
            Operator::TrimEnd => false,
            _ => return Vec::new(),
        };
        let pattern = CutPattern::of(&parameter.word);
        let texts = self.chosen.texts.get(&parameter.name).into_iter().flatten().map(|value| value.text.as_str());
        let texts = texts.filter(|text| text.len() <= MAX_CUT_BYTES);
        let cuts = texts.flat_map(|text| {
            let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            places
                .map(move |at| text.split_at(at))
                .map(move |(head, tail)| if is_start { (head, tail) } else { (tail, head) })
        });
        cuts.filter(|(cut, _)| cut.is_empty() || pattern.may_be(cut)).map(|(_, left)| left.to_owned()).collect()
    }

    /// Whether a word may contain a dash that comes from the line.
    fn may_have_dash(&self, word: &Word) -> bool {
        let has_dash = |part: &Part| match part {
            Part::Variable { name, .. } => self.chosen.may_have_dash(name),
            Part::Parameter(parameter) => self.chosen.may_have_dash(&parameter.name),
            _ => false,
        };
        word.source.contains('-') || word.parts.iter().any(has_dash)
    }

    /// Whether a single word, chosen by the line or by what it reads, may give the builtin both an
    /// evaluating option and the text after it.
    pub(super) fn may_evaluate(&self, command: &Command) -> bool {
        let options = builtins::evaluating(command.name());
        // `test` compares its words, so only a word that is split can be an option and its
        // argument.
        let is_test = matches!(command.name(), "test" | "[");
        let count = if command.name() == "printf" { 1 } else { command.args.len() };
        let is_feared = |text: &Value| options.iter().any(|option| text.text.contains(option) && text.text != *option);
        !options.is_empty()
            && command.args.iter().take(count).filter(|arg| !arg.is_exact).any(|arg| {
                let Some(word) = parse_word(&arg.text) else { return true };
                let is_chosen = if is_test { self.splits_unknown(&word) } else { self.may_be_option(&word) };
                let texts = self.chosen.texts(&word, self.surroundings);
                is_chosen && (texts.iter().any(is_feared) || !texts.iter().any(|text| is_option(&text.text)))
            })
    }

    /// Whether word splitting may make arbitrary words of a word, by what the line or a file says.
    fn splits_unknown(&self, word: &Word) -> bool {
        let (outputs, rest): (Vec<Part>, _) =
            word.parts.iter().cloned().partition(|part| matches!(part, Part::Output { .. }));
        let is_unknown = |part: &Part| matches!(part, Part::Output { text, quoted: false } if !self.prints_data(text));
        outputs.iter().any(is_unknown) || self.splits(&Word { parts: rest, ..word.clone() })
    }

    /// Whether commands print a number.
    fn prints_number(&self, text: &str) -> bool {
        matches!(printed(text), PrintedText::Number(program) if !self.functions.contains(&program))
    }

    /// Whether commands print a number, or names of existing files.
    fn prints_data(&self, text: &str) -> bool {
        self.prints_number(text)
            || parse(text).is_ok_and(|inner| self.prints_names(&inner.commands, 0..inner.commands.len()))
    }

    /// Whether word splitting may yield options that the line chooses.
    fn splits(&self, word: &Word) -> bool {
        let is_split = |part: &Part| match part {
            Part::Output { text, quoted: false } => parse(text).map_or(true, |inner| {
                !self.prints_names(&inner.commands, 0..inner.commands.len()) && !self.prints_files(&inner.commands)
            }),
            Part::Variable { name, quoted: false } => self.chosen.may_be_option(name),
            Part::Parameter(parameter) if !parameter.quoted => {
                self.chosen.may_be_option(&parameter.name)
                    || self.is_changed(parameter)
                    || parameter.word.source.contains(" -")
            }
            _ => false,
        };
        word.has_braces && word.source.contains('-') || word.parts.iter().any(is_split)
    }

    /// Whether a word may be something other than a number, by what the line says.
    fn holds_word(&self, word: &Word) -> bool {
        word.has_braces || word.parts.iter().any(|part| self.may_be_word(part))
    }

    /// The same for a part of a word.
    fn may_be_word(&self, part: &Part) -> bool {
        match part {
            Part::Text { text, .. } => !is_number(text),
            Part::Variable { name, .. } => self.chosen.may_be_word(name),
            Part::Output { text, .. } => !self.prints_number(text),
            // The word of a trim operator is a pattern, not a value.
            Part::Parameter(parameter) => {
                parameter.operator == Operator::Other
                    || self.chosen.may_be_word(&parameter.name)
                    || parameter.operator == Operator::Default && !is_number(&parameter.word.source)
            }
            Part::Array(_) | Part::Dynamic => true,
            Part::Number { .. } | Part::Tilde(_) | Part::Glob(_) => false,
        }
    }

    /// Whether an argument that is not known may be an option chosen by the line or by a text that
    /// it reads.
    pub(super) fn is_chosen(&self, command: &Command, arg: &Value, doubt: Doubt) -> bool {
        let is_handed_on = command.via.iter().any(|via| matches!(via.as_str(), "xargs" | "gxargs" | "parallel"));
        let is_placed = arg.text == ELSEWHERE || arg.text.contains(PLACEHOLDER);
        if is_handed_on && command.is_open && is_placed {
            return match doubt {
                Doubt::Whole | Doubt::Operand => !self.is_fed_names,
                Doubt::Name | Doubt::Value => true,
                Doubt::Words => false,
            };
        }
        if arg.is_exact {
            // The pattern may match a file that the line has made.
            return arg.has_pattern && doubt == Doubt::Name;
        }
        parse_word(&arg.text).is_none_or(|word| match doubt {
            Doubt::Whole => self.may_be_option(&word) || self.splits(&word),
            Doubt::Words => self.splits(&word),
            Doubt::Operand => word.has_braces || word.parts.iter().any(|part| self.may_be_verb(part)),
            Doubt::Name | Doubt::Value => {
                let is_chosen = |part: &Part| !matches!(part, Part::Text { .. }) && self.may_be_word(part);
                word.has_braces || word.parts.iter().any(is_chosen)
            }
        })
    }
}

/// A pattern that cuts off a part of a text: the literal pieces between wildcards. `None` where the
/// pattern is not known.
struct CutPattern(Option<Vec<String>>);

impl CutPattern {
    fn of(word: &Word) -> Self {
        let mut pieces = vec![String::new()];
        for part in &word.parts {
            match part {
                Part::Text { text, .. } if !text.contains(['(', '[']) => {
                    let mut own = text.split(['*', '?']).map(str::to_owned);
                    pieces.last_mut().expect("there is one").push_str(&own.next().unwrap_or_default());
                    pieces.extend(own);
                }
                Part::Glob('*' | '?') => pieces.push(String::new()),
                _ => return Self(None),
            }
        }
        Self(Some(pieces))
    }

    /// Whether the pattern may match the whole text.
    fn may_be(&self, text: &str) -> bool {
        let Some(pieces) = &self.0 else { return true };
        let (first, rest) = pieces.split_first().expect("there is one");
        let Some((last, middle)) = rest.split_last() else { return text == first };
        let Some(mut open) = text.strip_prefix(first.as_str()).and_then(|text| text.strip_suffix(last.as_str())) else {
            return false;
        };
        middle.iter().all(|piece| match open.split_once(piece.as_str()) {
            Some((_, behind)) => {
                open = behind;
                true
            }
            None => false,
        })
    }
}

/// Index of the first parameter among the arguments of `set`.
fn behind_settings(args: &[&Word]) -> usize {
    let mut at = 0;
    while let Some(text) = args.get(at).and_then(|word| word.literal()) {
        at += match text.as_str() {
            "--" | "-" => return at + 1,
            setting if setting.starts_with(['-', '+']) => 1 + usize::from(setting.ends_with('o')),
            _ => break,
        };
    }
    at
}

/// Whether a text is an option, or has one after a blank.
fn is_option(text: &str) -> bool {
    let is_given = text.strip_prefix('-').is_some_and(|rest| !rest.is_empty() && !is_number(rest));
    is_given || text.contains(" -")
}

/// Whether a text is neither a number nor like the name of a file.
fn is_verb(text: &str) -> bool {
    let is_name = text.contains(['/', '.', '*']) && !text.contains([' ', '!', '|', '@', '+', '=']);
    !text.is_empty() && !is_number(text) && !is_name
}

/// Whether a text is a number. An empty text is not: it leaves the text next to it unchanged.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
