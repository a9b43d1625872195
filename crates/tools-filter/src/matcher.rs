//! Whether a rule applies to a command.

use std::{fmt, sync::Arc};

use regex::Regex;

use crate::ParsedCommand;

/// The condition of a rule on the command.
///
/// [`CommandMatcher::matches`] tries the command as it was typed and in its plain form.
#[derive(Clone)]
pub enum CommandMatcher {
    /// The whole command.
    Exact(String),
    /// One of these at its beginning, up to the end of a word: `make` does not match `makeinfo`.
    Prefix(Vec<String>),
    /// A regular expression anywhere in it.
    Regex(Regex),
    /// A condition of the host.
    Custom(Arc<dyn Fn(&ParsedCommand) -> bool + Send + Sync>),
}

impl CommandMatcher {
    /// Whether the rule applies to this command.
    pub fn matches(&self, command: &ParsedCommand) -> bool {
        let forms = [command.typed.as_str(), command.plain.as_str()];
        match self {
            Self::Exact(text) => forms.contains(&text.as_str()),
            Self::Prefix(prefixes) => forms.iter().any(|form| prefixes.iter().any(|prefix| begins(form, prefix))),
            Self::Regex(regex) => forms.iter().any(|form| regex.is_match(form)),
            Self::Custom(decide) => decide(command),
        }
    }
}

fn begins(command: &str, prefix: &str) -> bool {
    command.strip_prefix(prefix).is_some_and(|rest| {
        rest.is_empty() || rest.starts_with(char::is_whitespace) || prefix.ends_with(char::is_whitespace)
    })
}

impl fmt::Debug for CommandMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact(text) => f.debug_tuple("Exact").field(text).finish(),
            Self::Prefix(prefixes) => f.debug_tuple("Prefix").field(prefixes).finish(),
            Self::Regex(regex) => f.debug_tuple("Regex").field(&regex.as_str()).finish(),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_matches_what_it_says() {
        let prefix = CommandMatcher::Prefix(vec!["make".to_owned(), "cargo test".to_owned()]);
        let exact = CommandMatcher::Exact("git status".to_owned());
        let regex = CommandMatcher::Regex(Regex::new(r"^npm (ci|install)\b").unwrap());
        let custom = CommandMatcher::Custom(Arc::new(|command| command.words.len() == 2));
        let table = [
            (&prefix, "make -j", true),
            (&prefix, "makeinfo x", false),
            (&prefix, "cargo testify", false),
            (&prefix, "cd x; cargo +stable test", true),
            (&exact, "git status", true),
            (&exact, "git status -s", false),
            (&regex, "sudo npm ci", true),
            (&regex, "npm cinema", false),
            (&custom, "ls -l", true),
            (&custom, "ls", false),
        ];
        for (matcher, line, expected) in table {
            assert_eq!(matcher.matches(&ParsedCommand::parse(line)), expected, "{matcher:?} on {line}");
        }
    }
}
