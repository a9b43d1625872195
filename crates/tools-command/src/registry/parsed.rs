//! The arguments of a command, parsed by its program's description: the options, the subcommand and
//! the operands. What the description does not list is kept as unknown; the caller decides what
//! that means.

use super::doubt::Doubt;
use super::index::ValueForm;
use super::options::{self, OptionSpelling};
use super::spec::{Otherwise, Program, Rule, Style, Subcommand, Syntax};
use crate::effect::Effect;
use crate::reader::{Command, Value};

/// An option that is given.
#[derive(Debug, Clone)]
pub(crate) struct GivenOption {
    /// The option's spellings, joined by `|`, as in the description.
    pub(crate) spellings: &'static str,
    /// The value, if the option has one.
    pub(crate) value: Option<Value>,
    /// Index of the option among the arguments.
    pub(crate) at: usize,
}

/// An option that the description does not know.
#[derive(Debug, Clone)]
pub(crate) struct UnknownOption {
    /// The argument.
    pub(crate) option: String,
    /// Whether it precedes the position of the subcommand, so that the subcommand is uncertain.
    pub(crate) hides_subcommand: bool,
    /// Whether it precedes every operand, so that the first operand is uncertain.
    pub(crate) hides_operands: bool,
}

/// The arguments of a command, parsed by its program's description.
#[derive(Debug)]
pub(crate) struct Parsed<'a> {
    /// The command.
    pub(crate) command: &'a Command,
    /// The description.
    pub(crate) program: &'static Program,
    /// The subcommands that were found, outermost first.
    pub(crate) path: Vec<&'static Subcommand>,
    /// The first spelling of each subcommand.
    pub(super) names: Vec<&'static str>,
    /// The known options.
    pub(crate) options: Vec<GivenOption>,
    /// Positions of the operands, ascending, including those after `--`.
    pub(crate) operands: Vec<usize>,
    /// Index of `--`.
    pub(crate) dashes: Option<usize>,
    /// The first option that the description does not know.
    pub(crate) unknown: Option<UnknownOption>,
    /// The word at the position of a subcommand that is not listed as one, with the meaning of
    /// that.
    pub(crate) unlisted: Option<(Value, Otherwise)>,
    /// Positions of the words that name the subcommand.
    pub(crate) words: Vec<usize>,
    /// Positions directly after options that may take a value, and after words that may be such
    /// options.
    valued_perhaps: Vec<usize>,
    /// Spellings of the options that are given but negated: `--dry-run=false`.
    denied: Vec<&'static str>,
    /// Positions of the options whose names are completed at run time, ascending.
    pub(super) incomplete: Vec<usize>,
    /// Position after an option that ended the options.
    pub(super) ended: Option<usize>,
}

impl<'a> Parsed<'a> {
    /// Reads a command's arguments.
    pub(crate) fn of(program: &'static Program, command: &'a Command) -> Self {
        let mut parsed = Self {
            command,
            program,
            path: Vec::new(),
            names: Vec::new(),
            options: Vec::new(),
            operands: Vec::new(),
            dashes: None,
            unknown: None,
            unlisted: None,
            words: Vec::new(),
            valued_perhaps: Vec::new(),
            denied: Vec::new(),
            incomplete: Vec::new(),
            ended: None,
        };
        parsed.read();
        parsed
    }

