//! Arguments that are known only at run time, and which part of them may be an option then.

use super::parsed::Parsed;
use super::programs::shells::is_shell;
use super::spec::Style;
use crate::effect::Effect;
use crate::reader::{PLACEHOLDER, Value};

/// Part of an argument that may be an option, or may decide like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The whole argument: the unknown part is at its start.
    Whole,
    /// The name: the argument is an option whose name is completed at run time.
    Name,
    /// Words that are split off; the argument itself is data.
    Words,
    /// None, but this argument is an option's value that decides what is done.
    Value,
    /// None, but this argument is an operand that decides what is done.
    Operand,
}

impl Doubt {
    /// The part of an argument at an operand's position that may be an option; `None` if the
    /// argument is known.
    pub(crate) fn of_operand(arg: &Value) -> Option<Self> {
        let text = arg.text.trim_start_matches(['"', '\'']);
        let is_open = !arg.is_exact;
        if is_open && text.starts_with(['$', '`']) || text.starts_with(PLACEHOLDER) {
            Some(Self::Whole)
        } else if text.starts_with('-') && (is_open || arg.has_pattern || text.contains(PLACEHOLDER)) {
            Some(Self::Name)
        } else {
            is_open.then_some(Self::Words)
        }
    }
}

impl Parsed<'_> {
    /// The arguments that may be options in part at run time. The reader decides whether the line
    /// chooses them.
    pub(super) fn doubtful(&self) -> Vec<Effect> {
        let args = &self.command.args;
        let is_leading = self.syntaxes().next().is_some_and(|syntax| syntax.style == Style::Leading)
            || is_shell(self.command.name());
        let first = self.operands.first().copied();
        let end = match first {
            // Arguments after an option that ends the options belong to the command that is run.
            _ if let Some(end) = self.ended => end,
            Some(first) if is_leading => first + 1,
            _ => args.len(),
        };
        let end = end.min(self.dashes.unwrap_or(args.len()));
        let doubt = |(at, arg): (usize, &Value)| {
            let doubt = if self.words.contains(&at) {
                None
            } else if self.operands.binary_search(&at).is_ok() || self.incomplete.binary_search(&at).is_ok() {
                Doubt::of_operand(arg)
            } else {
                (!arg.is_exact).then_some(Doubt::Words)
            };
            doubt.map(|doubt| Effect::MayDecide(arg.clone(), doubt))
        };
        args.iter().enumerate().take(end).filter_map(doubt).collect()
    }
}
