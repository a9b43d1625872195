//! Commands that run on another machine or in a container. Their files are not those of this
//! machine, and a rule that allows the program allows them. But a person is asked about harmful
//! ones, and unknown parts are opaque.

use tools_core::Access;

use super::command::{Analysis, Command, Input, Surroundings};
use super::line::{Reader, joined};
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::registry::Consequence;

impl Reader<'_> {
    /// Follows words or a line that run elsewhere.
    pub(super) fn run_there(&mut self, command: &Command, effect: &Effect) {
        let nowhere = Surroundings::default();
        let mut there = Reader::new(&nowhere, self.depth + 1);
        there.placeholders.clone_from(&self.placeholders);
        let found = read(there, effect, command.input.clone());
        if let Some(why) = found.opaque.first() {
            self.opaque(why);
        }
        let harm = found.commands.iter().find_map(harm);
        if let (Some(harm), Some(at)) = (harm, self.containing.last()) {
            self.found.commands[*at].effects.push(harm);
        }
    }
}

/// The commands in words or a line that run elsewhere.
pub(crate) fn commands_there(effect: &Effect) -> Vec<Command> {
    read(Reader::new(&Surroundings::default(), 1), effect, Input::None).commands
}

fn read(mut reader: Reader<'_>, effect: &Effect, input: Input) -> Analysis {
    match effect {
        Effect::WordsThere(words) => reader.words(words, &joined(words), &[], input),
        Effect::LineThere(line) if line.is_exact => reader.text(&line.text, &[]),
        Effect::LineThere(line) => {
            reader.opaque(&format!("`{}` is run elsewhere, and known only then", shorten(&line.text)));
        }
        _ => {}
    }
    reader.finish()
}

/// A harmful effect of a command on the machine where it runs; `None` if there is none.
pub(super) fn harm(command: &Command) -> Option<Effect> {
    let is_harm = |effect: &Effect| matches!(effect, Effect::Is { .. } | Effect::Path { access: Access::Delete, .. });
    let why = || format!("runs `{}` elsewhere", shorten(&command.line));
    command.effects.iter().any(is_harm).then(|| Effect::says(Consequence::DeletesForOthers, why()))
}
