//! A command as it would be if the variables that the line does not set were empty. An empty
//! expansion leaves the text next to it, as in `--glo${x}bal`, and that text is chosen by the line.

use std::path::Path;

use tools_core::{Access, is_guarded};

use super::builtins;
use super::command::{Command, Surroundings, Value};
use super::line::Reader;
use super::numbers::{PrintedText, printed};
use super::remote::{self, commands_there};
use crate::code;
use crate::effect::Effect;
use crate::grammar::{Operator, Part, Word, parse_word};
use crate::registry::{self, CommandDescription};

/// The rest of an argument when its unset variables are empty.
enum Rest {
    /// The argument is known, or nothing of it is.
    Same,
    /// The argument disappears.
    Nothing,
    Text(String),
}

impl Reader<'_> {
    /// Effects that a command would have in addition if the variables that the line does not set
    /// were empty.
    pub(super) fn if_unset(&self, command: &Command, known: Option<&CommandDescription>) -> Vec<Effect> {
        let known = known.map(|known| known.effects.as_slice()).unwrap_or_default();
        let mut found = Vec::new();
        if let Some(other) = self.without_unset(command, false) {
            if builtins::has_evaluating(&other) && !builtins::has_evaluating(command) {
                let why = format!("`{}` with an option that is known only when it runs", other.name());
                return vec![Effect::hidden(why)];
            }
            found.extend(self.effects(&other).into_iter().filter_map(|effect| self.doubtful(&other, known, effect)));
        }
        // If the value of an option is missing, the next word becomes the value: another program
        // may be run.
        let runs = |effect: &Effect| matches!(effect, Effect::Words { .. } | Effect::Line(_) | Effect::Code(..));
        if known.iter().any(runs)
            && let Some(other) = self.without_unset(command, true)
        {
            let others = self.effects(&other).into_iter().filter(runs);
            found.extend(others.filter_map(|effect| self.doubtful(&other, known, effect)));
        }
        found
    }

    fn effects(&self, command: &Command) -> Vec<Effect> {
        match registry::describe(command) {
            Some(described) => described.effects,
            None if self.functions.contains(command.name()) => Vec::new(),
            None => registry::possible_effects(command),
        }
    }

    /// The effect to report for one that is not certain; `None` if nothing asks about it.
    fn doubtful(&self, command: &Command, known: &[Effect], effect: Effect) -> Option<Effect> {
        if known.contains(&effect) {
            return None;
        }
        let name = command.name();
        match &effect {
            // A consequence that is never allowed must be certain to be refused; otherwise it asks.
            Effect::Is { kind, why } if kind.is_denied() => {
                Some(Effect::hidden(format!("`{name}` {why} if a variable that it names is empty")))
            }
            Effect::Is { kind, .. } => {
                let is_known = known.iter().any(|one| matches!(one, Effect::Is { kind: own, .. } if own == kind));
                (!is_known).then_some(effect)
            }
            Effect::Path { path, access: Access::Write | Access::Delete, .. } => {
                self.is_hidden_name(path, known).then_some(effect)
            }
            Effect::Hidden(_) => Some(effect),
            // The arguments of a known program are analysed with that program.
            Effect::Words { words, .. } if is_run(words, known) => None,
            Effect::Words { .. } | Effect::Line(_) | Effect::Sets(..) => {
                Some(Effect::hidden(format!("`{name}` runs something else if a variable that it names is empty")))
            }
            Effect::Code(language, text) if text.is_exact && !self.is_completed(&text.text) => {
                code::suspicion(*language, &text.text).map(Effect::hidden)
            }
            Effect::Code(..) => {
                Some(Effect::hidden(format!("`{name}` runs code if a variable that it names is empty")))
            }
            Effect::Script(file) => self.script_objection(file, command).map(Effect::hidden),
            Effect::Obeys { .. } => self.obeyed_objection(&effect, command).map(Effect::hidden),
            Effect::WordsThere(_) | Effect::LineThere(_) => commands_there(&effect).iter().find_map(remote::harm),
            _ => None,
        }
    }

    /// Whether outside programs obey the path and the known effects do not say so.
    fn is_hidden_name(&self, path: &Value, known: &[Effect]) -> bool {
        let Surroundings { home, workdir } = self.surroundings;
        let is_below = |folder: &String| !folder.is_empty() && path.text.starts_with(folder.as_str());
        // Any folder may precede a path that begins with a slash.
        let is_placed = !path.text.starts_with('/') || is_below(home) || is_below(workdir);
        let says = |effect: &Effect| matches!(effect, Effect::Path { path: own, .. } if own.start().as_ref() == Some(&path.text));
        is_placed && is_guarded(Path::new(&path.text)) && !known.iter().any(says)
    }

    /// The command without the arguments that may be empty; `leaves_out_values`: option values too.
    /// `None` if nothing changes.
    fn without_unset(&self, command: &Command, leaves_out_values: bool) -> Option<Command> {
        let is_open = |arg: &Value| !arg.is_exact && arg.text.contains('$');
        if !command.args.iter().any(is_open) {
            return None;
        }
        let values = registry::positions_of_values(command);
        let mut is_other = false;
        let mut args = Vec::with_capacity(command.args.len());
        for (at, arg) in command.args.iter().enumerate() {
            match self.rest(arg) {
                Rest::Same => args.push(arg.clone()),
                Rest::Nothing if !leaves_out_values && values.contains(&at) => args.push(Value::exact("")),
                Rest::Nothing => is_other = true,
                Rest::Text(text) => {
                    is_other = true;
                    args.push(Value::exact(text));
                }
            }
        }
        is_other.then(|| Command { args, ..command.clone() })
    }

    fn rest(&self, arg: &Value) -> Rest {
        if arg.is_exact || !arg.text.contains('$') {
            return Rest::Same;
        }
        let Some(word) = parse_word(&arg.text) else { return Rest::Same };
        match self.text_if_unset(&word) {
            Some(text) if text.is_empty() && !word.is_quoted() => Rest::Nothing,
            // An empty command does nothing; its other possible values count.
            Some(text) if text.is_empty() => Rest::Same,
            Some(text) => Rest::Text(text),
            None => Rest::Same,
        }
    }

    /// The text of a word if the variables that the line does not set are empty; `None` if the word
    /// contains anything else that is not known.
    pub(super) fn text_if_unset(&self, word: &Word) -> Option<String> {
        if word.has_braces {
            return None;
        }
        let mut text = String::new();
        for part in &word.parts {
            match part {
                Part::Text { text: own, .. } => text.push_str(own),
                Part::Glob(character) => text.push(*character),
                Part::Variable { name, .. } => text.push_str(self.if_empty(name)?),
                Part::Tilde(name) if name.is_empty() => text.push_str(&self.surroundings.home),
                Part::Number { .. } => text.push('0'),
                Part::Output { text: commands, .. } if matches!(printed(commands), PrintedText::Number(_)) => {}
                Part::Parameter(parameter) => match parameter.operator {
                    Operator::Default => text.push_str(&self.text_if_unset(&parameter.word)?),
                    _ => text.push_str(self.if_empty(&parameter.name)?),
                },
                Part::Output { .. } | Part::Tilde(_) | Part::Array(_) | Part::Dynamic => return None,
            }
        }
        Some(text)
    }

    /// The value of a variable that may be empty; `None` for other variables.
    pub(super) fn if_empty(&self, name: &str) -> Option<&str> {
        let Surroundings { home, workdir } = self.surroundings;
        match name {
            "HOME" => Some(home),
            "PWD" => Some(workdir),
            "?" | "#" => Some("0"),
            "$" | "!" | "-" | "0" | "_" | "BASH" | "SHELL" | "PATH" | "USER" => None,
            _ => (!self.arithmetic.is_set(name) || self.chosen.may_be_empty(name)).then_some(""),
        }
    }
}

/// Whether a program with these words is certainly run.
fn is_run(words: &[Value], known: &[Effect]) -> bool {
    known.iter().any(|effect| matches!(effect, Effect::Words { words: own, .. } if own.first() == words.first()))
}
