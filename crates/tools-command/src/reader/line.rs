//! Reads a text and follows what the registry says of each program, to find everything that the
//! text runs. Recursion is bounded; what exceeds the bound is opaque.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use super::arithmetic::Arithmetic;
use super::builtins;
use super::chosen::ChosenVariables;
use super::command::{Analysis, Command, ELSEWHERE, Input, OWN_FOLDER, Surroundings, Value};
use super::content::Content;
use super::known_variables::KnownVariables;
use super::links::Links;
use super::obeyed::FilledPath;
use super::possible_folders::{Moves, PossibleFolders};
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::grammar::{Feed, Parsed, Part, Place, Simple, Word, join_lines, parse};
use crate::plain_path;
use crate::registry::{self, Doubt};

/// Maximum nesting of texts within texts.
const DEEPEST: u32 = 12;
/// Maximum number of reported reasons: one is enough to ask.
const MAX_OPAQUE: usize = 100;
/// Maximum number of commands per line.
const MAX_COMMANDS: usize = 1_000;

/// Finds everything that a text would run. Every text gives a result.
pub fn analyse(text: &str, surroundings: &Surroundings) -> Analysis {
    analyse_through(&Links::default(), text, surroundings)
}

/// Like [`analyse`], with links that exist: a program behind a link is judged as the link's target.
pub fn analyse_through(links: &Links, text: &str, surroundings: &Surroundings) -> Analysis {
    let read = |filled_paths, moves: Moves| {
        let mut reader = Reader { filled_paths, links: links.clone(), ..Reader::new(surroundings, 0) };
        reader.possible.expect(moves);
        reader.text(text, &[]);
        reader
    };
    let reader = read(Vec::new(), Moves::default());
    let moves = reader.possible.moves();
    let is_filled = reader.is_unordered && !reader.filled_paths.is_empty();
    if !is_filled && !moves.is_unordered() {
        return reader.finish();
    }
    let filled = if is_filled { reader.filled_paths } else { Vec::new() };
    read(filled, moves).finish()
}

pub(super) struct Reader<'a> {
    pub(super) surroundings: &'a Surroundings,
    pub(super) found: Analysis,
    /// Files that the line writes, by the names it uses.
    pub(super) written: BTreeSet<String>,
    /// Paths that the commands so far fill.
    pub(super) filled_paths: Vec<FilledPath>,
    /// Whether a command may run after later ones, because of a loop, a function or the background.
    is_unordered: bool,
    pub(super) arithmetic: Arithmetic,
    /// Functions that the line defines.
    pub(super) functions: BTreeSet<String>,
    pub(super) folder: Option<String>,
    pub(super) possible: PossibleFolders,
    /// The texts that `xargs -I` or `find -exec` replaces.
    pub(super) placeholders: Vec<String>,
    /// The values that replace them, as far as they are known.
    pub(super) fills: Vec<Value>,
    pub(super) links: Links,
    pub(super) chosen: ChosenVariables,
    /// Whether the input of the current command consists only of names.
    pub(super) is_fed_names: bool,
    /// The known variables of the current text.
    known: KnownVariables,
    /// Input for those commands of the current text that have none of their own.
    inherited: Input,
    /// Indices in `found` of the commands that have the current command as an argument.
    pub(super) containing: Vec<usize>,
    /// Index of the first command found in the current simple command.
    pub(super) begun: usize,
    /// Texts that were read because the line may put them together.
    pub(super) expanded: usize,
    pub(super) depth: u32,
}

impl<'a> Reader<'a> {
    /// A reader without findings, at a nesting depth of texts within texts.
    pub(super) fn new(surroundings: &'a Surroundings, depth: u32) -> Self {
        Self {
            surroundings,
            found: Analysis::default(),
            written: BTreeSet::new(),
            filled_paths: Vec::new(),
            is_unordered: false,
            arithmetic: Arithmetic::default(),
            functions: BTreeSet::new(),
            folder: Some(surroundings.workdir.clone()),
            possible: PossibleFolders::default(),
            placeholders: Vec::new(),
            fills: Vec::new(),
            links: Links::default(),
            chosen: ChosenVariables::default(),
            is_fed_names: false,
            known: KnownVariables::default(),
            inherited: Input::None,
            containing: Vec::new(),
            begun: 0,
            expanded: 0,
            depth,
        }
    }

    /// The findings, including those about the expressions of the whole line.
    pub(super) fn finish(mut self) -> Analysis {
        if let Some(why) = self.arithmetic.objection(&self.functions) {
            self.opaque(why);
        }
        self.found
    }
}