    /// The operand with this number.
    pub(crate) fn operand(&self, number: usize) -> Option<&'a Value> {
        self.operands.get(number).map(|at| &self.command.args[*at])
    }

    /// Every operand.
    pub(crate) fn operands(&self) -> impl DoubleEndedIterator<Item = &'a Value> + '_ {
        self.operands.iter().map(|at| &self.command.args[*at])
    }

    /// The arguments from the operand with this number on, including options.
    pub(crate) fn from(&self, number: usize) -> &'a [Value] {
        self.operands.get(number).map_or(&[], |at| &self.command.args[*at..])
    }

    /// The arguments after `--`; empty if there is none.
    pub(crate) fn after_dashes(&self) -> &'a [Value] {
        self.dashes.map_or(&[], |at| &self.command.args[at + 1..])
    }

    /// What arguments up to `--` may name: those that are no option, and what is attached to one.
    /// This holds for options that are not known, too.
    pub(super) fn mentioned(&self) -> Vec<Value> {
        let end = self.dashes.unwrap_or(self.command.args.len());
        let own = self.command.args[..end].iter().enumerate().filter(|(at, _)| !self.words.contains(at));
        let named = own.filter_map(|(_, arg)| {
            let text = match arg.text.strip_prefix('-') {
                None => arg.text.as_str(),
                Some(_) if !arg.is_exact => return None,
                Some(option) => match option.split_once('=') {
                    Some((_, value)) => value,
                    None => option.strip_prefix(|_: char| !option.starts_with('-'))?,
                },
            };
            let text = ["//", "file:", "path:"].iter().find_map(|start| text.strip_prefix(start)).unwrap_or(text);
            (!text.is_empty()).then(|| Value { text: text.to_owned(), ..arg.clone() })
        });
        named.collect()
    }

    /// Whether one of these options is given, in any spelling. `options` are separated by blanks.
    pub(crate) fn has(&self, options: &str) -> bool {
        self.given(options).next().is_some()
    }

    /// Whether one of these options is certainly given. An option after an unknown one may be the
    /// value of that: `--notes --help`. Of `--dry-run --no-dry-run` one program follows the last,
    /// another the first.
    pub(super) fn surely_has(&self, options: &str) -> bool {
        let is_false = |at: usize| self.command.args.get(at + 1).is_some_and(|next| next.text == "false");
        self.given(options).any(|given| {
            let is_denied = self.denied.contains(&given.spellings) || self.is_negated(given.spellings);
            // A letter in a cluster of an unlisted option: `-Dhost=x` does not contain `-h`.
            let is_any = |other: &GivenOption| other.at == given.at && other.spellings == options::ANY;
            let is_sure = given.spellings == options::ANY || !self.options.iter().any(is_any);
            is_sure && !is_denied && !is_false(given.at) && !self.valued_perhaps.contains(&given.at)
        })
    }

    /// Whether an argument negates one of these spellings with `--no-`, in full or abbreviated.
    fn is_negated(&self, spellings: &str) -> bool {
        let names = || spellings.split('|').filter_map(|one| one.strip_prefix("--"));
        let negated = self.command.options().filter_map(|option| option.strip_prefix("--no-"));
        negated
            .map(|rest| rest.split('=').next().unwrap_or_default())
            .any(|rest| !rest.is_empty() && names().any(|name| name.starts_with(rest)))
    }

    /// Those of these options that are given.
    pub(crate) fn given<'b>(&'b self, options: &'b str) -> impl DoubleEndedIterator<Item = &'b GivenOption> {
        let is_meant =
            |given: &&GivenOption| given.spellings.split('|').any(|one| options.split(' ').any(|option| option == one));
        self.options.iter().filter(is_meant)
    }

    /// The values of these options.
    pub(crate) fn values<'b>(&'b self, options: &'b str) -> impl Iterator<Item = &'b Value> {
        self.given(options).filter_map(|given| given.value.as_ref())
    }

    /// The values of these options, each with the argument that contains it.
    pub(super) fn arguments<'b>(&'b self, options: &'b str) -> impl Iterator<Item = (&'b Value, &'a Value)> {
        self.given(options).filter_map(|given| {
            let value = given.value.as_ref()?;
            let next = self.command.args.get(given.at + 1).filter(|next| *next == value);
            Some((value, next.unwrap_or(&self.command.args[given.at])))
        })
    }

    /// Positions of the arguments that are values of options.
    pub(super) fn positions_of_values(&self) -> Vec<usize> {
        let is_next =
            |given: &&GivenOption| given.value.is_some() && given.value.as_ref() == self.command.args.get(given.at + 1);
        self.options.iter().filter(is_next).map(|given| given.at + 1).collect()
    }

    /// The unknown values of these options, as arguments that decide what is done.
    pub(super) fn undecided(&self, options: &str) -> Vec<Effect> {
        let open = self.arguments(options).filter(|(value, _)| value.start().is_some());
        open.map(|(_, argument)| Effect::MayDecide(argument.clone(), Doubt::Value)).collect()
    }

    /// Those of these options of the program itself that are given; only those before the
    /// subcommand in the [`Style::Leading`] style.
    pub(crate) fn globals<'b>(&'b self, options: &'b str) -> impl DoubleEndedIterator<Item = &'b GivenOption> {
        let end = self.words.first().filter(|_| self.program.style == Style::Leading);
        self.given(options).filter(move |given| end.is_none_or(|end| given.at < *end))
    }

    /// An opaque effect if an unknown option hides which argument is the first operand.
    pub(crate) fn doubt(&self) -> Option<Effect> {
        let unknown = self.unknown.as_ref().filter(|unknown| unknown.hides_operands)?;
        let name = self.command.name();
        Some(Effect::hidden(format!("the option `{}` of `{name}` is not known", unknown.option)))
    }

    /// The value of the first of these options that is given, and every argument after it.
    pub(crate) fn behind(&self, options: &str) -> Vec<Value> {
        let Some(given) = self.given(options).next() else { return Vec::new() };
        let rest = self.command.args.get(given.at + 1..).unwrap_or_default();
        let is_next = given.value.as_ref().is_some_and(|value| rest.first() == Some(value));
        let attached = given.value.iter().filter(|_| !is_next).cloned();
        attached.chain(rest.iter().cloned()).collect()
    }

    /// The first spelling of the innermost subcommand; empty if there is none.
    pub(crate) fn subcommand(&self) -> &'static str {
        self.names.last().copied().unwrap_or_default()
    }

    /// The rules of the subcommands that were found, then those of the program.
    pub(super) fn rules(&self) -> impl Iterator<Item = &'static Rule> + '_ {
        self.path.iter().flat_map(|found| found.rules).chain(self.program.rules)
    }

    pub(super) fn syntaxes(&self) -> impl Iterator<Item = Syntax> + '_ {
        let all = self.path.iter().rev().map(|found| found.syntax).chain([self.program.syntax()]);
        all.enumerate()
            .filter(|(depth, syntax)| *depth == 0 || syntax.style != Style::Leading)
            .map(|(_, syntax)| syntax)
    }

    fn subcommands(&self) -> &'static [Subcommand] {
        self.path.last().map_or(self.program.subcommands, |found| found.subcommands)
    }

    fn read(&mut self) {
        let args = &self.command.args;
        let mut at = 0;
        while at < args.len() {
            let arg = &args[at];
            if self.dashes.is_some() || self.is_operand(arg) {
                self.operand_at(at);
                let style = self.syntaxes().next().map(|syntax| syntax.style);
                if style == Some(Style::Leading) && !self.operands.is_empty() {
                    self.operands.extend(at + 1..args.len());
                    return;
                }
                at += 1;
            } else if arg.text == "--" {
                self.dashes = Some(at);
                at += 1;
            } else {
                at = self.option_at(at);
                if self.ended.is_some() {
                    return self.operands.extend(at..args.len());
                }
            }
        }
    }

    fn is_operand(&self, arg: &Value) -> bool {
        let text = arg.text.as_str();
        // An unknown value may be an option; it counts as an operand, where it could do the most.
        text == "-" || !(text.starts_with('-') || text.starts_with('+') && self.takes_plus())
    }

    /// Whether options may begin with a plus.
    fn takes_plus(&self) -> bool {
        self.syntaxes().any(|syntax| syntax.optional.split([' ', '|']).any(|one| one == "+*"))
    }

    /// The subcommand that a word names at this point, and its first spelling.
    fn named(&self, word: &str) -> Option<(&'static Subcommand, &'static str)> {
        let spelled = |is: fn(&str, &str) -> bool| {
            let all = self.subcommands().iter().flat_map(|one| one.spellings().map(move |names| (one, names)));
            all.filter(move |(_, names)| names.clone().any(|name| is(name, word)))
        };
        let found = spelled(|name, word| name == word).next().or_else(|| {
            let mut begun = spelled(|name, word| name.starts_with(word));
            let first = begun.next().filter(|_| self.program.abbreviates && !word.is_empty());
            first.filter(|_| begun.next().is_none())
        });
        found.and_then(|(one, mut names)| Some((one, names.next()?)))
    }

    /// Whether a word at this point may be a subcommand.
    fn awaits_subcommand(&self) -> bool {
        self.operands.is_empty() && self.unlisted.is_none() && !self.subcommands().is_empty()
    }

    fn operand_at(&mut self, at: usize) {
        let arg = &self.command.args[at];
        self.valued_perhaps.extend((!arg.is_exact).then_some(at + 1));
        if !self.awaits_subcommand() {
            return self.operands.push(at);
        }
        match self.named(&arg.text).filter(|_| arg.is_exact) {
            Some((found, name)) => {
                self.path.push(found);
                self.names.push(name);
                self.words.push(at);
            }
            None if self.path.is_empty() || !arg.is_exact => {
                let is_plain = self.program.plain.split_ascii_whitespace().any(|one| one == arg.text);
                let otherwise = if is_plain { Otherwise::Plain } else { self.program.otherwise };
                self.unlisted = Some((arg.clone(), otherwise));
                self.words.push(at);
            }
            None => self.operands.push(at),
        }
    }

    /// Reads the option at a position and returns the next position.
    fn option_at(&mut self, at: usize) -> usize {
        let args = &self.command.args;
        let syntaxes: Vec<Syntax> = self.syntaxes().collect();
        let mut next = at + 1;
        let mut is_last = false;
        self.incomplete.extend(options::is_incomplete(&args[at], &syntaxes).then_some(at));
        for spelled in options::read(&args[at], &syntaxes) {
            match spelled {
                OptionSpelling::Known { spellings, meaning, attached } => {
                    is_last |= meaning == ValueForm::Last;
                    let is_any = spellings == options::ANY && !args[at].text.contains('=');
                    self.valued_perhaps.extend(is_any.then_some(next));
                    let value = match (meaning, attached) {
                        (ValueForm::Flag, _) => None,
                        (ValueForm::Optional, attached) => attached,
                        (ValueForm::Valued | ValueForm::Last, Some(attached)) => Some(attached),
                        (ValueForm::Valued | ValueForm::Last, None) => {
                            next = at + 2;
                            args.get(at + 1).cloned()
                        }
                    };
                    self.options.push(GivenOption { spellings, value, at });
                }
                OptionSpelling::Denied(spellings) => self.denied.push(spellings),
                OptionSpelling::Unknown(option) => {
                    self.valued_perhaps.extend((!option.contains('=')).then_some(next));
                    let (hides_subcommand, hides_operands) = (self.awaits_subcommand(), self.operands.is_empty());
                    self.unknown.get_or_insert(UnknownOption { option, hides_subcommand, hides_operands });
                }
            }
        }
        let next = next.min(args.len());
        self.ended = is_last.then_some(next).or(self.ended);
        next
    }
}
