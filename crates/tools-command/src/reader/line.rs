//! From a text to what it runs: reads it, unwraps wrappers and inner shells, and hands each program to the rules of
//! `programs`. Recursion is bounded; whatever goes beyond is opaque.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::appended::Own;
use super::arithmetic::Arithmetic;
use super::builtins;
use super::command::{Analysis, Command, ELSEWHERE, Input, PLACEHOLDER, Surroundings, Value, elsewhere};
use super::content::Content;
use super::known::Known;
use super::programs::{self, Verdict};
use super::shells::{self, Source};
use super::{options, wrappers};
use crate::code;
use crate::grammar::{Feed, Parsed, Part, Simple, Word, parse};
use crate::plain_path;
use crate::registry::{self, shorten};

/// Texts within texts within texts.
const DEEPEST: u32 = 12;
/// More commands than these are not listed.
const MOST: usize = 1_000;
/// Words at which the command of a wrapper is looked for when one of its options is not known.
const MOST_GUESSES: usize = 6;

/// Finds everything a text would run. Total: any text gives an answer.
pub fn analyse(text: &str, surroundings: &Surroundings) -> Analysis {
    let mut reader = Reader {
        surroundings,
        found: Analysis::default(),
        written: BTreeSet::new(),
        arithmetic: Arithmetic::default(),
        functions: BTreeSet::new(),
        folder: Some(surroundings.workdir.clone()),
        placeholders: Vec::new(),
        known: Known::default(),
        inherited: Input::None,
        containing: Vec::new(),
        begun: 0,
        depth: 0,
    };
    reader.text(text, &[]);
    if let Some(why) = reader.arithmetic.objection(&reader.functions) {
        reader.opaque(why);
    }
    reader.found
}

pub(super) struct Reader<'a> {
    pub(super) surroundings: &'a Surroundings,
    pub(super) found: Analysis,
    /// Files this line writes, as it names them.
    pub(super) written: BTreeSet<String>,
    pub(super) arithmetic: Arithmetic,
    /// Functions the line defines.
    pub(super) functions: BTreeSet<String>,
    pub(super) folder: Option<String>,
    /// What `xargs -I` or `find -exec` replaces.
    pub(super) placeholders: Vec<String>,
    /// What the variables of the text that is read hold.
    known: Known,
    /// What the commands of the text that is read get where they have no input of their own.
    inherited: Input,
    /// The commands that the one that is judged is an argument of, by their places in what was found.
    pub(super) containing: Vec<usize>,
    /// Where the commands begin that were found in the arguments of one simple command.
    pub(super) begun: usize,
    depth: u32,
}

