//! Arithmetic evaluation. Bash evaluates the values of the variables in an expression too, with
//! their subscripts and substitutions: `$((x))` runs a command when `x` holds `a[$(…)]`. This
//! module collects the texts that a line evaluates and what the line puts into each variable. A
//! value counts as harmful unless it is shown to be harmless.

use std::collections::BTreeSet;

use super::content::{ANY, Content};
use super::names;

/// The texts that a line evaluates, and the values that it puts into variables.
#[derive(Debug, Default)]
pub(super) struct Arithmetic {
    evaluated: Vec<Content>,
    settings: Vec<(String, Content)>,
    /// Variables that are declared as integers.
    integers: BTreeSet<String>,
    arrays: BTreeSet<String>,
    /// Values that declaring builtins give to variables. If the variable is an array, bash reads
    /// the text as a list of words.
    declared: Vec<(String, Content)>,
    /// Whether some array is associative: its subscripts are names then.
    has_maps: bool,
    /// Whether a variable gets a text that contains an unexpanded substitution.
    stores_substitution: bool,
    /// Whether any text of the line contains an unexpanded substitution.
    mentions_substitution: bool,
}

impl Arithmetic {
    /// Notes a text that is evaluated as an expression, or as a name with a subscript.
    pub(super) fn evaluate(&mut self, content: Content) {
        self.evaluated.push(content);
    }

    /// Notes that a variable gets a value.
    pub(super) fn set(&mut self, name: &str, content: Content) {
        // Arguments are kept under `@`, which is not a variable that an expression could reach by
        // name.
        self.stores_substitution |= content.holds_substitution && name != super::content::ARGUMENTS;
        self.mentions_substitution |= content.holds_substitution;
        self.settings.push((name.to_owned(), content));
    }

    /// Whether the line gives the variable a value.
    pub(super) fn is_set(&self, name: &str) -> bool {
        self.settings.iter().any(|(set, _)| set == name)
    }

    /// Notes that some unknown variable gets a value.
    pub(super) fn set_any(&mut self, content: Content) {
        self.set(ANY, content);
    }

    /// Notes an integer variable: what is assigned to it is evaluated.
    pub(super) fn integer(&mut self, name: &str) {
        self.integers.insert(name.to_owned());
    }

    /// Notes that a variable is an array.
    pub(super) fn array(&mut self, name: &str) {
        self.arrays.insert(name.to_owned());
    }

    /// Notes that a declaring builtin gives a variable a value.
    pub(super) fn declare(&mut self, name: &str, content: Content) {
        self.declared.push((name.to_owned(), content));
    }

    pub(super) fn map(&mut self) {
        self.has_maps = true;
    }

    /// Notes a text of the line that is only an argument.
    pub(super) fn mention(&mut self, text: &str) {
        self.mentions_substitution |= text.contains("$(") || text.contains('`');
    }

    /// Reason why a value or an expression may run a command; `None` if there is none. `functions`:
    /// names that are not programs in this line.
    pub(super) fn objection(&self, functions: &BTreeSet<String>) -> Option<&'static str> {
        if self.stores_substitution {
            return Some("a substitution is kept in a variable as a text, which bash may evaluate later");
        }
        self.may_run(functions).then_some("a value that may run a command when it is used in an expression")
    }

    fn may_run(&self, functions: &BTreeSet<String>) -> bool {
        let is_evaluated = |name: &str| name == ANY || names::is_integer(name) || self.integers.contains(name);
        let assigned = self.settings.iter().filter(|(name, _)| is_evaluated(name)).map(|(_, content)| content);
        let is_array = |name: &str| names::is_array(name) || self.arrays.contains(name);
        let lists = self.declared.iter().filter(|(name, _)| is_array(name)).map(|(_, content)| content);
        let mut open: Vec<&Content> = self.evaluated.iter().chain(assigned).chain(lists).collect();
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        while let Some(content) = open.pop() {
            if content.may_run || content.programs.iter().any(|program| functions.contains(program)) {
                return true;
            }
            let mut names: Vec<&str> = content.names.iter().map(String::as_str).collect();
            if (content.has_keys && self.has_maps)
                || content.joined.iter().any(|name| !self.is_number(name, &mut Vec::new()))
            {
                names.push(ANY);
            }
            for name in names {
                if names::holds_text(name) || (name == ANY && self.mentions_substitution) {
                    return true;
                }
                if reached.insert(name) {
                    let settings = self.settings.iter().filter(|(own, _)| own == name || name == ANY);
                    open.extend(settings.map(|(_, content)| content));
                }
            }
        }
        false
    }

    /// Whether every value that the line puts into a variable is a number.
    fn is_number<'a>(&'a self, name: &'a str, seen: &mut Vec<&'a str>) -> bool {
        if names::holds_text(name) || name == ANY {
            return false;
        }
        if seen.contains(&name) {
            return true;
        }
        seen.push(name);
        let mut settings = self.settings.iter().filter(|(own, _)| own == name || own == ANY);
        settings.all(|(_, content)| {
            content.is_number && !content.may_run && content.names.iter().all(|name| self.is_number(name, seen))
        })
    }
}
