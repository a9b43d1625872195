//! Programs, lines and inputs that a line puts together from its own texts: `X=sudo; $X id`. Such a
//! line asks in any case. These readings also find programs that are denied without a question.

use super::command::{Command, Value};
use super::line::{Reader, joined, last_part, through};
use crate::grammar::{Feed, Operator, Part, RedirectKind, Simple, Word, parse};
use crate::registry::is_shell;

/// Maximum number of texts that are put together for one word or line, and of bytes in each.
const MAX_TEXTS: usize = 8;
const MAX_TEXT_BYTES: usize = 16 * 1024;
/// Maximum number of such texts that are read for one line.
const MAX_READ: usize = 64;
/// Names of the standard input.
const INPUTS: [&str; 4] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"];

impl Reader<'_> {
    /// Reads a program name that is put together, with the arguments, as a command.
    pub(super) fn expand_program(&mut self, command: &Command) {
        for text in self.expansions(&command.program.text) {
            let words: Vec<Value> =
                text.split_whitespace().map(Value::exact).chain(command.args.iter().cloned()).collect();
            // If the name becomes empty, bash runs the first argument.
            if words.first().is_none_or(|first| first.text.starts_with('-')) {
                continue;
            }
            let (line, input) = (joined(&words), command.input.clone());
            self.aside(|reader| reader.words(&words, &line, &through(command), input));
        }
    }

    /// Reads a line that is put together.
    pub(super) fn expand_line(&mut self, line: &Value, command: &Command) {
        for text in self.expansions(&line.text) {
            self.aside(|reader| reader.text(&text, &through(command)));
        }
    }

    /// Reads the input of a shell, as far as the line itself contains it.
    pub(super) fn expand_input(&mut self, shell: &Simple, commands: &[Simple], via: &[String]) {
        let Some((name, args)) = shell.words.split_first() else { return };
        let name = name.literal().unwrap_or_default();
        let (is_shell, is_source) = (is_shell(last_part(&name)), matches!(name.as_str(), "source" | "."));
        if !is_shell && !is_source {
            return;
        }
        let args: Vec<String> = args.iter().map(|word| word.literal().unwrap_or_default()).collect();
        let is_line = |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains('c');
        let is_input = |arg: &String| INPUTS.contains(&arg.as_str());
        let is_told = is_shell && args.iter().any(is_line);
        let has_script = is_source || !args.iter().all(|arg| arg.starts_with('-'));
        if is_told || has_script && !args.iter().any(is_input) {
            return;
        }
        let texts = match &shell.feed {
            Feed::Pipe(range) => match commands.get(range.clone()) {
                Some([only]) => self.printed_by(only),
                _ => Vec::new(),
            },
            _ => self.fed_to(shell),
        };
        let via: Vec<String> = via.iter().cloned().chain([name]).collect();
        for text in texts {
            self.aside(|reader| reader.text(&text, &via));
        }
    }

    /// Reads something with a reader of its own. Only its findings count: it may not run at all.
    fn aside(&mut self, read: impl FnOnce(&mut Reader<'_>)) {
        if self.expanded >= MAX_READ {
            return;
        }
        self.expanded += 1;
        let mut aside = Reader::new(self.surroundings, self.depth + 1);
        aside.written.clone_from(&self.written);
        aside.filled_paths.clone_from(&self.filled_paths);
        aside.functions.clone_from(&self.functions);
        aside.folder.clone_from(&self.folder);
        aside.possible.clone_from(&self.possible);
        aside.placeholders.clone_from(&self.placeholders);
        aside.links.clone_from(&self.links);
        aside.chosen.clone_from(&self.chosen);
        aside.expanded = self.expanded;
        read(&mut aside);
        self.expanded = aside.expanded;
        let found = aside.finish();
        for why in &found.opaque {
            self.opaque(why);
        }
        self.found.commands.extend(found.commands);
        self.found.reads.extend(found.reads);
        self.found.writes.extend(found.writes);
        self.found.connects.extend(found.connects);
        self.found.bombs.extend(found.bombs);
    }

    /// Texts that the words of a source text may become.
    fn expansions(&self, source: &str) -> Vec<String> {
        if self.is_completed(source) {
            return Vec::new();
        }
        // A process in place of a file: the text is the output of the process.
        let printed = source.strip_prefix("<(").and_then(|rest| rest.strip_suffix(')'));
        if let Some(commands) = printed {
            return self.printed_texts(commands);
        }
        // Commands in substitutions precede the command that contains them.
        let Some(command) = parse(source).ok().and_then(|parsed| parsed.commands.into_iter().next_back()) else {
            return Vec::new();
        };
        self.word_texts(&command.words)
    }

    fn word_texts(&self, words: &[Word]) -> Vec<String> {
        let texts = words.iter().map(|word| {
            let parts = word.parts.iter().map(|part| self.part_texts(part));
            if word.has_braces { Vec::new() } else { combined(parts, "") }
        });
        combined(texts, " ")
    }

    fn part_texts(&self, part: &Part) -> Vec<String> {
        match part {
            Part::Text { text, .. } => vec![text.clone()],
            Part::Glob(character) => vec![character.to_string()],
            Part::Number { .. } => vec!["0".to_owned()],
            Part::Variable { name, .. } => self.variable_texts(name),
            Part::Output { text, .. } => self.printed_texts(text),
            Part::Array(words) => self.word_texts(words),
            Part::Parameter(parameter) => match parameter.operator {
                Operator::Element => self.variable_texts(&parameter.name),
                Operator::Default => {
                    let word = std::slice::from_ref(&parameter.word);
                    self.chosen.given(&parameter.name).chain(self.word_texts(word)).collect()
                }
                _ => Vec::new(),
            },
            Part::Tilde(_) | Part::Dynamic => Vec::new(),
        }
    }

    /// Texts that a variable may hold; empty if it is not set.
    fn variable_texts(&self, name: &str) -> Vec<String> {
        let unset = self.if_empty(name).map(str::to_owned);
        self.chosen.given(name).chain(unset).collect()
    }

    fn printed_texts(&self, commands: &str) -> Vec<String> {
        match parse(commands).map(|parsed| parsed.commands).as_deref() {
            Ok([only]) => self.printed_by(only),
            _ => Vec::new(),
        }
    }

    /// Output of a command that only prints.
    fn printed_by(&self, command: &Simple) -> Vec<String> {
        let Some((program, args)) = command.words.split_first() else { return Vec::new() };
        let is_option = |word: &&Word| word.source.starts_with('-');
        match (program.literal().as_deref(), args) {
            (Some("echo"), args) => self.word_texts(&args[args.iter().take_while(is_option).count()..]),
            (Some("printf"), [format, args @ ..]) => {
                let formats = self.word_texts(std::slice::from_ref(format));
                let args = self.word_texts(args);
                let text = |(format, args): (&String, &String)| {
                    format.replacen("%s", args, 1).replace("%s", "").replace("\\n", "\n")
                };
                formats.iter().flat_map(|format| args.iter().map(move |args| (format, args))).map(text).collect()
            }
            (Some("cat" | "tee"), _) => self.fed_to(command),
            _ => Vec::new(),
        }
    }

    /// Input of a command from a here-document or a here-string.
    fn fed_to(&self, command: &Simple) -> Vec<String> {
        if let Feed::Text(text) = &command.feed {
            return vec![text.clone()];
        }
        let strings = command.redirects.iter().filter(|redirect| redirect.kind == RedirectKind::HereString);
        strings.flat_map(|redirect| self.word_texts(std::slice::from_ref(&redirect.target))).collect()
    }
}

/// One text of each list, in every combination, with a separator.
fn combined(texts: impl Iterator<Item = Vec<String>>, between: &str) -> Vec<String> {
    let mut found: Option<Vec<String>> = None;
    for texts in texts {
        let both = match found {
            None => texts,
            Some(starts) => starts
                .iter()
                .flat_map(|start| texts.iter().map(move |text| (start, text)))
                .filter(|(start, text)| start.len() + text.len() <= MAX_TEXT_BYTES)
                .map(|(start, text)| format!("{start}{between}{text}"))
                .take(MAX_TEXTS)
                .collect(),
        };
        found = Some(both);
    }
    found.unwrap_or_else(|| vec![String::new()])
}