impl Reader<'_> {
    /// Reads a whole text run through `via`.
    pub(super) fn text(&mut self, text: &str, via: &[String]) {
        if self.depth >= DEEPEST {
            return self.opaque("commands nested too deeply");
        }
        if self.placeholders.iter().any(|placeholder| text.contains(placeholder.as_str())) {
            self.opaque("a line for a shell that is completed only when it runs");
        }
        self.depth += 1;
        match parse(text) {
            Ok(parsed) => {
                self.parsed(&parsed, via);
                if self.depth == 1 {
                    self.found.last_pipeline = parsed.last_pipeline;
                }
            }
            Err(problem) => self.opaque(&format!("the text cannot be read: {problem}")),
        }
        self.depth -= 1;
    }

    pub(super) fn opaque(&mut self, why: &str) {
        if !self.found.opaque.iter().any(|known| known == why) {
            self.found.opaque.push(why.to_owned());
        }
    }

    fn parsed(&mut self, parsed: &Parsed, via: &[String]) {
        for function in &parsed.functions {
            let calls = |index: &usize| {
                parsed.commands.get(*index).is_some_and(|command| {
                    command.is_concurrent
                        && command.words.first().and_then(Word::literal).as_ref() == Some(&function.name)
                })
            };
            if function.body.clone().any(|index| calls(&index)) {
                self.found.bombs.push(function.name.clone());
            }
        }
        self.functions.extend(parsed.functions.iter().map(|function| function.name.clone()));
        for word in &parsed.expressions {
            self.evaluate(Content::word(word, false));
        }
        for setting in &parsed.settings {
            self.arithmetic.set(&setting.name, Content::word(&setting.value, setting.is_split));
            let value = Value::of(&setting.value, &self.here(), |_, _| None);
            self.assignment(&setting.name, &value);
        }
        let around = std::mem::replace(&mut self.known, Known::of(parsed));
        let inputs = self.inputs(parsed);
        for ((at, command), input) in parsed.commands.iter().enumerate().zip(inputs) {
            self.simple(command, at, input, via);
        }
        self.known = around;
    }

    /// What each command of a text reads.
    fn inputs(&self, parsed: &Parsed) -> Vec<Input> {
        let is_exec = |command: &Simple| {
            let mut words = command.words.iter().filter_map(Word::literal);
            words.next_back().as_deref() == Some("exec") && command.feed != Feed::None
        };
        // The shell itself reads something else from there on.
        let is_redirected = parsed.commands.iter().any(is_exec);
        let input = |command: &Simple| match input(&command.feed, &parsed.commands, self) {
            Input::None if is_redirected => Input::Unknown,
            Input::None if command.feed == Feed::None => self.inherited.clone(),
            input => input,
        };
        parsed.commands.iter().map(input).collect()
    }

    fn simple(&mut self, simple: &Simple, at: usize, input: Input, via: &[String]) {
        let mut chain = via.to_vec();
        chain.extend(simple.via.iter().cloned());
        let here = self.here();
        let known = self.known.clone();
        let value = |word: &Word| Value::of(word, &here, |name, quoted| known.value(name, quoted, at, simple.chain));
        let words: Vec<Value> = simple.words.iter().map(value).collect();
        self.declaration(simple, &words);
        for (name, word) in &simple.assignments {
            self.arithmetic.set(name, Content::word(word, false));
            self.assignment(name, &value(word));
        }
        for redirect in &simple.redirects {
            self.redirect(redirect, value(&redirect.target));
        }
        for part in simple.words.iter().flat_map(|word| &word.parts) {
            if let Part::Text { text, .. } = part {
                self.arithmetic.mention(text);
            }
        }
        self.begun = self.found.commands.len();
        self.words(&words, &simple.line, &chain, input);
    }

    pub(super) fn writes(&mut self, file: &str) {
        self.written.insert(file.to_owned());
    }

    /// The surroundings after every change of folder so far; the folder is a text of no path where it is not known.
    fn here(&self) -> Surroundings {
        let workdir = self.folder.clone().unwrap_or_else(|| "$PWD".to_owned());
        Surroundings { workdir, ..self.surroundings.clone() }
    }

    /// Judges words as a command, seeing through what they are wrapped in.
    pub(super) fn words(&mut self, words: &[Value], line: &str, via: &[String], input: Input) {
        let Some((program, args)) = words.split_first() else { return };
        let is_open = |arg: &Value| {
            (arg.text == ELSEWHERE && !arg.is_exact)
                || self.placeholders.iter().any(|placeholder| arg.text.contains(placeholder.as_str()))
        };
        if self.found.commands.len() >= MOST || self.depth >= DEEPEST {
            return self.opaque("more commands than can be judged");
        }
        let mut command = Command {
            line: line.to_owned(),
            program: program.clone(),
            args: args.to_vec(),
            via: via.to_vec(),
            input,
            folder: self.folder.clone(),
            is_open: args.iter().any(is_open),
            ..Command::default()
        };
        let described = if program.is_exact { registry::describe(&command) } else { None };
        if let Some(described) = &described {
            command.canonical = Some(described.canonical.clone());
            command.is_exhaustive = described.program.is_exhaustive;
            command.effects = described.effects.iter().filter(|effect| effect.is_lasting()).cloned().collect();
        }
        self.found.commands.push(command.clone());
        if !program.is_exact || program.has_pattern {
            self.opaque(&format!("the program `{}` is known only when it runs", shorten(&program.text)));
            return;
        }
        if self.placeholders.iter().any(|placeholder| program.text.contains(placeholder.as_str())) {
            self.opaque("a program that is named only when it runs");
        }
        if self.is_written(&program.text) {
            self.opaque(&format!("`{}` is written by this very line", shorten(&program.text)));
        }
        let around = match &command.input {
            Input::None => self.inherited.clone(),
            input => std::mem::replace(&mut self.inherited, input.clone()),
        };
        let begun = self.begun;
        self.depth += 1;
        self.containing.push(self.found.commands.len() - 1);
        self.arguments(&command);
        for change in builtins::changes(&command) {
            self.change(change, &through(&command));
        }
        match described {
            Some(described) => self.described(&command, described.program, described.effects),
            None => self.program(&command),
        }
        self.containing.pop();
        self.depth -= 1;
        self.begun = begun;
        self.inherited = around;
    }

    fn program(&mut self, command: &Command) {
        let name = command.name().to_owned();
        self.remember_writes(command);
        if name == "parallel" {
            for verdict in programs::look(command) {
                if let Verdict::Line(line) = verdict {
                    self.text(&line.text, &through(command));
                }
            }
        }
        if let Some(wrapper) = wrappers::find(&name) {
            if name == "perf" {
                return self.measured(command, &wrapper);
            }
            return self.wrapped(command, &wrapper);
        }
        if shells::is_shell(&name) {
            return self.shell(command);
        }
        if let Some(language) = shells::language(&name) {
            self.interpreter(command, language);
        }
        match name.as_str() {
            "cd" | "pushd" | "popd" => self.change_folder(command),
            "busybox" | "toybox" => {
                let from = usize::from(command.args.first().is_some_and(|arg| arg.text == "--"));
                let args = command.args.get(from..).unwrap_or_default();
                self.words(args, &rest_of(command, from), &through(command), command.input.clone());
            }
            "eval" => {
                self.opaque("`eval` of a text");
                if command.args.iter().all(|arg| arg.is_exact) {
                    let text = joined(&command.args);
                    self.text(&text, &through(command));
                }
            }
            "source" | "." => self.sourced(command),
            _ if programs::is_known(&name) || self.functions.contains(&name) => {}
            _ => self.follow_all(command, registry::feared(command)),
        }
        for verdict in programs::look(command) {
            match verdict {
                Verdict::Opaque(why) => self.opaque(&why),
                Verdict::Line(value) if value.is_exact => self.text(&value.text, &through(command)),
                Verdict::Line(value) => self.opaque(&format!("`{}` is run, and known only then", shorten(&value.text))),
                Verdict::Words(words) => {
                    let line = joined(&words);
                    self.words(&words, &line, &through(command), Input::None);
                }
                Verdict::Found(words, placeholder) => {
                    self.placeholders.push(placeholder);
                    let line = joined(&words);
                    self.words(&words, &line, &through(command), Input::None);
                    self.placeholders.pop();
                }
                Verdict::Sets(name, value) => {
                    self.arithmetic.set(&name, Content::value(&value, false));
                    self.assignment(&name, &value);
                }
                Verdict::Script(file) => self.script(&file, command),
            }
        }
    }

    fn wrapped(&mut self, command: &Command, wrapper: &wrappers::Wrapper) {
        let name = command.name();
        let via = through(command);
        if name == "command" && command.has_short("vV") {
            return;
        }
        if name == "env" {
            for (at, arg) in command.args.iter().enumerate() {
                let text = arg.text.as_str();
                let long = text.strip_prefix("--s").map(|rest| rest.split_once('=').map_or("", |(_, line)| line));
                let short = text.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| {
                    let (flags, line) = rest.split_once('S')?;
                    flags.chars().all(|c| "iv0".contains(c)).then_some(line)
                });
                let Some(line) = short.or(long) else { continue };
                let rest = joined(command.args.get(at + 1..).unwrap_or_default());
                // `env` has escapes and variables of its own in such a line.
                if long.is_some() || line.contains(['\\', '$']) || (line.is_empty() && rest.contains(['\\', '$'])) {
                    self.opaque("a line that `env` splits");
                }
                self.text(format!("{line} {rest}").trim(), &via);
            }
        }
        if matches!(name, "script" | "flock") {
            return;
        }
        let start = match options::skip(&wrapper.options, &command.args) {
            Ok(start) => start,
            Err(odd) => {
                if !(name == "env" && odd.contains('S')) {
                    self.opaque(&format!("the option `{odd}` of `{name}` is not known"));
                }
                // The command may begin at any of the next words: each is looked at, none is trusted.
                for (from, word) in command.args.iter().enumerate().take(MOST_GUESSES) {
                    if word.is_exact && !word.text.starts_with('-') {
                        self.words(&command.args[from..], &rest_of(command, from), &via, Input::None);
                    }
                }
                return;
            }
        };
        let mut at = start + wrapper.operands;
        if wrapper.takes_assignments {
            while let Some(arg) = command.args.get(at).filter(|arg| arg.text.contains('=')) {
                self.handed_on(arg);
                at += 1;
            }
        }
        let Some(rest) = command.args.get(at..).filter(|rest| !rest.is_empty()) else { return };
        if wrapper.runs_line {
            return if rest.iter().all(|arg| arg.is_exact) {
                self.text(&joined(rest), &via);
            } else {
                self.opaque(&format!("a line for `{name}` that is known only when it runs"));
            };
        }
        let is_xargs = matches!(name, "xargs" | "parallel" | "sem");
        let mut rest = rest.to_vec();
        let mut line = rest_of(command, at);
        if is_xargs {
            let own = Own::read(&wrapper.options, command.args.get(..at).unwrap_or_default());
            if let Some(placeholder) = own.placeholder.filter(|own| !own.is_empty() && own != PLACEHOLDER) {
                // One spelling for what is replaced: whoever compares the words knows no other.
                for word in &mut rest {
                    word.text = word.text.replace(&placeholder, PLACEHOLDER);
                }
                line = joined(&rest);
            }
            self.placeholders.push(PLACEHOLDER.to_owned());
            let inner = rest
                .first()
                .map(|word| word.text.rsplit('/').next().unwrap_or_default().to_owned())
                .unwrap_or_default();
            if shells::is_shell(&inner) || wrappers::find(&inner).is_some() && rest.len() == 1 {
                self.opaque(&format!("`{inner}` with arguments from elsewhere"));
            }
            if own.appends {
                rest.push(elsewhere());
                line = format!("{line} {ELSEWHERE}");
            }
        }
        let input = if is_xargs { Input::None } else { command.input.clone() };
        self.words(&rest, &line, &via, input);
        if is_xargs {
            self.placeholders.pop();
        }
    }

    /// `perf`, which runs a command by some of its subcommands alone.
    fn measured(&mut self, command: &Command, wrapper: &wrappers::Wrapper) {
        let record = |arg: &Value| matches!(arg.text.as_str(), "record" | "rec");
        let Some((verb, mut rest)) = command.args.split_first() else { return };
        if !verb.is_exact || verb.text.starts_with('-') && rest.len() > 1 {
            return self.opaque("`perf` with a subcommand that is not known");
        }
        match verb.text.as_str() {
            "stat" => {
                while let Some((_, after)) = rest.split_first().filter(|(first, _)| record(first)) {
                    rest = after;
                }
            }
            "record" | "rec" | "trace" | "top" => {}
            _ => match rest.iter().position(record) {
                Some(at) => rest = &rest[at + 1..],
                None => return,
            },
        }
        self.wrapped(&Command { args: rest.to_vec(), ..command.clone() }, wrapper);
    }

    fn shell(&mut self, command: &Command) {
        let via = through(command);
        match shells::source(command) {
            Source::Text(line) if line.is_exact => self.text(&line.text, &via),
            Source::Text(_) => self.opaque("a line for a shell that is known only when it runs"),
            Source::File(file) if !file.is_exact || file.has_pattern || self.placeholders.contains(&file.text) => {
                self.opaque("a script whose name is known only when it runs");
            }
            Source::File(file) => self.script(&file, command),
            Source::Nothing => {}
            Source::Input => match &command.input {
                Input::None => {}
                Input::Text(text) => {
                    // A here-string into a shell is never let by without a question.
                    if !text.trim().is_empty() {
                        self.opaque("a shell that runs what it reads");
                    }
                    let text = text.clone();
                    self.text(&text, &via);
                }
                Input::Unknown => self.opaque("a shell that runs what it reads"),
            },
            Source::Odd(option) => self.opaque(&format!("the option `{}` of a shell is not known", shorten(&option))),
        }
    }

    fn interpreter(&mut self, command: &Command, language: code::Language) {
        let (inline, reads_input) = shells::inline_code(language, command);
        for piece in &inline {
            if piece.is_exact {
                if let Some(why) = code::suspicion(language, &piece.text) {
                    self.opaque(&why);
                }
            } else if piece.text.contains('$') || piece.text.contains('`') {
                self.opaque(&format!("code for `{}` that is known only when it runs", command.name()));
            }
        }
        if reads_input && shells::has_input(command) {
            match &command.input {
                Input::Text(text) => {
                    if let Some(why) = code::suspicion(language, text) {
                        self.opaque(&why);
                    }
                }
                _ => self.opaque(&format!("`{}` runs what it reads", command.name())),
            }
        }
        let loads = ["-r", "--require", "--import", "--loader", "--experimental-loader"];
        if language == code::Language::Node
            && command.options().any(|option| loads.contains(&option.split('=').next().unwrap_or_default()))
        {
            self.opaque("`node` that loads a module first");
        }
        for script in shells::script_files(language, command, inline.is_empty()) {
            self.script(&script, command);
        }
    }

    fn sourced(&mut self, command: &Command) {
        match command.operands().first() {
            Some(file) if !file.is_exact || file.has_pattern => {
                self.opaque("a script whose name is known only when it runs");
            }
            Some(file) => self.script(file, command),
            None => {}
        }
    }

    fn change_folder(&mut self, command: &Command) {
        let home = || Value::exact(self.surroundings.home.clone());
        let target = match (command.name(), command.operands().first()) {
            ("cd", None) => Some(home()),
            ("cd" | "pushd", Some(target)) => Some((*target).clone()),
            _ => None,
        };
        self.enter(target.as_ref());
    }

    /// The shell's folder changes; `None` where it cannot be told to which.
    pub(super) fn enter(&mut self, target: Option<&Value>) {
        let known = target.filter(|target| target.is_exact && !target.has_pattern && target.text != "-");
        self.folder = known
            .zip(self.folder.as_ref())
            .map(|(target, folder)| plain_path(&Path::new(folder).join(&target.text)).to_string_lossy().into_owned());
    }
}

