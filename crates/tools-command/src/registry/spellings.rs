//! Other ways to write a command, for rules: the one that says the same, and those that a rule which forbids has to bind
//! too.

use super::lookup::{self, find};
use super::parsed::Parsed;
use crate::reader::{Command, Value};

/// Words at which a subcommand is looked for behind options that are not known.
const MAX_SUBCOMMANDS: usize = 6;
/// Folders whose programs are those that are meant by their names.
const SYSTEM_FOLDERS: [&str; 5] = ["/bin", "/sbin", "/usr/bin", "/usr/local/bin", "/usr/sbin"];

/// How else a command may be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spellings {
    /// The words that say the same, without options in front of the subcommand and by first names. A rule that allows
    /// them allows the command. `None` where the command is written so, or where something in it is not known.
    pub same: Option<Vec<String>>,
    /// Words that the command may amount to: a rule that forbids one of them forbids the command.
    pub generous: Vec<Vec<String>>,
}

/// How else a program with these arguments may be written.
pub fn spellings(program: &str, arguments: &[String]) -> Spellings {
    let folder = program.rsplit_once('/').map(|(folder, _)| folder);
    let name = program.rsplit('/').next().unwrap_or_default();
    let begins_with_options = arguments.first().is_some_and(|first| first.starts_with(['-', '+']));
    let mut found = Spellings::default();
    let is_certain = if let Some((words, is_certain)) = canonical(program, arguments) {
        let is_as_written = words.first().is_some_and(|first| first == name) && words[1..] == *arguments;
        if !is_as_written {
            let is_meant = folder.is_none_or(|folder| SYSTEM_FOLDERS.contains(&folder));
            found.same = Some(words.clone()).filter(|_| is_certain && is_meant);
            found.generous.push(words);
        } else if folder.is_some() {
            found.generous.push(words);
        }
        is_certain
    } else {
        if folder.is_some() {
            found.generous.push(from(name, arguments));
        }
        false
    };
    if begins_with_options && !is_certain {
        // Which of the words is the subcommand cannot be told: each may be.
        let operands = arguments.iter().enumerate().filter(|(_, word)| !word.starts_with(['-', '+', '$', '`', '"']));
        found.generous.extend(operands.take(MAX_SUBCOMMANDS).map(|(at, _)| from(name, &arguments[at..])));
    }
    found
}

fn from(name: &str, arguments: &[String]) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(arguments.iter().cloned()).collect()
}

/// The canonical words of a described program, and whether they are certain.
fn canonical(program: &str, arguments: &[String]) -> Option<(Vec<String>, bool)> {
    let args = arguments.iter().map(|word| Value { is_exact: !word.starts_with(['$', '`']), ..Value::exact(word) });
    let command = Command { program: Value::exact(program), args: args.collect(), ..Command::default() };
    let canonical = lookup::canonical(&Parsed::of(find(command.name())?, &command));
    Some((canonical.words, canonical.is_certain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_front_of_a_subcommand_are_left_out() {
        let check = |line: &str, same: Option<&str>, generous: &[&str]| {
            let mut words = line.split(' ').map(str::to_owned);
            let program = words.next().expect("a program");
            let found = spellings(&program, &words.collect::<Vec<_>>());
            assert_eq!(found.same.map(|words| words.join(" ")).as_deref(), same, "{line}");
            let found: Vec<_> = found.generous.iter().map(|words| words.join(" ")).collect();
            assert_eq!(found, generous, "{line}");
        };
        check("unknown-tool --prod deploy", None, &["unknown-tool deploy"]);
        check(
            "unknown-tool --env prod deploy x",
            None,
            &["unknown-tool prod deploy x", "unknown-tool deploy x", "unknown-tool x"],
        );
        check("unknown-tool deploy --prod", None, &[]);
        check("/opt/unknown-tool deploy", None, &["unknown-tool deploy"]);
        check("rm -f x", None, &[]);
        check("/bin/rm -f x", None, &["rm -f x"]);
        check("./rm -f x", None, &["rm -f x"]);
    }
}
