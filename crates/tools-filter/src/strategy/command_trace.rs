//! Drops the commands that a shell prints before it runs them (`set -x`), except the last one of
//! each sequence, which produced the output that follows. Lines that report something stay.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// Minimum number of consecutive trace lines to shorten.
const MIN_LINES: usize = 3;
/// Maximum nesting depth (`+` signs) of a trace line.
const MAX_DEPTH: usize = 8;
/// Maximum length in bytes of a line to hold.
const MAX_LINE_BYTES: usize = 4 << 10;

#[derive(Default)]
pub(crate) struct CommandTrace {
    /// Held trace lines; only the last one once the sequence is known to be a trace.
    held: Vec<String>,
    /// How many of them can be nothing but trace lines.
    known: usize,
    is_trace: bool,
    found: bool,
}

/// The command of a trace line: `++ cp a b` → `cp a b`.
fn traced(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('+');
    let depth = line.len() - text.len();
    let command = text.strip_prefix(' ').filter(|_| (1..=MAX_DEPTH).contains(&depth) && line.len() < MAX_LINE_BYTES)?;
    // `PS4` may add the position of the command: `build.sh:12: cp a b`.
    let place = command.split_once(": ").filter(|(place, _)| !place.contains(' ') && place.contains(':'));
    let command = place.map_or(command, |(_, command)| command);
    (!command.starts_with([' ', '+', '-']) && !command.is_empty()).then_some(command)
}

/// Words that begin a command in a script.
const PROGRAMS: &[&str] = &[
    "[", "[[", "((", ".", ":", "awk", "basename", "bash", "case", "cat", "cd", "chmod", "chown", "command", "cp",
    "curl", "cut", "date", "declare", "diff", "dirname", "docker", "echo", "eval", "exec", "exit", "export", "false",
    "find", "for", "git", "grep", "head", "install", "jq", "kill", "kubectl", "ln", "local", "ls", "make", "mkdir",
    "mktemp", "mv", "npm", "pip", "popd", "printf", "pushd", "pwd", "python", "python3", "read", "return", "rm",
    "rsync", "sed", "set", "sh", "shift", "shopt", "sleep", "sort", "source", "ssh", "sudo", "tail", "tar", "tee",
    "test", "touch", "tr", "trap", "true", "umask", "uname", "unset", "wait", "wc", "wget", "which", "xargs",
];

/// Whether the text can only be a command of a script.
fn is_command(command: &str) -> bool {
    let word = command.split(' ').next().unwrap_or_default();
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    PROGRAMS.contains(&word.trim_matches('\''))
        || word.starts_with(['/', '.'])
        || word.split_once('=').is_some_and(|(name, value)| is_name(name) && !value.starts_with('='))
}

impl CommandTrace {
    fn end(&mut self, out: &mut Emitter<'_>) {
        (self.is_trace, self.known) = (false, 0);
        self.held.drain(..).for_each(|line| out.keep(&line));
    }
}

impl Reducer for CommandTrace {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(command) = traced(line) else {
            self.end(out);
            return out.keep(line);
        };
        self.known += usize::from(is_command(command));
        self.held.push(line.to_owned());
        self.is_trace |= self.held.len() >= MIN_LINES && self.known == self.held.len();
        if self.is_trace {
            self.found = true;
            let last = self.held.len() - 1;
            self.held.drain(..last).for_each(|line| out.noise(&line));
        } else if self.held.len() >= MIN_LINES {
            self.end(out);
        }
    }

    fn finish(&mut self, out: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.end(out);
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn of_traced_commands_the_last_stands() {
        let table = [
            (
                "+ V=1\n++ date +%s\n+ for f in a b\n+ cp /etc/hostname /tmp/x/a\n+ curl -T x http://h/\ncurl: (7) refused\n+ exit 7\n",
                "[… 4 lines]\n+ curl -T x http://h/\ncurl: (7) refused\n+ exit 7\n",
            ),
            (
                "+ cd /srv/app/releases\n+ echo 'error: no space left'\n+ mkdir -p /srv/app/releases/a\n+ rm -rf /srv/app/releases/a\n",
                "[… 1 line]\n+ echo 'error: no space left'\n[… 1]\n+ rm -rf /srv/app/releases/a\n",
            ),
            (
                "+ a.sh:4: cat VERSION\n+ a.sh:6: mkdir -p out/north/irrigation\n+ a.sh:9: diff x y\n-limit = 45\n",
                "[… 2 lines]\n+ a.sh:9: diff x y\n-limit = 45\n",
            ),
            // What is added to something.
            (
                "+ anyio==4.16.0\n+ blinker==1.9.0\n+ certifi==2026.10\n",
                "+ anyio==4.16.0\n+ blinker==1.9.0\n+ certifi==2026.10\n",
            ),
            ("+ echo 1 of the things\n+ cp 2\n", "+ echo 1 of the things\n+ cp 2\n"),
        ];
        for (text, expected) in table {
            assert_eq!(FilterPipeline::builtin().filter("./rel.sh", Exit::Code(7), text.as_bytes()).text, expected);
        }
    }
}