/// What a command reads.
fn input(feed: &Feed, commands: &[Simple], reader: &Reader<'_>) -> Input {
    match feed {
        Feed::None => Input::None,
        Feed::Text(text) => Input::Text(text.clone()),
        Feed::Unknown => Input::Unknown,
        Feed::Pipe(range) => printed(range.clone(), commands, reader).map_or(Input::Unknown, Input::Text),
    }
}

/// The text a command before a pipe prints, when it is a plain `echo` or `printf`.
fn printed(range: Range<usize>, commands: &[Simple], reader: &Reader<'_>) -> Option<String> {
    let [only] = commands.get(range)? else { return None };
    let words: Vec<Value> = only.words.iter().map(|word| Value::of(word, reader.surroundings, |_, _| None)).collect();
    let (program, args) = words.split_first()?;
    let is_plain = args.iter().all(|arg| arg.is_exact && !arg.has_pattern);
    match program.text.as_str() {
        "echo" | "printf" if program.is_exact && is_plain => Some(joined(args)),
        _ => None,
    }
}

/// The last part of a path.
pub(super) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// The chain of what a command's inner command is run through.
pub(super) fn through(command: &Command) -> Vec<String> {
    let mut via = command.via.clone();
    via.push(command.name().to_owned());
    via
}

pub(super) fn joined(values: &[Value]) -> String {
    values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The inner command's text: the source where it can be cut out, else the words.
pub(super) fn rest_of(command: &Command, from: usize) -> String {
    let rest = command.args.get(from..).unwrap_or_default();
    let first = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    match command.line.find(first).filter(|_| !first.is_empty()) {
        Some(at) if from > 0 || command.line.matches(first).count() == 1 => command.line[at..].to_owned(),
        _ => joined(rest),
    }
}
