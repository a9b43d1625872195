//! Arguments that are known only when it runs, and what of each may be an option then.

use super::parsed::Parsed;
use super::programs::shells::is_shell;
use super::spec::Style;
use crate::effect::Effect;
use crate::reader::{PLACEHOLDER, Value};

/// Part of an argument that may be an option, or decide like one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// The whole: what is not known stands at its start.
    Whole,
    /// It is one, and its name is completed.
    Name,
    /// Words that are split off: it is data otherwise.
    Words,
    /// None of it, but the text of this value of an option decides what is done.
    Value,
    /// None of it, but the text of this operand decides what is done.
    Operand,
}

impl Doubt {
    /// What of an argument that stands where an operand may be an option; `None` where it is known.
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
    /// The arguments of which something may be an option when it runs: the reader knows whether the
    /// line chooses it.
    pub(super) fn doubtful(&self) -> Vec<Effect> {
        let args = &self.command.args;
        let is_leading = self.syntaxes().next().is_some_and(|syntax| syntax.style == Style::Leading)
            || is_shell(self.command.name());
        let first = self.operands.first().copied();
        let end = match first {
            // What follows an option that ends them all are arguments of what it runs.
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
