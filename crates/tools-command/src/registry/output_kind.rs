//! The command whose output a command prints: `timeout 5 cargo test` has that of `cargo test`.

use super::lookup::{canonical, describe};
use super::{Parsed, Program, find};
use crate::effect::Effect;
use crate::reader::{Command, Value, is_name};

/// Maximum nesting of commands that is looked through.
const MAX_DEPTH: usize = 12;

/// Kind of a command's output, judged by its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OutputKind {
    /// The output is that of the command with these words: without assignments, wrappers, folders
    /// and options before the subcommand, and with first names.
    Words(Vec<String>),
    /// The output is that of a shell line.
    Line(String),
}

/// The kind of output of a command with these words.
pub fn output_kind(words: Vec<String>) -> OutputKind {
    let mut words = without_assignments(words);
    for _ in 0..MAX_DEPTH {
        let command = command(&words);
        match inner(&command) {
            Some(OutputKind::Words(inner)) => words = without_assignments(inner),
            Some(line) => return line,
            None => break,
        }
    }
    let command = command(&words);
    match find(command.name()) {
        Some(program) => OutputKind::Words(by_format(program, canonical(&Parsed::of(program, &command)).words)),
        None => OutputKind::Words(with_plain_program(words)),
    }
}

/// The words of the command whose output format this program uses.
fn by_format(program: &Program, mut words: Vec<String>) -> Vec<String> {
    let is_called = |(names, _): &&(&str, &str)| names.split(' ').any(|name| name == words[0]);
    if let Some((_, other)) = program.prints_as.iter().find(is_called) {
        words.splice(..1, other.split(' ').map(str::to_owned));
    }
    words
}

fn command(words: &[String]) -> Command {
    let mut values = words.iter().map(Value::exact);
    Command { program: values.next().unwrap_or_default(), args: values.collect(), ..Command::default() }
}

/// The command at the end of a command's arguments, or the line that it passes to a shell.
fn inner(command: &Command) -> Option<OutputKind> {
    let described = describe(command)?;
    let has_subcommands = !described.program.subcommands.is_empty();
    described.effects.into_iter().find_map(|effect| match effect {
        Effect::Words { words, .. } if !words.is_empty() && command.args.ends_with(&words) => {
            Some(OutputKind::Words(words.into_iter().map(|word| word.text).collect()))
        }
        Effect::Line(line) if line.is_exact && !has_subcommands => Some(OutputKind::Line(line.text)),
        _ => None,
    })
}

fn without_assignments(mut words: Vec<String>) -> Vec<String> {
    let assigned = words.iter().take_while(|word| is_assignment(word)).count();
    words.drain(..assigned);
    words
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn with_plain_program(mut words: Vec<String>) -> Vec<String> {
    if let Some(program) = words.first_mut() {
        let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
        *program = name.strip_suffix(".exe").unwrap_or(name).to_owned();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_whose_output_it_is_is_found() {
        let check = |line: &str, expected: &str| {
            let words = line.split(' ').map(str::to_owned).collect();
            assert_eq!(
                output_kind(words),
                OutputKind::Words(expected.split(' ').map(str::to_owned).collect()),
                "{line}"
            );
        };
        check("A=1 timeout -k 5 60 git -C x --no-pager status -s", "git status -s");
        check("nice -n 5 unheard-of x", "unheard-of x");
        check("/opt/unheard-of.exe x", "unheard-of x");
        check("timeout 60", "timeout 60");
    }
}
