//! From a text to what it runs: reads it, unwraps wrappers and inner shells, and hands each program to the rules of
//! `programs`. Recursion is bounded; whatever goes beyond is opaque.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::appended::Own;
use super::arithmetic::{ARGUMENTS, Arithmetic};
use super::command::{Analysis, Command, ELSEWHERE, Input, PLACEHOLDER, Surroundings, Value, elsewhere};
use super::programs::{self, Verdict};
use super::shells::{self, Source};
use super::{assignments, options, wrappers};
use crate::code;
use crate::grammar::{Feed, Parsed, RedirectKind, Simple, Word, parse};
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
        depth: 0,
    };
    reader.text(text, &[]);
    if reader.arithmetic.may_run_commands() {
        reader.opaque("a value that may run a command when it is used in an expression");
    }
    reader.found
}

pub(super) struct Reader<'a> {
    surroundings: &'a Surroundings,
    pub(super) found: Analysis,
    /// Files this line writes, as it names them.
    pub(super) written: BTreeSet<String>,
    pub(super) arithmetic: Arithmetic,
    /// Functions the line defines.
    functions: BTreeSet<String>,
    folder: Option<String>,
    /// What `xargs -I` or `find -exec` replaces.
    pub(super) placeholders: Vec<String>,
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
        for text in &parsed.expressions {
            self.arithmetic.expression(text);
        }
        for (name, word) in &parsed.settings {
            self.arithmetic.word(name, word);
            let value = Value::of(word, &self.here());
            self.assignment(name, &value);
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
            self.arithmetic.word(name, word);
            let value = Value::of(word, &self.here());
            self.assignment(name, &value);
        }
        let program = simple.words.first().and_then(Word::literal).unwrap_or_default();
        let name = program.rsplit('/').next().unwrap_or_default();
        // Arguments become `$1` and so on.
        if name == "set" || shells::is_shell(name) || self.functions.contains(&program) {
            let is_line = |before: &Word| before.source.starts_with('-') && before.source.ends_with('c');
            for pair in simple.words.windows(2).filter(|pair| !is_line(&pair[0])) {
                self.arithmetic.word(ARGUMENTS, &pair[1]);
            }
        }
        for redirect in &simple.redirects {
            let target = Value::of(&redirect.target, &self.here());
            match redirect.kind {
                RedirectKind::Write | RedirectKind::ReadWrite => {
                    if !["/dev/null", "/dev/stderr", "/dev/stdout", "/dev/tty"].contains(&target.text.as_str()) {
                        self.written.insert(target.text.clone());
                    }
                    self.found.writes.push(target);
                }
                RedirectKind::Read if target.is_exact => self.found.reads.push(target.text.into()),
                _ => {}
            }
        }
        let words: Vec<Value> = simple.words.iter().map(|word| Value::of(word, &self.here())).collect();
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
        self.depth += 1;
        match described {
            Some(described) => self.described(&command, described.program, described.effects),
            None => self.program(&command),
        }
        self.depth -= 1;
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
                    self.arithmetic.set(&name, &value);
                    self.assignment(&name, &value);
                }
                Verdict::Script(file) => self.script(&file, command),
                Verdict::Evaluates(value) => self.arithmetic.value(&value),
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

    /// Objects to a script that another text than that of a file stands for, or that this line may write.
    pub(super) fn script(&mut self, file: &Value, command: &Command) {
        let name = file.text.as_str();
        if !file.is_exact {
            // A loop over the files of a folder is the everyday use.
            let computed = name.contains(['(', '`']) || shells::has_input(command) || !self.written.is_empty();
            if computed {
                self.opaque("a script whose name is known only when it runs");
            }
        } else if self.is_descriptor(name) {
            self.opaque("a script read from a descriptor");
        } else if self.is_written(&format!("./{name}")) || self.is_touched(name, command) {
            self.opaque(&format!("the script `{}` is written by this very line", shorten(name)));
        }
    }

    /// Whether a name is that of a device or a descriptor, however it is spelt.
    fn is_descriptor(&self, name: &str) -> bool {
        let special = |path: &str| ["/dev", "/proc"].iter().any(|folder| Path::new(path).starts_with(folder));
        match &self.folder {
            Some(folder) => special(&plain_path(&Path::new(folder).join(name)).to_string_lossy()),
            None => {
                special(&plain_path(Path::new(name)).to_string_lossy())
                    || last_part(name) == "stdin"
                    || name.contains("fd/")
            }
        }
    }

    /// Whether an earlier command of the line, other than one that only looks, names this file.
    fn is_touched(&self, file: &str, command: &Command) -> bool {
        let name = last_part(file);
        let names = |text: &str| {
            text.match_indices(name).any(|(at, _)| {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
                !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part)
            })
        };
        let earlier = self.found.commands.iter().filter(|earlier| *earlier != command);
        !name.is_empty()
            && earlier.filter(|earlier| !programs::only_looks(earlier)).any(|earlier| {
                let is_own_script = shells::is_shell(earlier.name()) || shells::language(earlier.name()).is_some();
                let own = if is_own_script { earlier.operands().first().map(|own| own.text.clone()) } else { None };
                earlier
                    .args
                    .iter()
                    .filter(|arg| Some(&arg.text) != own.as_ref() || arg.text.contains(' '))
                    .any(|arg| names(&arg.text))
            })
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

    fn is_written(&self, file: &str) -> bool {
        // By its last part alone: what folder the name is in may have changed in between.
        let name = last_part(file);
        self.written.iter().any(|written| {
            // What comes after a variable is known.
            let tail = written.rsplit(['$', '}', '"', '*', '?']).next().unwrap_or_default();
            let is_known = !written.contains(['$', '*', '?', '`']);
            if is_known {
                last_part(written) == name
            } else {
                file.contains('/')
                    && name.ends_with(tail.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'))
            }
        })
    }

    /// Files that programs write by being what they are.
    fn remember_writes(&mut self, command: &Command) {
        let operands = command.operands();
        match command.name() {
            "tee" | "sponge" => self.written.extend(operands.iter().map(|file| file.text.clone())),
            "cp" | "mv" | "ln" | "install" => self.written.extend(operands.iter().map(|file| file.text.clone())),
            "dd" => {
                let target = command.args.iter().find_map(|arg| arg.text.strip_prefix("of="));
                self.written.extend(target.map(str::to_owned));
            }
            _ => {}
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
    let words: Vec<Value> = only.words.iter().map(|word| Value::of(word, reader.surroundings)).collect();
    let (program, args) = words.split_first()?;
    let is_plain = args.iter().all(|arg| arg.is_exact && !arg.has_pattern);
    match program.text.as_str() {
        "echo" | "printf" if program.is_exact && is_plain => Some(joined(args)),
        _ => None,
    }
}

/// The last part of a path.
fn last_part(path: &str) -> &str {
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