impl Reader<'_> {
    /// Reads a whole text, which is run through the commands in `via`.
    pub(super) fn text(&mut self, text: &str, via: &[String]) {
        if self.depth >= DEEPEST {
            return self.opaque("commands nested too deeply");
        }
        if self.is_completed(text) {
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
            Err(problem) => {
                self.opaque(&format!("the text cannot be read: {problem}"));
                // A person is asked about the line in any case. Joined, the line may show a program
                // on the blocklist, which is refused without a question.
                let joined = join_lines(text);
                if let Some(parsed) = (joined != text).then(|| parse(&joined).ok()).flatten() {
                    self.parsed(&parsed, via);
                }
            }
        }
        self.depth -= 1;
    }

    /// Whether a text contains a placeholder that is filled in at run time.
    pub(super) fn is_completed(&self, text: &str) -> bool {
        self.placeholders.iter().any(|placeholder| text.contains(placeholder.as_str()))
    }

    pub(super) fn opaque(&mut self, why: &str) {
        if self.found.opaque.len() < MAX_OPAQUE && !self.found.opaque.iter().any(|known| known == why) {
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
        for name in &parsed.arrays {
            self.arithmetic.array(name);
        }
        for setting in &parsed.settings {
            self.arithmetic.set(&setting.name, Content::word(&setting.value, setting.is_split));
            let value = Value::of(&setting.value, &self.here(), |_, _| None);
            self.assignment(&setting.name, &value);
        }
        let is_unordered = |command: &Simple| {
            let is_inner = command.place == Place::Unknown || command.chains.len() != 1;
            is_inner || command.is_concurrent || command.is_trap()
        };
        self.is_unordered |= parsed.commands.iter().any(is_unordered);
        let mut scopes = self.scopes(parsed);
        self.choose(parsed);
        let around = std::mem::replace(&mut self.known, KnownVariables::of(parsed));
        let inputs = self.inputs(parsed);
        for ((at, command), input) in parsed.commands.iter().enumerate().zip(inputs) {
            let is_fed_names = self.feeds_names(&parsed.commands, command);
            let around = std::mem::replace(&mut self.is_fed_names, is_fed_names);
            self.go_to(&mut scopes, at, command);
            self.simple(command, at, input, via);
            self.expand_input(command, &parsed.commands, via);
            self.is_fed_names = around;
        }
        self.end_subshells(&mut scopes, parsed.commands.len());
        self.known = around;
    }

    /// The input of each command of a text.
    fn inputs(&self, parsed: &Parsed) -> Vec<Input> {
        let is_exec = |command: &Simple| {
            let mut words = command.words.iter().filter_map(Word::literal);
            words.next_back().as_deref() == Some("exec") && command.feed != Feed::None
        };
        // `exec` with a redirection changes the input of the shell itself from there on.
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
        let own = here.workdir.as_str();
        let printed = (!self.functions.contains("pwd")).then_some(own).filter(|folder| folder.starts_with('/'));
        let of = |name: &str, quoted| match name {
            OWN_FOLDER => printed,
            name => known.value(name, quoted, at, &simple.chains),
        };
        let value = |word: &Word| Value::of(word, &here, of);
        let words: Vec<Value> = simple.words.iter().map(value).collect();
        self.declaration(simple, &words);
        for (name, word) in &simple.assignments {
            self.arithmetic.set(name, Content::word(word, false));
            self.assignment(name, &value(word));
        }
        // Redirected files count only after the command: it still runs the earlier contents.
        let mut opened = Vec::new();
        for redirect in &simple.redirects {
            opened.extend(self.redirect(redirect, value(&redirect.target)));
        }
        for part in simple.words.iter().flat_map(|word| &word.parts) {
            if let Part::Text { text, .. } = part {
                self.arithmetic.mention(text);
            }
        }
        self.begun = self.found.commands.len();
        let around = self.folder.clone();
        self.words(&words, &simple.line, &chain, input);
        if self.folder != around {
            let leaves = self.leaves(simple, &words, around.is_some());
            self.possible.leave(around, leaves);
        }
        self.written.extend(opened.iter().map(|file| file.text.clone()));
        let filled = self.filled_files(opened);
        self.filled_paths.extend(filled);
    }

    /// Notes a created file. `perl -p *` and similar programs run a file name with a bar at one end
    /// as a command.
    pub(super) fn makes(&mut self, file: &Value) {
        let name = last_part(&file.text).trim();
        if file.is_exact && (name.starts_with('|') || name.ends_with('|')) {
            self.opaque("it makes a file whose name programs read as a command");
        }
    }

    /// Notes a file that the line fills.
    pub(super) fn writes(&mut self, file: &Value) {
        self.makes(file);
        self.written.insert(file.text.clone());
    }

    /// The surroundings after all changes of folder so far. Where the folder is not known, it is a
    /// text that is not a path.
    fn here(&self) -> Surroundings {
        let workdir = self.folder.clone().unwrap_or_else(|| "$PWD".to_owned());
        Surroundings { workdir, ..self.surroundings.clone() }
    }

    /// Judges words as a command, and looks through its wrappers.
    pub(super) fn words(&mut self, words: &[Value], line: &str, via: &[String], input: Input) {
        let Some((program, args)) = words.split_first() else { return };
        let is_open = |arg: &Value| {
            (arg.text == ELSEWHERE && !arg.is_exact)
                || self.placeholders.iter().any(|placeholder| arg.text.contains(placeholder.as_str()))
        };
        if self.found.commands.len() >= MAX_COMMANDS || self.depth >= DEEPEST {
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
            // The effects of a script or of code are not listed.
            let runs_code = |effect: &Effect| matches!(effect, Effect::Script(_) | Effect::Code(..));
            command.is_exhaustive = described.program.is_exhaustive && !described.effects.iter().any(runs_code);
            command.effects = described.effects.iter().filter(|effect| effect.is_lasting()).cloned().collect();
            command.scripts = described.effects.iter().flat_map(Effect::scripts).collect();
        }
        if program.is_exact && program.text.contains('/') {
            command.scripts.push(program.clone());
        }
        let feared = match &described {
            None if program.is_exact && !self.functions.contains(command.name()) => {
                registry::possible_effects(&command)
            }
            _ => Vec::new(),
        };
        command.effects.extend(feared.iter().filter(|effect| effect.is_lasting()).cloned());
        let if_unset = if program.is_exact { self.if_unset(&command, described.as_ref()) } else { Vec::new() };
        command.effects.extend(if_unset.iter().filter(|effect| effect.is_lasting()).cloned());
        self.add_linked_files(&mut command);
        self.found.commands.push(command.clone());
        if !program.is_exact || program.has_pattern {
            self.opaque(&format!("the program `{}` is known only when it runs", shorten(&program.text)));
            return self.expand_program(&command);
        }
        if self.is_completed(&program.text) {
            self.opaque("a program that is named only when it runs");
        }
        if self.is_written(&program.text) || program.text.contains('/') && self.is_filled(program) {
            self.opaque(&format!("`{}` is written by this very line", shorten(&program.text)));
        }
        if let Some(target) = self.leads_to(program) {
            let line = format!("{} {}", target.text, joined(args));
            let words: Vec<Value> = std::iter::once(target).chain(args.iter().cloned()).collect();
            self.depth += 1;
            self.words(&words, line.trim_end(), &through(&command), command.input.clone());
            self.depth -= 1;
        }
        let around = match &command.input {
            Input::None => self.inherited.clone(),
            input => std::mem::replace(&mut self.inherited, input.clone()),
        };
        let begun = self.begun;
        self.depth += 1;
        self.containing.push(self.found.commands.len() - 1);
        self.arguments(&command);
        let mut risky_arguments = builtins::risky_arguments(&command);
        if risky_arguments.any(|arg| self.is_chosen(&command, arg, Doubt::Whole)) || self.may_evaluate(&command) {
            self.opaque(&format!("`{}` with an option that is known only when it runs", command.name()));
        }
        for change in builtins::changes(&command) {
            self.change(change, &through(&command));
        }
        match described {
            Some(described) => self.follow_program_effects(&command, described.program, described.effects),
            None => self.follow_all(&command, feared),
        }
        self.follow_all(&command, if_unset);
        self.containing.pop();
        self.depth -= 1;
        self.begun = begun;
        self.inherited = around;
    }

    /// Moves the shell to the user's home.
    pub(super) fn go_home(&mut self) {
        let home = Value::exact(self.surroundings.home.clone());
        self.enter(Some(&home));
    }

    /// Changes the shell's folder; `None` where the new folder is not known.
    pub(super) fn enter(&mut self, target: Option<&Value>) {
        let known = target.filter(|target| target.is_exact && !target.has_pattern && target.text != "-");
        self.possible.target = known.map(|target| target.text.clone());
        self.folder = known
            .zip(self.folder.as_ref())
            .map(|(target, folder)| plain_path(&Path::new(folder).join(&target.text)).to_string_lossy().into_owned());
    }
}

