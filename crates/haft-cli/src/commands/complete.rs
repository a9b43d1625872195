//! `haft complete`: candidates for completion scripts that depend on the configuration, which are
//! names of tools and parameters.

use clap::{Arg, CommandFactory};

use crate::args::{Cli, CommonArgs};
use crate::commands::open::open;
use crate::exit::Exit;
use crate::output;

/// Prints the completions of the last of `words`, one candidate per line. Prints nothing if that
/// word is neither a tool nor a parameter.
pub(crate) fn run(words: &[String]) -> Exit {
    let words = joined(words);
    let Some((current, before)) = words.split_last() else { return Exit::Ok };
    let Some(typed) = Typed::read(before) else { return Exit::Ok };
    for candidate in candidates(&typed, current).unwrap_or_default() {
        output::line(&candidate);
    }
    Exit::Ok
}

/// Words of a command line before the one being typed.
#[derive(Debug, Default, PartialEq, Eq)]
struct Typed {
    verbs: Vec<String>,
    positionals: Vec<String>,
    config: Option<String>,
    workdir: Option<String>,
}

impl Typed {
    /// `None` if the next word is the value of an option.
    fn read(words: &[String]) -> Option<Self> {
        let mut root = Cli::command();
        root.build();
        let (mut command, mut typed) = (&root, Self::default());
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word.len() > 1 && word.starts_with('-') {
                let (name, given) = match word.split_once('=') {
                    Some((name, value)) => (name, Some(value.to_owned())),
                    None => (word.as_str(), None),
                };
                let Some(option) = command.get_arguments().find(|option| is_called(option, name)) else { continue };
                if !option.get_action().takes_values() {
                    continue;
                }
                let value = given.or_else(|| words.next().cloned())?;
                match option.get_id().as_str() {
                    "config" => typed.config = Some(value),
                    "workdir" => typed.workdir = Some(value),
                    _ => {}
                }
            } else if let Some(verb) = command.find_subcommand(word).filter(|_| typed.positionals.is_empty()) {
                typed.verbs.push(verb.get_name().to_owned());
                command = verb;
            } else {
                typed.positionals.push(word.clone());
            }
        }
        Some(typed)
    }
}

fn is_called(option: &Arg, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(long) => option.get_long() == Some(long),
        None => option.get_short().is_some_and(|short| name.ends_with(short)),
    }
}

/// Rejoins words that bash splits at `=`: `path=a` arrives as three words.
fn joined(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = vec![];
    for word in words {
        match joined.last_mut() {
            Some(last) if word == "=" && !last.is_empty() => last.push('='),
            Some(last) if last.ends_with('=') => last.push_str(word),
            _ => joined.push(word.clone()),
        }
    }
    joined
}

fn candidates(typed: &Typed, current: &str) -> Option<Vec<String>> {
    let verbs: Vec<&str> = typed.verbs.iter().map(String::as_str).collect();
    let takes_parameters = match verbs.as_slice() {
        ["call" | "explain"] | ["policy", "check"] => true,
        ["policy", "allow"] | ["trust", "reset"] => false,
        _ => return None,
    };
    let common = CommonArgs {
        config: typed.config.as_ref().map(Into::into),
        workdir: typed.workdir.as_ref().map(Into::into),
        session: None,
        json: false,
        quiet: true,
    };
    let definitions = open(&common).ok()?.stack().definitions();
    let found: Vec<String> = match typed.positionals.as_slice() {
        [] => definitions.iter().map(|definition| definition.name.to_string()).collect(),
        [tool, given @ ..] if takes_parameters => {
            let definition = definitions.iter().find(|definition| definition.name.as_str() == tool)?;
            let properties = definition.input.get("properties")?.as_object()?;
            let is_given =
                |name: &str| given.iter().any(|word| word.split_once('=').is_some_and(|(key, _)| key == name));
            properties.keys().filter(|name| !is_given(name)).map(|name| format!("{name}=")).collect()
        }
        _ => return None,
    };
    Some(found.into_iter().filter(|candidate| candidate.starts_with(current)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn options_are_told_from_verbs_and_positionals() {
        let check = |line: &str, expected: Option<(&str, &str, Option<&str>)>| {
            let read = Typed::read(&joined(&words(line)));
            let told = read.as_ref().map(|typed| {
                (typed.verbs.join(" "), typed.positionals.join(" "), typed.config.as_deref().map(str::to_owned))
            });
            let expected =
                expected.map(|(verbs, rest, config)| (verbs.to_owned(), rest.to_owned(), config.map(str::to_owned)));
            assert_eq!(told, expected, "{line}");
        };
        check("call read", Some(("call", "read", None)));
        check("--json --config c.toml call", Some(("call", "", Some("c.toml"))));
        check("--config = c.toml call", Some(("call", "", Some("c.toml"))));
        check("policy -q allow call", Some(("policy allow", "call", None)));
        check("call read path = a", Some(("call", "read path=a", None)));
        check("call --caller", None);
    }
}
