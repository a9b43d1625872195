//! From a text to what it runs: reads it, unwraps wrappers and inner shells, and hands each program to the rules of
//! `programs`. Recursion is bounded; whatever goes beyond is opaque.

use std::collections::BTreeSet;
use std::ops::Range;

use super::command::{Analysis, Command, Input, Surroundings, Value};
use super::grammar::{Feed, Parsed, RedirectKind, Simple, Word, parse};
use super::programs::{self, Verdict};
use super::shells::{self, Source};
use super::{assignments, code, options, wrappers};

/// Texts within texts within texts.
const DEEPEST: u32 = 12;
/// More commands than these are not listed.
const MOST: usize = 4000;
/// Words at which the command of a wrapper is looked for when one of its options is not known.
const MOST_GUESSES: usize = 6;

/// Finds everything a text would run. Total: any text gives an answer.
pub(crate) fn analyse(text: &str, surroundings: &Surroundings) -> Analysis {
    let mut reader = Reader {
        surroundings,
        found: Analysis::default(),
        written: BTreeSet::new(),
        folder: Some(surroundings.workdir.clone()),
        placeholders: Vec::new(),
        depth: 0,
    };
    reader.text(text, &[]);
    reader.found
}

pub(super) struct Reader<'a> {
    surroundings: &'a Surroundings,
    pub(super) found: Analysis,
    /// Files this line writes, as it names them.
    written: BTreeSet<String>,
    folder: Option<String>,
    /// What `xargs -I` or `find -exec` replaces.
    placeholders: Vec<String>,
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
        let inputs: Vec<Input> =
            parsed.commands.iter().map(|command| input(&command.feed, &parsed.commands, self)).collect();
        for (command, input) in parsed.commands.iter().zip(inputs) {
            self.simple(command, input, via);
        }
    }

    fn simple(&mut self, simple: &Simple, input: Input, via: &[String]) {
        let mut chain = via.to_vec();
        chain.extend(simple.via.iter().cloned());
        for (name, word) in &simple.assignments {
            let value = Value::of(word, self.surroundings);
            self.assignment(name, &value);
        }
        for redirect in &simple.redirects {
            let target = Value::of(&redirect.target, self.surroundings);
            match redirect.kind {
                RedirectKind::Write | RedirectKind::ReadWrite => {
                    self.written.insert(target.text.clone());
                    self.found.writes.push(target);
                }
                RedirectKind::Read if target.is_exact => self.found.reads.push(target.text.into()),
                _ => {}
            }
        }
        let words: Vec<Value> = simple.words.iter().map(|word| Value::of(word, self.surroundings)).collect();
        self.words(&words, &simple.line, &chain, input);
    }

    /// Notes a variable that is set.
    pub(super) fn assignment(&mut self, name: &str, value: &Value) {
        if let Some(why) = assignments::objection(name, &value.text, value.is_exact) {
            self.opaque(&why);
            // What it would run is looked at all the same: it may be something nobody can allow.
            if value.is_exact && !name.contains("PATH") {
                self.text(&value.text, &[name.to_owned()]);
            }
        }
        if value.text.contains("[$(") || value.text.contains("[`") {
            self.opaque("a value that runs a command when it is used in an expression");
        }
    }

    /// Judges words as a command, seeing through what they are wrapped in.
    pub(super) fn words(&mut self, words: &[Value], line: &str, via: &[String], input: Input) {
        let Some((program, args)) = words.split_first() else { return };
        if self.found.commands.len() >= MOST || self.depth >= DEEPEST {
            return self.opaque("more commands than can be judged");
        }
        let command = Command {
            line: line.to_owned(),
            program: program.clone(),
            args: args.to_vec(),
            via: via.to_vec(),
            input,
            folder: self.folder.clone(),
        };
        self.found.commands.push(command.clone());
        if !program.is_exact || program.has_pattern {
            self.opaque(&format!("the program `{}` is known only when it runs", shorten(&program.text)));
            return;
        }
        if self.placeholders.contains(&program.text) {
            self.opaque("a program that is named only when it runs");
        }
        if self.is_written(&program.text) {
            self.opaque(&format!("`{}` is written by this very line", shorten(&program.text)));
        }
        self.depth += 1;
        self.program(&command);
        self.depth -= 1;
    }

    fn program(&mut self, command: &Command) {
        let name = command.name().to_owned();
        self.remember_writes(command);
        if let Some(wrapper) = wrappers::find(&name) {
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
                self.words(&command.args, &rest_of(command, 0), &through(command), command.input.clone());
            }
            "eval" => {
                self.opaque("`eval` of a text");
                if command.args.iter().all(|arg| arg.is_exact) {
                    let text = joined(&command.args);
                    self.text(&text, &through(command));
                }
            }
            "source" | "." => self.sourced(command),
            _ => {}
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
                Verdict::Sets(name, value) => self.assignment(&name, &value),
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
            for arg in &command.args {
                let text = arg.text.as_str();
                let split = text.strip_prefix("-S").or_else(|| text.strip_prefix("--split-string="));
                let split = split.or_else(|| text.strip_prefix("-vS")).or_else(|| text.strip_prefix("-iS"));
                if let Some(line) = split {
                    let line = if line.is_empty() || text == "--split-string" {
                        joined(&command.args[1..])
                    } else {
                        line.to_owned()
                    };
                    self.text(line.trim(), &via);
                }
            }
            if command.args.iter().any(|arg| arg.text == "--split-string") {
                self.opaque("a line that `env` splits");
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
            while let Some((variable, value)) =
                command.args.get(at).and_then(|arg| Some((arg.text.split_once('=')?, arg)))
            {
                let (name, text) = variable;
                self.assignment(name, &Value { text: text.to_owned(), ..value.clone() });
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
        let is_xargs = name == "xargs" || name == "parallel";
        if is_xargs {
            self.placeholders.push(replaced(command));
            let inner = rest
                .first()
                .map(|word| word.text.rsplit('/').next().unwrap_or_default().to_owned())
                .unwrap_or_default();
            if shells::is_shell(&inner) || wrappers::find(&inner).is_some() && rest.len() == 1 {
                self.opaque(&format!("`{inner}` with arguments from elsewhere"));
            }
        }
        let input = if is_xargs { Input::None } else { command.input.clone() };
        self.words(rest, &rest_of(command, at), &via, input);
        if is_xargs {
            self.placeholders.pop();
        }
    }

    fn shell(&mut self, command: &Command) {
        let via = through(command);
        match shells::source(command) {
            Source::Text(line) if line.is_exact => self.text(&line.text, &via),
            Source::Text(_) => self.opaque("a line for a shell that is known only when it runs"),
            Source::File(file) if !file.is_exact || file.has_pattern || self.placeholders.contains(&file.text) => {
                self.opaque("a script whose name is known only when it runs");
            }
            Source::File(file) if self.is_written(&file.text) => {
                self.opaque(&format!("the script `{}` is written by this very line", shorten(&file.text)));
            }
            Source::File(file) if file.text.starts_with("/dev/") || file.text.starts_with("/proc/") => {
                self.opaque("a script read from a descriptor");
            }
            Source::File(_) | Source::Nothing => {}
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

    fn interpreter(&mut self, command: &Command, language: shells::Language) {
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
        let operands = command.operands();
        if inline.is_empty()
            && let Some(script) = operands.first()
            && self.is_written(&script.text)
        {
            self.opaque(&format!("the script `{}` is written by this very line", shorten(&script.text)));
        }
    }

    fn sourced(&mut self, command: &Command) {
        match command.operands().first() {
            Some(file) if !file.is_exact || file.has_pattern => {
                self.opaque("a script whose name is known only when it runs");
            }
            Some(file)
                if self.is_written(&file.text) || file.text.starts_with("/dev/") || file.text.starts_with("/proc/") =>
            {
                self.opaque(&format!("the script `{}` is not known before it runs", shorten(&file.text)));
            }
            _ => {}
        }
    }

    fn is_written(&self, file: &str) -> bool {
        let plain = |name: &str| name.trim_start_matches("./").to_owned();
        self.written.iter().any(|written| plain(written) == plain(file))
    }

    /// Files that programs write by being what they are.
    fn remember_writes(&mut self, command: &Command) {
        let operands = command.operands();
        match command.name() {
            "tee" | "sponge" => self.written.extend(operands.iter().map(|file| file.text.clone())),
            "cp" | "mv" | "ln" | "install" => self.written.extend(operands.last().map(|file| file.text.clone())),
            "dd" => {
                let target = command.args.iter().find_map(|arg| arg.text.strip_prefix("of="));
                self.written.extend(target.map(str::to_owned));
            }
            _ => {}
        }
    }

    fn change_folder(&mut self, command: &Command) {
        self.folder = match (command.name(), command.operands().first()) {
            ("cd", None) => Some(self.surroundings.home.clone()),
            ("cd" | "pushd", Some(target)) if target.is_exact && !target.has_pattern && target.text != "-" => {
                let target = std::path::Path::new(&target.text);
                self.folder
                    .as_ref()
                    .map(|folder| std::path::Path::new(folder).join(target).to_string_lossy().into_owned())
            }
            _ => None,
        };
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
    let words: Vec<Value> = only.words.iter().map(|word| Value::of(word, reader.surroundings)).collect();
    let (program, args) = words.split_first()?;
    let is_plain = args.iter().all(|arg| arg.is_exact && !arg.has_pattern);
    match program.text.as_str() {
        "echo" | "printf" if program.is_exact && is_plain => Some(joined(args)),
        _ => None,
    }
}

/// The chain of what a command's inner command is run through.
fn through(command: &Command) -> Vec<String> {
    let mut via = command.via.clone();
    via.push(command.name().to_owned());
    via
}

pub(super) fn joined(values: &[Value]) -> String {
    values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The inner command's text: the source where it can be cut out, else the words.
fn rest_of(command: &Command, from: usize) -> String {
    let rest = command.args.get(from..).unwrap_or_default();
    let first = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    match command.line.find(first).filter(|_| !first.is_empty()) {
        Some(at) if from > 0 || command.line.matches(first).count() == 1 => command.line[at..].to_owned(),
        _ => joined(rest),
    }
}

/// What `xargs` replaces in the words of its command.
fn replaced(command: &Command) -> String {
    let mut args = command.args.iter();
    while let Some(arg) = args.next() {
        if arg.text == "-I" {
            return args.next().map(|next| next.text.clone()).unwrap_or_default();
        }
        if let Some(attached) = arg.text.strip_prefix("-I").or_else(|| arg.text.strip_prefix("--replace=")) {
            return attached.to_owned();
        }
    }
    "{}".to_owned()
}

/// A few words of a text, for a message.
fn shorten(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
