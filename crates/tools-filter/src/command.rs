//! Finds the command that produced an output: the last command of a line, seen through separators,
//! pipes, redirections, environment assignments and wrappers.
//!
//! The result is used only to match filter rules. Whether a line is allowed is decided by the
//! shell's own analysis.

use tools_command::{OutputKind, output_kind};
use tools_core::Subject;

use crate::tokenize::{Token, tokenize};

/// The command that rules are matched against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedCommand {
    /// The last command as it was typed, without redirections and pipes.
    pub typed: String,
    /// The command without assignments, wrappers, paths and global options.
    pub plain: String,
    /// The words of the plain form.
    pub words: Vec<String>,
    /// The line filters that its output was piped through.
    pub pipes: Vec<String>,
    /// The commands before it in the line, whose output precedes its own.
    pub earlier: Vec<ParsedCommand>,
}

/// Maximum number of earlier commands that are read.
const MAX_EARLIER: usize = 8;

impl ParsedCommand {
    /// Parses a command line; empty when it has no command.
    pub fn parse(line: &str) -> Self {
        Self::parse_nested(line, 0)
    }

    /// Parses the line of a call with known subjects. A program that runs another command in a way
    /// that only the tool's owner understands is replaced by that command.
    pub fn of_call(line: &str, subjects: &[Subject]) -> Self {
        let parsed = Self::parse(line);
        let Some(program) = parsed.words.first() else { return parsed };
        let inner = subjects.iter().rev().find_map(|subject| match subject {
            Subject::Command { program: inner, argv, via, .. }
                if !inner.is_empty() && via.last().is_some_and(|via| base_name(via) == program) =>
            {
                Some(std::iter::once(inner).chain(argv).cloned().collect::<Vec<String>>())
            }
            _ => None,
        });
        let Some(inner) = inner else { return parsed };
        let PlainCommand::Words(words) = plain_words(inner, MAX_DEPTH) else { return parsed };
        Self { plain: words.join(" "), words, ..parsed }
    }

    fn parse_nested(line: &str, depth: usize) -> Self {
        let mut commands = pipelines(&tokenize(line)).into_iter().map(|pipeline| Self::of_pipeline(pipeline, depth));
        let Some(mut last) = commands.next() else { return Self::default() };
        let mut earlier: Vec<Self> = commands.take(MAX_EARLIER).filter(|command| !command.words.is_empty()).collect();
        earlier.reverse();
        // Earlier commands within the last command come after those of the line.
        earlier.append(&mut last.earlier);
        Self { earlier, ..last }
    }

    fn of_pipeline(mut pipeline: Vec<Vec<String>>, depth: usize) -> Self {
        let first = pipeline.remove(0);
        let mut pipes = Vec::new();
        let mut command = first;
        for stage in pipeline {
            let program = stage.first().map(|word| base_name(word).to_owned()).unwrap_or_default();
            if program == "xargs" {
                command = stage[1..].iter().skip_while(|word| word.starts_with('-')).cloned().collect();
                pipes.clear();
            } else if LINE_FILTERS.contains(&program.as_str()) {
                pipes.push(program);
            } else {
                // This program produces its own output, so the first command does not determine its
                // form.
                command = stage;
                pipes.clear();
            }
        }
        let typed = command.join(" ");
        match plain_words(command, depth) {
            PlainCommand::Line(line) => Self::parse_nested(&line, depth + 1),
            PlainCommand::Words(words) => Self { typed, plain: words.join(" "), words, pipes, earlier: Vec::new() },
        }
    }
}

/// Programs that pass on all or some of the lines of their input.
const LINE_FILTERS: &[&str] = &[
    "head", "tail", "grep", "egrep", "fgrep", "rg", "tee", "cat", "less", "more", "sort", "uniq", "ts", "sed", "awk",
    "cut", "tr", "wc", "column", "fold", "tac", "strings",
];

/// Shell keywords that are not commands.
const RESERVED: &[&str] = &["do", "done", "then", "fi", "else", "elif", "if", "while", "until", "{", "}", "!", "esac"];

/// The stages of each pipeline, last pipeline first. Of alternatives (`a || b`) only the first,
/// since that one always runs. What is piped from a loop or a group belongs to its last pipeline.
fn pipelines(tokens: &[Token]) -> Vec<Vec<Vec<String>>> {
    let mut found: Vec<Vec<Vec<String>>> = Vec::new();
    for list in tokens.split(|token| *token == Token::Next) {
        let first = list.split(|token| *token == Token::Or).next().unwrap_or_default();
        let mut stages: Vec<Vec<String>> = first.split(|token| *token == Token::Pipe).map(words).collect();
        let is_group_end = stages.len() > 1 && stages[0].is_empty();
        stages.retain(|stage| !stage.is_empty());
        match found.last_mut() {
            Some(last) if is_group_end => last.append(&mut stages),
            _ if !stages.is_empty() => found.push(stages),
            _ => {}
        }
    }
    found.reverse();
    found
}

