//! Follows the effects of a described program: the commands it runs, the variables it sets, and the
//! parts that stay opaque.

use tools_core::Access;

use super::command::{Command, Input, PLACEHOLDER, Value, elsewhere};
use super::content::Content;
use super::line::{Reader, joined, rest_of, through};
use crate::code;
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::registry::{Doubt, More, Program};

impl Reader<'_> {
    /// Follows every effect.
    pub(super) fn follow_program_effects(&mut self, command: &Command, program: &Program, effects: Vec<Effect>) {
        for effect in &effects {
            match effect {
                Effect::Path { path, access: Access::Write, .. } if program.builds => self.makes(path),
                Effect::Path { path, access: Access::Write, .. } => self.writes(path),
                _ => {}
            }
        }
        let filled = self.filled_by(command, program, &effects);
        self.follow_all(command, effects);
        self.filled_paths.extend(filled);
    }

    /// Follows effects, none of which creates a file that is run later.
    pub(super) fn follow_all(&mut self, command: &Command, effects: Vec<Effect>) {
        let folder = effects.iter().rev().find_map(|effect| match effect {
            Effect::StartsIn(folder) => Some(folder.clone()),
            _ => None,
        });
        let around = folder.as_ref().map(|folder| {
            let around = self.folder.clone();
            self.enter(Some(folder));
            around
        });
        let fills = self.fills.clone();
        for effect in effects {
            self.follow(command, effect);
        }
        self.fills = fills;
        if let Some(around) = around {
            self.folder = around;
        }
    }

    fn follow(&mut self, command: &Command, effect: Effect) {
        match effect {
            Effect::Hidden(why) => self.opaque(&why),
            Effect::Line(line) if line.is_exact => self.text(&line.text, &through(command)),
            Effect::Line(line) => {
                self.opaque(&format!("`{}` is run, and known only then", shorten(&line.text)));
                self.expand_line(&line, command);
            }
            Effect::Words { words, more, has_variables } => self.run_words(command, &words, more, has_variables),
            Effect::Script(file) => {
                self.script(&file, command);
                if file.text.starts_with("<(") {
                    self.expand_line(&file, command);
                }
            }
            Effect::Obeys { .. } => self.obeys(&effect, command),
            Effect::Code(_, text) if self.is_completed(&text.text) => {
                self.opaque(&format!("code for `{}` that is completed only when it runs", command.name()));
            }
            Effect::MayDecide(arg, doubt) if self.is_chosen(command, &arg, doubt) => {
                let (arg, name) = (shorten(&arg.text), command.name());
                let what = if matches!(doubt, Doubt::Value | Doubt::Operand) {
                    "decides"
                } else {
                    "may be an option that changes"
                };
                self.opaque(&format!("`{arg}` {what} what `{name}` does"));
            }
            Effect::Code(language, text) if text.is_exact => {
                self.loads(language, &text.text);
                if let Some(why) = code::suspicion(language, &text.text) {
                    self.opaque(&why);
                }
            }
            Effect::Code(_, text) => {
                self.opaque(&format!(
                    "code for `{}` that is known only when it runs: {}",
                    command.name(),
                    shorten(&text.text)
                ));
            }
            Effect::Sets(name, value) => {
                self.choose_value(&name, &value);
                self.arithmetic.set(&name, Content::value(&value, false));
                self.assignment(&name, &value);
            }
            Effect::Evaluates(text) => self.evaluate(Content::value(&text, true)),
            Effect::Folder(folder) => self.enter(folder.as_ref()),
            Effect::Home => self.go_home(),
            Effect::WordsThere(_) | Effect::LineThere(_) => self.run_there(command, &effect),
            Effect::Links { link, target } => self.link(command, &link, &target),
            Effect::Fills(fills) => self.fills = fills,
            Effect::MayDecide(..)
            | Effect::StartsIn(_)
            | Effect::Unpacks(_)
            | Effect::Path { .. }
            | Effect::Host(_)
            | Effect::Network
            | Effect::Is { .. } => {}
        }
    }

    fn run_words(&mut self, command: &Command, mut words: &[Value], more: Option<More>, has_variables: bool) {
        if has_variables {
            while let Some((first, rest)) = words.split_first().filter(|(first, _)| first.text.contains('=')) {
                self.set_for_command(first);
                words = rest;
            }
        }
        let Some(first) = words.first() else { return };
        if has_variables && first.text.starts_with('-') {
            self.opaque(&format!("an option of `{}` behind its variables", command.name()));
            // Its line is analysed all the same: it may contain something that is never allowed.
            return self.text(&joined(&words[1..]), &through(command));
        }
        let via = through(command);
        let mut words = words.to_vec();
        let mut line = if command.args.ends_with(&words) {
            rest_of(command, command.args.len() - words.len())
        } else {
            joined(&words)
        };
        match more {
            None => self.words(&words, &line, &via, command.input.clone()),
            Some(more) => {
                if more == More::Behind {
                    words.push(elsewhere());
                    line = joined(&words);
                }
                // Arguments added at the end replace no braces.
                let replaced = (more == More::Braces).then(|| PLACEHOLDER.to_owned());
                let around = self.placeholders.len();
                self.placeholders.extend(replaced);
                self.words(&words, &line, &via, Input::None);
                self.placeholders.truncate(around);
            }
        }
    }
}
