//! Which command's output this is: the last command of a line, seen through separators, pipes, redirections,
//! environment assignments and wrappers.
//!
//! Reads a line for matching filter rules only. Nothing is judged here: what a line may do is the shell's own analysis.

use tools_core::Subject;

use crate::tokenize::{Token, tokenize};

/// The command that rules are matched against.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedCommand {
    /// The last command as it was typed, without redirections and pipes.
    pub typed: String,
    /// The same in its plain form: without assignments, wrappers, paths and global options.
    pub plain: String,
    /// The words of the plain form.
    pub words: Vec<String>,
    /// The programs that its output went through.
    pub pipes: Vec<String>,
}

impl ParsedCommand {
    /// Reads a command line; empty when there is no command in it.
    pub fn parse(line: &str) -> Self {
        Self::parse_nested(line, 0)
    }

    /// Reads the line of a call of which is known what it touches: what runs another command in a way that only the
    /// owner of the tool sees through stands for that command.
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
        let mut words = unwrap(inner);
        plain_form(&mut words);
        Self { plain: words.join(" "), words, ..parsed }
    }

    fn parse_nested(line: &str, depth: usize) -> Self {
        let tokens = tokenize(line);
        let mut pipeline = last_pipeline(&tokens);
        if pipeline.is_empty() {
            return Self::default();
        }
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
                // Another program's output: the first command says nothing about its shape.
                command = stage;
                pipes.clear();
            }
        }
        let typed = command.join(" ");
        let mut words = unwrap(command);
        if depth < 4
            && let Some(script) = shell_script(&words)
        {
            return Self::parse_nested(&script, depth + 1);
        }
        plain_form(&mut words);
        Self { typed, plain: words.join(" "), words, pipes }
    }
}

/// Programs that pass lines on as they are, or fewer of them.
const LINE_FILTERS: &[&str] = &[
    "head", "tail", "grep", "egrep", "fgrep", "rg", "tee", "cat", "less", "more", "sort", "uniq", "ts", "sed", "awk",
    "cut", "tr", "wc", "column", "fold", "tac", "strings",
];

/// Words of the grammar that carry no command.
const RESERVED: &[&str] = &["do", "done", "then", "fi", "else", "elif", "if", "while", "until", "{", "}", "!", "esac"];

/// The stages of the last pipeline; of alternatives (`a || b`) the first, whose output there is in any case.
fn last_pipeline(tokens: &[Token]) -> Vec<Vec<String>> {
    let mut lists: Vec<&[Token]> = tokens.split(|token| *token == Token::Next).collect();
    while let Some(list) = lists.pop() {
        let first = list.split(|token| *token == Token::Or).next().unwrap_or_default();
        let stages: Vec<Vec<String>> =
            first.split(|token| *token == Token::Pipe).map(words).filter(|stage| !stage.is_empty()).collect();
        if !stages.is_empty() {
            return stages;
        }
    }
    Vec::new()
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

/// A program that runs another, and which of its options take a value.
struct Wrapper {
    name: &'static str,
    /// Words that must follow it (`run` of `poetry run`).
    verb: Option<&'static str>,
    valued: &'static [&'static str],
    /// Operands before the command (`60` of `timeout 60`).
    operands: usize,
}

const fn wrapper(name: &'static str) -> Wrapper {
    Wrapper { name, verb: None, valued: &[], operands: 0 }
}

const fn runner(name: &'static str, verb: &'static str) -> Wrapper {
    Wrapper { verb: Some(verb), ..wrapper(name) }
}

const WRAPPERS: &[Wrapper] = &[
    Wrapper { valued: &["-u", "-g", "-h", "-p", "-C", "-D"], ..wrapper("sudo") },
    wrapper("doas"),
    Wrapper { valued: &["-u", "-S", "-C"], ..wrapper("env") },
    Wrapper { valued: &["-f", "-o"], ..wrapper("time") },
    Wrapper { valued: &["-s", "-k"], operands: 1, ..wrapper("timeout") },
    Wrapper { valued: &["-s", "-k"], operands: 1, ..wrapper("gtimeout") },
    Wrapper { valued: &["-n"], ..wrapper("nice") },
    Wrapper { valued: &["-c", "-n", "-p"], ..wrapper("ionice") },
    Wrapper { valued: &["-i", "-o", "-e"], ..wrapper("stdbuf") },
    wrapper("nohup"),
    wrapper("setsid"),
    wrapper("command"),
    wrapper("builtin"),
    wrapper("exec"),
    wrapper("unbuffer"),
    wrapper("winpty"),
    Wrapper { valued: &["-o", "-e"], ..wrapper("strace") },
    Wrapper { valued: &["-p", "--package"], ..wrapper("npx") },
    wrapper("bunx"),
    wrapper("pnpx"),
    wrapper("uvx"),
    runner("pnpm", "exec"),
    runner("pnpm", "dlx"),
    runner("yarn", "exec"),
    runner("yarn", "dlx"),
    runner("npm", "exec"),
    runner("bun", "x"),
    runner("poetry", "run"),
    runner("uv", "run"),
    runner("pipenv", "run"),
    runner("hatch", "run"),
    runner("pdm", "run"),
    runner("rye", "run"),
    runner("conda", "run"),
    runner("bundle", "exec"),
    runner("coverage", "run"),
    runner("dotenv", "run"),
    runner("direnv", "exec"),
    runner("rustup", "run"),
    runner("mise", "exec"),
    runner("haft", "exec"),
];

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Takes assignments and wrappers off, however many there are.
fn unwrap(mut words: Vec<String>) -> Vec<String> {
    loop {
        let assignments = words.iter().take_while(|word| is_assignment(word)).count();
        words.drain(..assignments);
        let Some(program) = words.first().map(|word| base_name(word)) else { return words };
        let found = WRAPPERS.iter().find(|wrapper| {
            wrapper.name == program && wrapper.verb.is_none_or(|verb| words.get(1).is_some_and(|word| word == verb))
        });
        let rest = found.map(|wrapper| without_wrapper(wrapper, &words)).unwrap_or_default();
        if !rest.is_empty() {
            words = rest;
        } else if let Some(module) = python_module(program, &words) {
            words.drain(..module);
        } else {
            return words;
        }
    }
}