fn words(tokens: &[Token]) -> Vec<String> {
    let words = tokens.iter().filter_map(|token| match token {
        Token::Word(word) => Some(word.clone()),
        _ => None,
    });
    words.skip_while(|word| RESERVED.contains(&word.as_str())).collect()
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The words of the command that produces the output, from the registry of programs, or a nested
/// shell line.
fn plain_words(words: Vec<String>, depth: usize) -> PlainCommand {
    match output_kind(words) {
        OutputKind::Line(line) if depth < MAX_DEPTH => PlainCommand::Line(line),
        OutputKind::Line(line) => PlainCommand::Words(vec![line]),
        OutputKind::Words(words) => match python_module(&words) {
            Some(module) => plain_words(words[module..].to_vec(), depth + 1),
            None => PlainCommand::Words(words),
        },
    }
}

/// Maximum nesting of shell lines.
const MAX_DEPTH: usize = 4;

enum PlainCommand {
    Words(Vec<String>),
    Line(String),
}

/// The position of the module in `python -m module …`; its output is that of the program with the
/// same name.
fn python_module(words: &[String]) -> Option<usize> {
    let program = words.first()?;
    if !(program.starts_with("python") || program == "py" || program.starts_with("pypy")) {
        return None;
    }
    let at = words.iter().skip(1).position(|word| word == "-m" || !word.starts_with('-'))? + 1;
    (words[at] == "-m" && words.len() > at + 1).then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_command_is_found_through_what_surrounds_it() {
        let cases = [
            ("cargo test", "cargo test"),
            ("cd x; cargo test", "cargo test"),
            ("cd x && A=1 B='2 3' cargo test --lib", "cargo test --lib"),
            ("cargo test && echo done", "echo done"),
            ("cargo test || true", "cargo test"),
            ("cargo test 2>&1 | tail -80", "cargo test"),
            ("cargo test 2>&1 | tee log.txt | grep -v x", "cargo test"),
            ("cargo test > out.txt 2> err.txt", "cargo test"),
            ("cargo test &> out.txt", "cargo test"),
            ("make clean\nmake all\n", "make all"),
            ("(cd app && cargo t)", "cargo test"),
            ("git commit -m 'a && b; c | d'", "git commit -m a && b; c | d"),
            ("sudo -u root env A=1 timeout -k 5 60 cargo test", "cargo test"),
            ("npx --yes jest --ci", "jest --ci"),
            ("python3 -m pytest -q", "pytest -q"),
            ("python -u -m pip install x", "pip install x"),
            ("cargo +nightly --color always test", "cargo test"),
            ("git -C dir --no-pager -c a=b status -sb", "git status -sb"),
            ("/usr/bin/git status", "git status"),
            ("bash -lc 'cd x && cargo test | tail'", "cargo test"),
            ("find . -name '*.md' | xargs cat", "cat"),
            ("cat a.json | jq .", "jq ."),
            ("cat <<EOF > f\na; b\nEOF\ncargo build", "cargo build"),
            ("for i in 1 2; do cargo test; done", "cargo test"),
            ("for i in 1 2; do cargo test; done | head -40", "cargo test"),
            ("(cd app && cargo test) | tail -5", "cargo test"),
            ("{ make; make install; } 2>&1 | jq .", "jq ."),
            ("done | head -3", "head -3"),
            ("echo $(cd x; ls) && make", "make"),
            ("docker-compose up -d", "docker compose up -d"),
            ("kubectl -n prod get pods", "kubectl get pods"),
            ("cargo test # and; more", "cargo test"),
            ("time make -j8", "make -j8"),
            ("timeout 60", "timeout 60"),
            ("", ""),
            ("A=1", ""),
            ("'unterminated", "unterminated"),
            ("cat кириллица$(", "cat кириллица$("),
        ];
        for (line, expected) in cases {
            assert_eq!(ParsedCommand::parse(line).plain, expected, "{line:?}");
        }
    }

    #[test]
    fn the_commands_before_it_are_known() {
        let check = |line: &str, expected: &[&str]| {
            let found: Vec<String> = ParsedCommand::parse(line).earlier.into_iter().map(|one| one.plain).collect();
            assert_eq!(found, expected, "{line:?}");
        };
        check("cargo test", &[]);
        check("cd x && cargo build 2>&1 | tail; git -C y status; cargo test", &["cd x", "cargo build", "git status"]);
        check("cargo clippy && bash -c 'npm ci; npm test'; true", &["cargo clippy", "npm test"]);
        check("make && bash -c 'npm ci; npm test'", &["make", "npm ci"]);
        check(&"a; ".repeat(100), &["a"; MAX_EARLIER]);
    }

    #[test]
    fn what_the_shell_saw_through_is_what_counts() {
        let command = |line: &str, via: &[&str]| {
            let mut words = line.split(' ').map(str::to_owned);
            let program = words.next().unwrap_or_default();
            let via = via.iter().map(|name| (*name).to_owned()).collect();
            Subject::Command { line: line.to_owned(), program, argv: words.collect(), via }
        };
        let subjects = [command("flock /tmp/l cargo test --lib", &[]), command("cargo test --lib", &["flock"])];
        assert_eq!(ParsedCommand::of_call("flock /tmp/l cargo test --lib", &subjects).plain, "cargo test --lib");
        let subjects = [command("echo x", &["$("]), command("git status", &[])];
        assert_eq!(ParsedCommand::of_call("git status $(echo x)", &subjects).words[1], "status");
        assert_eq!(ParsedCommand::of_call("", &subjects), ParsedCommand::default());
    }

    #[test]
    fn pipes_are_remembered_and_the_typed_form_is_kept() {
        let parsed = ParsedCommand::parse("A=1 /usr/bin/git  status 2>&1 | grep x | head -3");
        assert_eq!(parsed.pipes, ["grep", "head"]);
        assert_eq!(parsed.typed, "A=1 /usr/bin/git status");
    }
}
