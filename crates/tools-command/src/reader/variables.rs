//! Changes that commands make to variables, and their consequences.

use super::assignments;
use super::builtins::{self, Attributes, Change};
use super::command::{Command, Value};
use super::content::{ARGUMENTS, Content};
use super::line::Reader;
use crate::excerpt::shorten;
use crate::grammar::{Part, Simple};
use crate::registry;

impl Reader<'_> {
    /// Notes the assignment of a variable.
    pub(super) fn assignment(&mut self, name: &str, value: &Value) {
        if assignments::leads_elsewhere(name, value) {
            self.opaque(&format!("connections lead through `{}`", shorten(&value.text)));
        }
        if let Some(why) = assignments::objection(name, &value.text, value.is_exact) {
            self.opaque(&why);
            // The value is analysed all the same: it may run something that is never allowed.
            let is_option = name.ends_with("FLAGS") && value.text.starts_with('-');
            if value.is_exact && !is_option && !name.contains("PATH") {
                self.text(&value.text, &[name.to_owned()]);
            }
        }
    }

    /// Notes what the options of `declare` and similar builtins say about the assignments behind
    /// them.
    pub(super) fn declaration(&mut self, simple: &Simple, words: &[Value]) {
        let Some((program, args)) = words.split_first().filter(|(program, _)| builtins::declares(&program.text)) else {
            return;
        };
        let attributes = Attributes::read(&program.text, args);
        for (name, word) in &simple.assignments {
            if attributes.is_integer {
                self.arithmetic.integer(name);
            }
            if attributes.is_array {
                self.arithmetic.array(name);
            }
            if !matches!(word.parts.as_slice(), [Part::Array(_)]) {
                self.arithmetic.declare(name, Content::word(word, false));
            }
        }
    }

    /// Notes a change that a builtin makes to variables.
    pub(super) fn change(&mut self, change: Change, via: &[String]) {
        match change {
            Change::Sets(name, content, value) => {
                self.chosen.hold(&name, value.clone());
                self.arithmetic.set(&name, content);
                self.assignment(&name, &value);
            }
            Change::SetsAny(content) => {
                self.arithmetic.set_any(content);
                self.opaque("a variable whose name is known only when it runs");
            }
            Change::Evaluates(content) => self.evaluate(content),
            Change::Integer(name) => self.arithmetic.integer(&name),
            Change::Array(name) => self.arithmetic.array(&name),
            Change::Declares(name, content) => self.arithmetic.declare(&name, content),
            Change::Map => self.arithmetic.map(),
            Change::Line(line) => self.text(&line.text, via),
            Change::Opaque(why) => self.opaque(why),
        }
    }

    /// Notes an evaluated text, which may set every variable that it names.
    pub(super) fn evaluate(&mut self, content: Content) {
        for name in &content.names {
            if let Some(why) = assignments::objection(name, "7", true) {
                self.opaque(&why);
            }
        }
        self.arithmetic.evaluate(content);
    }

    /// Notes a `NAME=value` before a command, which sets the variable for that command.
    pub(super) fn set_for_command(&mut self, arg: &Value) {
        match builtins::declared(arg) {
            Some((name, Some((content, value)))) => {
                self.choose_value(&name.text, &value);
                self.arithmetic.set(&name.text, content);
                self.assignment(&name.text, &value);
            }
            _ => self.opaque("a variable whose name is known only when it runs"),
        }
    }

    /// Notes that arguments become `$1` and so on.
    pub(super) fn arguments(&mut self, command: &Command) {
        let name = command.name();
        if !(name == "set" || registry::is_shell(name) || self.functions.contains(&command.program.text)) {
            return;
        }
        if command.is_open {
            self.arithmetic.set(ARGUMENTS, Content::unknown());
        }
        let is_line = |before: &Value| before.text.starts_with('-') && before.text.ends_with('c');
        for (at, arg) in command.args.iter().enumerate() {
            if !(at > 0 && is_line(&command.args[at - 1])) {
                self.arithmetic.set(ARGUMENTS, Content::value(arg, true));
            }
        }
    }
}
