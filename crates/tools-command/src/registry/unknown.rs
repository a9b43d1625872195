//! Effects that are feared of unknown programs and options: that they run a shell that they are
//! given, or do what the name of an option says.

use tools_core::Access;

use super::by_name;
use super::lookup::find;
use super::programs::shells;
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::reader::{Command, Value};

/// Interpreters that are looked for only in the position of a command: the names also mean
/// languages.
const INTERPRETERS: [&str; 9] = ["python", "python2", "python3", "perl", "ruby", "node", "php", "lua", "awk"];
/// Texts that call a program from within a text: `exec:sh`, `!sh`, `system("sh")`, `|sh`.
const CALLS: [&str; 14] = [
    "exec", "execl", "execlp", "execv", "execve", "execvp", "system", "popen", "spawn", "run", "shell", "process",
    "eval", "sh-exec",
];
/// Words after which the name of a shell is only a name.
const NAMING: [&str; 18] = [
    "completion", "completions", "complete", "init", "hook", "activate", "install", "add", "remove", "uninstall",
    "search", "info", "show", "help", "list", "update", "upgrade", "use",
];
/// Possible effects of a command whose program, or one of whose options, is not known.
pub(crate) fn possible_effects(command: &Command) -> Vec<Effect> {
    let mut found = Vec::new();
    let name = command.name();
    let is_described = find(name).is_some();
    if !is_described {
        found.extend(by_name::changed_in_place(command));
    }
    for (at, arg) in command.args.iter().enumerate() {
        if is_shell(command, at) {
            found.push(Effect::hidden(format!("`{name}` may run `{}`", shorten(&arg.text))));
            found.push(Effect::runs(command.args[at..].to_vec()));
        } else if calls_shell(&arg.text) || calls_program(&arg.text) {
            found.push(Effect::hidden(format!("`{name}` may run what `{}` says", shorten(&arg.text))));
        } else if !arg.text.starts_with('-') {
            found.extend(Some(arg).filter(|_| !is_described).and_then(by_name::reached));
        } else if let Some(path) = arg.text.strip_prefix("-o").filter(|path| path.starts_with(['/', '.', '~'])) {
            found.push(Effect::path(Value { text: path.to_owned(), ..arg.clone() }, Access::Write));
        } else if let Some(value) = value_behind(command, at) {
            found.extend(by_name::of_option(name, option_name(&arg.text), &value));
        }
    }
    found
}

/// Whether a word is the name of a shell. Two-letter names except `sh` are words of many programs
/// too.
fn names_shell(word: &str) -> bool {
    matches!(word, "sh" | "busybox") || word.len() > 2 && shells::is_shell(word)
}

/// Whether an argument is the path of a shell, or the name of one in the position of a command.
fn is_shell(command: &Command, at: usize) -> bool {
    let text = command.args[at].text.as_str();
    let last = text.rsplit('/').next().unwrap_or_default();
    if text.starts_with('/') {
        return names_shell(last) || shells::is_shell(last) || (at == 0 && is_interpreter(last));
    }
    let before = at.checked_sub(1).map_or("", |before| command.args[before].text.as_str());
    (names_shell(text) && !NAMING.contains(&before)) || ((at == 0 || before == "--") && is_interpreter(text))
}

fn is_interpreter(name: &str) -> bool {
    INTERPRETERS.contains(&name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
        || INTERPRETERS.contains(&name)
}

/// Whether a text calls a shell: it contains the path of one, or a name after something that starts
/// programs.
fn calls_shell(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-');
    let mut rest = text;
    let mut before = "";
    while let Some(start) = rest.find(is_part) {
        let gap = &rest[..start];
        let word = rest[start..].split(|c| !is_part(c)).next().unwrap_or_default();
        let last = word.rsplit('/').next().unwrap_or_default();
        let is_called = gap.contains(['!', '|', '`'])
            || CALLS.contains(&before.rsplit('.').next().unwrap_or_default().to_lowercase().as_str());
        if names_shell(last) && (word.starts_with('/') || is_called) {
            return true;
        }
        before = word;
        rest = &rest[start + word.len()..];
    }
    false
}

/// Whether a text is code in some language that starts a program: `system("id")`, `sh 'id'`.
fn calls_program(text: &str) -> bool {
    let mut start = 0;
    for (at, _) in text.match_indices(['"', '\'', '`']) {
        let before = std::mem::replace(&mut start, at + 1);
        let before = &text[before..at];
        let called = before.trim_end_matches(['(', '[', ' ']);
        let name =
            called.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_').next().unwrap_or_default();
        let has_bracket = before[called.len()..].contains('(');
        if (has_bracket && CALLS.contains(&name.to_lowercase().as_str()))
            || (called.len() < before.len() && ["sh", "system"].contains(&name))
        {
            return true;
        }
    }
    false
}

/// The value of the option at a position: after `=`, or the next argument; `None` if it has none.
pub(super) fn value_behind(command: &Command, at: usize) -> Option<Value> {
    let arg = &command.args[at];
    match arg.text.split_once('=') {
        Some((_, value)) => Some(Value { text: value.to_owned(), ..arg.clone() }),
        None => command.args.get(at + 1).cloned(),
    }
}

pub(super) fn option_name(text: &str) -> &str {
    text.split('=').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::{Surroundings, analyse};

    #[test]
    fn shells_and_commands_given_to_unknown_programs_are_named() {
        for line in [
            "frob /bin/sh", "frob sh", "frob -- bash -c id", "frob --run -x 'exec:/bin/sh'", "frob '!sh'",
            "frob 'os.execute(\"/bin/sh\")'", "frob 'system(\"bash\")'", "frob --exec id", "frob --pre-command=id",
            "frob --on-done-exec 'id -u'", "frob --editor vim", "frob -e '| sh'", "frob python3 x.py",
            "frob eval 'system(\"id\")'", "frob -e 'sh \"id\"'", "frob --eval 'os.run([\"id\"])'",
        ] {
            let found = analyse(line, &Surroundings::default());
            assert!(found.opaque.iter().any(|why| why.contains("`frob` may run")), "{line}: {:?}", found.opaque);
        }
        for line in [
            "frob completion bash", "frob install bash", "frob shell", "frob x.sh", "frob sh/x build",
            "frob --lang python", "frob --no-pager log", "frob 'the sh command'", "frob 'run \"x\" twice'",
            "frob -m 'fix: do not run'", "frob -m 'the system\"s'", "frob --command", "grep /bin/sh x", "ls /bin/sh",
            "which bash", "echo sh", "[ -x /bin/sh ]", "shellcheck x.sh", "command -v bash", "ps -C bash",
        ] {
            let found = analyse(line, &Surroundings::default());
            assert_eq!(found.opaque, Vec::<String>::new(), "{line}");
        }
    }
}
