//! Patterns of commands as an operator writes them: `rm`, `git push -f`, `drop table`. A pattern is
//! a program with words that must all be among its arguments, or words of SQL.

use std::sync::OnceLock;

use regex::Regex;

use tools_command::Command;

/// A compiled pattern.
#[derive(Debug, Clone)]
pub(crate) struct CommandPattern {
    /// As it was written.
    pub(crate) text: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Program { name: String, words: Vec<String> },
    Sql(Statement),
}

/// Consecutive words of SQL with any white space between them. Compiled when a database client
/// first occurs: most processes never need it.
#[derive(Debug, Clone)]
struct Statement {
    words: Vec<String>,
    compiled: OnceLock<Option<Regex>>,
}

impl Statement {
    /// Whether `text` contains the words. Too many words to compile count as contained in every
    /// text.
    fn is_in(&self, text: &str) -> bool {
        let compiled = self.compiled.get_or_init(|| {
            let words: Vec<String> = self.words.iter().map(|word| regex::escape(word)).collect();
            Regex::new(&format!(r"(?i)\b{}\b", words.join(r"\s+"))).ok()
        });
        compiled.as_ref().is_none_or(|compiled| compiled.is_match(text))
    }
}

/// Statements that are searched in the input of a database client.
const STATEMENTS: [&str; 5] = ["drop", "truncate", "delete", "alter", "update"];

impl CommandPattern {
    /// Compiles a pattern; `None` if it has no word.
    pub(crate) fn compile(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let (first, rest) = words.split_first()?;
        let statement = STATEMENTS.contains(&first.to_lowercase().as_str()) && !rest.is_empty();
        let kind = if statement {
            Kind::Sql(Statement { words, compiled: OnceLock::new() })
        } else {
            Kind::Program { name: first.clone(), words: rest.to_vec() }
        };
        Some(Self { text: text.to_owned(), kind })
    }

    /// Whether the pattern matches a command.
    pub(crate) fn matches(&self, command: &Command, sql: &[String]) -> bool {
        match &self.kind {
            Kind::Sql(statement) => sql.iter().any(|text| statement.is_in(text)),
            Kind::Program { name, words } => {
                let called = if name.contains('/') { command.program.text.as_str() } else { command.name() };
                called == name && words.iter().all(|word| has_word(command, word))
            }
        }
    }

    /// Whether the pattern could match a command with unknown arguments.
    ///
    /// A word that says what the command does (`push` of `git push -f`) is not assumed among them
    /// if the command already has such a word.
    pub(crate) fn may_match(&self, command: &Command) -> bool {
        let Kind::Program { name, words } = &self.kind else { return false };
        let called = if name.contains('/') { command.program.text.as_str() } else { command.name() };
        let first = words.first().filter(|first| !first.starts_with('-'));
        let has_own = command.operands().iter().any(|operand| operand.is_exact && operand.text != "{}");
        command.is_open && called == name && first.is_none_or(|first| !has_own || has_word(command, first))
    }
}

/// Whether a word is among the arguments; options also in clusters and with a value or suffix.
fn has_word(command: &Command, word: &str) -> bool {
    let letter = word.strip_prefix('-').filter(|rest| rest.chars().count() == 1);
    command.args.iter().any(|arg| {
        let text = arg.text.as_str();
        match letter {
            Some(letter) => text.starts_with('-') && !text.starts_with("--") && text.contains(letter),
            None if word.starts_with("--") => {
                text == word || text.strip_prefix(word).is_some_and(|rest| rest.starts_with(['=', '-']))
            }
            None => text == word,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tools_command::{Surroundings, analyse};

    fn hits(pattern: &str, line: &str) -> bool {
        let pattern = CommandPattern::compile(pattern).unwrap();
        let found = analyse(line, &Surroundings::default());
        found.commands.iter().any(|command| pattern.matches(command, &[]))
    }

    #[test]
    fn arguments_from_elsewhere_may_be_the_words_that_are_looked_for() {
        let may = |pattern: &str, line: &str| {
            let pattern = CommandPattern::compile(pattern).unwrap();
            analyse(line, &Surroundings::default()).commands.iter().any(|command| pattern.may_match(command))
        };
        for line in [
            "echo --force | xargs git push",
            "xargs -n1 -P2 -- git push",
            "bash -c 'xargs git push'",
            "xargs git",
            "xargs -0I% git push % origin",
            "find . -exec git push {} +",
            "fd -x git push",
            "xargs env git push",
        ] {
            assert!(may("git push --force", line), "{line}");
        }
        for line in ["xargs git add", "xargs grep push", "git push", "find . -exec git push \\;", "xargs -I% git push"]
        {
            assert!(!may("git push --force", line), "{line}");
        }
    }

    #[test]
    fn words_may_stand_anywhere_among_the_arguments() {
        assert!(hits("git push -f", "git push origin main -f"));
        assert!(hits("git push -f", "git push -uf origin"));
        assert!(hits("git push --force", "git push --force-with-lease"));
        assert!(hits("rm", "/bin/rm x"));
        assert!(!hits("git push -f", "git push origin feature"));
        assert!(!hits("git push -f", "git pull -f"));
        assert!(!hits("rm", "echo rm"));
    }
}
