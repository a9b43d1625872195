//! The files that a command in a configuration starts, as far as its words tell. Pure. It looks for
//! scripts of a project (`tools/clean.py`, `sh ./x`), not for all that a shell can do: what it
//! finds too much is asked about once more than needed.

/// How deep commands may stand within words of others (`sh -c '…'`).
const MAX_DEPTH: usize = 3;

/// Words of the shell, and programs that run what follows them.
const BEFORE: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "while", "until", "do", "exec", "command", "env", "nice", "nohup",
    "sudo", "time", "timeout", "eval",
];

/// Programs that run the file that is named first.
const INTERPRETERS: &[&str] = &[
    ".",
    "source",
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "fish",
    "node",
    "nodejs",
    "deno",
    "bun",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "pwsh",
    "tclsh",
    "rscript",
    "java",
    "tsx",
    "ts-node",
    "osascript",
];

/// The words of `command` that may name files that it runs.
pub(super) fn programs(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(command, MAX_DEPTH, &mut found);
    found
}

fn collect(command: &str, depth: usize, found: &mut Vec<String>) {
    for words in commands(command) {
        let is_before = |word: &&String| {
            let is_set = word.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains('/'));
            is_set || word.starts_with('-') || BEFORE.contains(&word.as_str())
        };
        let mut words = words.iter().skip_while(is_before);
        let Some(first) = words.next() else { continue };
        if first.contains('/') {
            found.push(first.clone());
        }
        if !is_interpreter(first) {
            continue;
        }
        // The file may stand behind an option with a value, or behind a subcommand (`deno run x`).
        let words = words.filter(|word| !word.starts_with('-'));
        for word in words.filter(|word| !word.starts_with(['%', '$'])).take(3) {
            if word.contains([' ', '\t', '\n', ';', '|', '&']) {
                if depth > 0 {
                    collect(word, depth - 1, found);
                }
            } else {
                found.push(word.clone());
            }
        }
    }
}

fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word).to_ascii_lowercase();
    // `python3.12`, `lua5.4`.
    let name = name.trim_end_matches(|byte: char| byte.is_ascii_digit() || byte == '.');
    name == "python" || name == "pypy" || INTERPRETERS.contains(&name) || word == "."
}

/// The words of each command of a line, without quotes.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word, mut quote) = (Vec::new(), Vec::new(), None::<String>, None);
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        match (quote, next) {
            (Some(open), next) if next == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(next);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(rest.next()),
            (None, ';' | '|' | '&' | '(' | ')' | '`' | '\n' | '<' | '>') => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            (None, next) if next.is_whitespace() => words.extend(word.take()),
            (_, next) => word.get_or_insert_default().push(next),
        }
    }
    words.extend(word);
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_found_where_a_command_runs_them() {
        for (command, expected) in [
            ("tools/clean.py", &["tools/clean.py"] as &[_]),
            ("./clean %f", &["./clean"]),
            ("git-lfs filter-process", &[]),
            ("less -R", &[]),
            ("true", &[]),
            ("python3 clean.py %f", &["clean.py"]),
            ("python3.12 -u tools/x.py", &["tools/x.py"]),
            ("LESS=FRX tools/page", &["tools/page"]),
            ("sh -c 'tools/x \"$@\"' -", &["tools/x"]),
            ("\"my tools/x\" -a", &["my tools/x"]),
            ("my\\ tools/x", &["my tools/x"]),
            ("f() { git fetch && ./tools/sync \"$@\"; }; f", &["./tools/sync"]),
            ("make -C sub x; ! exec env A=b sub/run", &["sub/run"]),
            ("$(git rev-parse --show-toplevel)/tools/x", &["/tools/x"]),
            ("cat docs/readme.md", &[]),
            ("code --wait", &[]),
        ] {
            assert_eq!(programs(command), expected, "{command}");
        }
    }
}