/// The input of a command.
fn input(feed: &Feed, commands: &[Simple], reader: &Reader<'_>) -> Input {
    match feed {
        Feed::None => Input::None,
        Feed::Text(text) => Input::Text(text.clone()),
        Feed::Unknown => Input::Unknown,
        Feed::Pipe(range) => printed(range.clone(), commands, reader).map_or(Input::Unknown, Input::Text),
    }
}

/// The text that the command before a pipe prints, if that is a plain `echo` or `printf`.
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

pub(super) fn last_part(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
}

/// The wrappers of a command's inner command, outermost first.
pub(super) fn through(command: &Command) -> Vec<String> {
    let mut via = command.via.clone();
    via.push(command.name().to_owned());
    via
}

pub(super) fn joined(values: &[Value]) -> String {
    values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// The text of the inner command: cut out of the source if possible, otherwise its joined words.
pub(super) fn rest_of(command: &Command, from: usize) -> String {
    let rest = command.args.get(from..).unwrap_or_default();
    let first = rest.first().map(|word| word.text.as_str()).unwrap_or_default();
    match command.line.find(first).filter(|_| !first.is_empty()) {
        Some(at) if from > 0 || command.line.matches(first).count() == 1 => command.line[at..].to_owned(),
        _ => joined(rest),
    }
}