fn without_wrapper(wrapper: &Wrapper, words: &[String]) -> Vec<String> {
    let mut at = 1 + usize::from(wrapper.verb.is_some());
    while let Some(word) = words.get(at) {
        if word == "--" {
            at += 1;
            break;
        }
        if wrapper.valued.contains(&word.as_str()) {
            at += 2;
        } else if word.starts_with('-') {
            at += 1;
        } else {
            break;
        }
    }
    words.get(at + wrapper.operands..).map(<[String]>::to_vec).unwrap_or_default()
}

/// Where the module of `python -m module …` stands.
fn python_module(program: &str, words: &[String]) -> Option<usize> {
    if !(program.starts_with("python") || program == "py" || program.starts_with("pypy")) {
        return None;
    }
    let flag = words.iter().position(|word| !word.starts_with('-') || word == "-m").filter(|at| *at > 0);
    let flag = flag.or_else(|| words.iter().skip(1).position(|word| word == "-m").map(|at| at + 1))?;
    (words.get(flag).is_some_and(|word| word == "-m") && words.len() > flag + 1).then_some(flag + 1)
}

/// The script of `sh -c '…'`.
fn shell_script(words: &[String]) -> Option<String> {
    let program = base_name(words.first()?);
    if !matches!(program, "sh" | "bash" | "zsh" | "dash" | "ksh") {
        return None;
    }
    let flag = words.iter().position(|word| word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'))?;
    words.get(flag + 1).cloned()
}

/// Options that stand between a program and its sub-command and take a value.
fn global_values(program: &str) -> &'static [&'static str] {
    match program {
        "git" => &["-C", "-c", "--git-dir", "--work-tree", "--namespace"],
        "cargo" => &["--color", "--manifest-path", "-Z", "--config", "-C"],
        "docker" => &["--context", "-H", "--host", "--config", "-c", "-l", "--log-level"],
        "kubectl" => &["-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user", "-s"],
        "helm" => &["-n", "--namespace", "--kube-context"],
        "npm" | "pnpm" | "yarn" => &["--prefix", "-C", "--dir", "--cwd", "--filter", "-F", "-w", "--workspace"],
        "go" => &["-C"],
        _ => &[],
    }
}

/// Programs whose first operand is a sub-command.
const WITH_VERBS: &[&str] = &[
    "git",
    "cargo",
    "docker",
    "kubectl",
    "helm",
    "npm",
    "pnpm",
    "yarn",
    "bun",
    "go",
    "terraform",
    "pip",
    "brew",
    "gh",
    "dotnet",
    "uv",
    "poetry",
    "nx",
    "turbo",
    "apt",
    "apt-get",
];

fn plain_form(words: &mut Vec<String>) {
    let Some(first) = words.first_mut() else { return };
    *first = plain_program(base_name(first)).to_owned();
    let program = words[0].clone();
    if program == "docker-compose" {
        words.splice(..1, ["docker".to_owned(), "compose".to_owned()]);
        return;
    }
    if program == "uv" && words.get(1).is_some_and(|word| word == "pip") {
        words.remove(0);
        return plain_form(words);
    }
    if !WITH_VERBS.contains(&program.as_str()) {
        return;
    }
    let valued = global_values(&program);
    while let Some(word) = words.get(1) {
        let drop = if valued.contains(&word.as_str()) {
            2
        } else if word.starts_with('-') || (program == "cargo" && word.starts_with('+')) {
            1
        } else {
            break;
        };
        if words.len() <= 1 + drop {
            break;
        }
        words.drain(1..=drop);
    }
    if let Some(verb) = words.get_mut(1) {
        *verb = plain_verb(&program, verb).to_owned();
    }
}

fn plain_program(name: &str) -> &str {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    match name {
        "pip3" => "pip",
        "py.test" => "pytest",
        "gmake" => "make",
        "tofu" => "terraform",
        "podman" | "nerdctl" => "docker",
        "nodejs" => "node",
        "egrep" | "fgrep" | "zgrep" => "grep",
        "gradlew" | "gradlew.bat" => "gradle",
        "mvnw" | "mvnw.cmd" => "mvn",
        "fdfind" => "fd",
        "batcat" => "bat",
        "k" => "kubectl",
        name if name.starts_with("pip3.") => "pip",
        name => name,
    }
}

fn plain_verb<'a>(program: &str, verb: &'a str) -> &'a str {
    match (program, verb) {
        ("cargo", "t") | ("npm" | "pnpm" | "yarn", "t" | "tst") => "test",
        ("cargo", "b") => "build",
        ("cargo", "c") => "check",
        ("cargo", "r") => "run",
        ("cargo", "d") => "doc",
        ("npm" | "pnpm" | "bun", "i" | "in" | "isntall") => "install",
        (_, verb) => verb,
    }
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
