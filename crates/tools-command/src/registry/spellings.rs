//! Other spellings of a command, for rules: the equivalent one, and those that a rule which forbids
//! must cover too.

use super::apply;
use super::lookup::{self, find};
use super::options;
use super::parsed::Parsed;
use crate::reader::{Command, Value};

/// Maximum number of arguments before a subcommand or an operand that may be left out of a
/// comparison.
const MAX_LEADING: usize = 8;
/// Folders in which a program's name means the well-known program.
const SYSTEM_FOLDERS: [&str; 5] = ["/bin", "/sbin", "/usr/bin", "/usr/local/bin", "/usr/sbin"];

/// Other spellings of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spellings {
    /// The equivalent words, without options before the subcommand and with first names. A rule
    /// that allows them allows the command. `None` if the command is already written so, or if
    /// something in it is not known.
    pub same: Option<Vec<String>>,
    /// Words that the command may be equivalent to: a rule that forbids one of them forbids the
    /// command.
    pub generous: Vec<Vec<String>>,
    /// The words `help`, the program and its subcommand, if the command only asks for help or the
    /// version; otherwise `None`. A rule that allows them allows the command.
    pub help: Option<Vec<String>>,
    /// Number of arguments before the subcommand or the first operand, if the first argument is an
    /// option. A rule forbids the command if it forbids the words without the first argument,
    /// without the first two, and so on.
    pub leading: usize,
}

/// The other spellings of a program with these arguments.
pub fn spellings(program: &str, arguments: &[String]) -> Spellings {
    let folder = program.rsplit_once('/').map(|(folder, _)| folder);
    let name = program.rsplit('/').next().unwrap_or_default();
    let mut found = Spellings::default();
    let described = find(name).map(|description| {
        let command = command(program, arguments);
        let parsed = Parsed::of(description, &command);
        found.help = apply::only_says(&parsed).then(|| help(program, arguments));
        (lookup::canonical(&parsed), parsed.words.iter().chain(&parsed.operands).min().copied())
    });
    let first = if let Some((canonical, first)) = described {
        let words = canonical.words;
        let is_as_written = words.first().is_some_and(|first| first == name) && words[1..] == *arguments;
        if !is_as_written {
            let is_meant = folder.is_none_or(|folder| SYSTEM_FOLDERS.contains(&folder));
            found.same = Some(words.clone()).filter(|_| canonical.is_certain && is_meant);
        }
        found.generous.extend((!is_as_written || folder.is_some()).then_some(words));
        first.filter(|_| canonical.is_certain).unwrap_or(arguments.len())
    } else {
        // With more words, the first one may be a program that it starts.
        let is_alone = matches!(arguments, [only] if matches!(only.as_str(), "--help" | "--version"));
        found.help = is_alone.then(|| help(program, arguments));
        found.generous.extend(folder.map(|_| from(name, arguments)));
        arguments.len()
    };
    found.generous.extend(in_full(name, arguments));
    if arguments.first().is_some_and(|first| first.starts_with(['-', '+'])) {
        // It is not always known which of them are values: each may be left out, together with
        // those before it.
        found.leading = first.min(MAX_LEADING);
        let starts = (1..=found.leading).filter(|at| arguments.get(*at).is_some_and(|word| !is_unknown(word)));
        found.generous.extend(starts.map(|at| from(name, &arguments[at..])));
    }
    found
}

/// The words with an abbreviated long option in full: `pip install --pref x`. One result for each
/// option that the abbreviation may mean.
fn in_full(name: &str, arguments: &[String]) -> Vec<Vec<String>> {
    let has_long = arguments.iter().any(|argument| argument.len() > 2 && argument.starts_with("--"));
    let Some(description) = find(name).filter(|_| has_long) else { return Vec::new() };
    let command = command(name, arguments);
    let parsed = Parsed::of(description, &command);
    let syntaxes: Vec<_> = parsed.syntaxes().collect();
    let end = parsed.dashes.unwrap_or(arguments.len());
    let mut found = Vec::new();
    for (at, argument) in arguments.iter().enumerate().take(end).filter(|(_, argument)| argument.starts_with("--")) {
        let option = argument.split('=').next().unwrap_or_default();
        for full in options::in_full(option, &syntaxes).take(MAX_LEADING - found.len().min(MAX_LEADING)) {
            let mut words = arguments.to_vec();
            words[at] = format!("{full}{}", &argument[option.len()..]);
            let command = self::command(name, &words);
            found.push(lookup::canonical(&Parsed::of(description, &command)).words);
        }
    }
    found
}

/// Whether a word is a variable or a substitution.
fn is_unknown(word: &str) -> bool {
    word.trim_start_matches('"').starts_with(['$', '`'])
}

fn from(name: &str, arguments: &[String]) -> Vec<String> {
    std::iter::once(name.to_owned()).chain(arguments.iter().cloned()).collect()
}

fn help(program: &str, arguments: &[String]) -> Vec<String> {
    let words = arguments.iter().filter(|word| !word.starts_with('-')).cloned();
    ["help", program].map(str::to_owned).into_iter().chain(words).collect()
}

pub(super) fn command(program: &str, arguments: &[String]) -> Command {
    let args = arguments.iter().map(|word| Value { is_exact: !word.starts_with(['$', '`']), ..Value::exact(word) });
    Command { program: Value::exact(program), args: args.collect(), ..Command::default() }
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
        check("rm -f x", None, &["rm x"]);
        check("/bin/rm -f x", None, &["rm -f x", "rm x"]);
        check("./rm -f x", None, &["rm -f x", "rm x"]);
        check("git -C . log push", Some("git log push"), &["git log push", "git . log push", "git log push"]);
        check("git log -C push", None, &[]);
        check("pip install --pref x y", None, &["pip install --prefix x y"]);
        check("pip install --index-u=y x", None, &["pip install --index-url=y x"]);
        check("npm install --g x", None, &["npm install --global x"]);
        check(
            "npm i --reg=y x",
            Some("npm install --reg=y x"),
            &["npm install --reg=y x", "npm install --registry=y x"],
        );
    }

    #[test]
    fn a_command_that_only_asks_for_help_is_told_from_one_with_the_word_in_it() {
        let check = |line: &str, expected: Option<&str>| {
            let mut words = line.split(' ').map(str::to_owned);
            let program = words.next().expect("a program");
            let found = spellings(&program, &words.collect::<Vec<_>>()).help;
            assert_eq!(found.map(|words| words.join(" ")).as_deref(), expected, "{line}");
        };
        check("cargo --version", Some("help cargo"));
        check("gh pr create --help", Some("help gh pr create"));
        check("docker run --help", Some("help docker run"));
        check("npx --help", Some("help npx"));
        check("unheard-of --version", Some("help unheard-of"));
        for line in [
            "npx -y cowsay hello --help", "npx cowsay --help", "gh release create v1 --notes --help",
            "gh pr merge 1 --squash --body --help", "python3 -m pdb -c q x.py --help", "uvx --from git+x evil --help",
            "pipx run evil --help", "gem exec evil --help", "deno run -A jsr:@x/y --help", "docker run evil --help",
            "docker exec web python -c x --help", "adb shell rm --help", "unheard-of x --version",
            "cargo yank --version 1.0.0", "cargo test",
        ] {
            check(line, None);
        }
    }
}
