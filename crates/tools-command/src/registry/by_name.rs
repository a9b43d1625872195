//! Effects guessed from the name of an option that no description covers: its value is run or
//! written, or an address is reached.

use super::address::{self, is_bare_host};
use super::options::ANY;
use super::parsed::Parsed;
use super::spec::Does;
use super::unknown::{option_name, value_behind};
use crate::effect::Effect;
use crate::excerpt::shorten;
use crate::reader::{Command, Value};
use tools_core::Access;

/// Options whose value is a command, by their whole name or its last words: `--pre-exec`,
/// `--editor`, `--onSuccess`.
const COMMANDS: [&str; 25] = [
    "exec", "command", "cmd", "shell", "editor", "pager", "rsh", "hook", "preview", "launcher", "executable", "runner",
    "prefix-command", "wrapper", "sh-exec", "browser", "on-success", "on-start", "on-end", "onpass", "onfail",
    "onexit", "beforerun", "afterrun", "askpass",
];
/// Options whose value names an output file, by the last word of their name.
const WRITTEN: [&str; 32] = [
    "out", "output", "outfile", "outdir", "outputdir", "log", "logs", "logfile", "report", "reports", "results", "pid",
    "pidfile", "dump", "profile", "prof", "cpuprofile", "memprofile", "coverprofile", "trace", "junitxml", "junit",
    "xunit", "debugfile", "destination", "dest", "dist", "distpath", "builddir", "workpath", "scratch", "cache",
];
/// Words after such a name that specify the kind or form of the output.
const FORMS: [&str; 10] = ["file", "filename", "path", "dir", "directory", "folder", "location", "name", "xml", "html"];
/// Options whose value is a host, by the last word of their name.
const HOSTS: [&str; 8] = ["url", "uri", "host", "hostname", "server", "endpoint", "registry", "proxy"];
/// Schemes of addresses that are reached.
const SCHEMES: [&str; 18] = [
    "http", "https", "ftp", "ftps", "ssh", "git", "ws", "wss", "tcp", "udp", "grpc", "grpcs", "amqp", "amqps", "redis",
    "s3", "gs", "oci",
];

/// Words for changing files in place: as an option, as a subcommand, or at the end of a program's
/// name: `frob --fix x`, `frob format x`, `frobfmt x`.
const IN_PLACE: [&str; 8] = ["in-place", "inplace", "fix", "autofix", "write", "overwrite", "format", "fmt"];

/// Effects of the given options by their names, where no rule covers them.
pub(super) fn of_options(parsed: &Parsed<'_>) -> Vec<Effect> {
    if parsed.program.is_exhaustive {
        return Vec::new();
    }
    let (program, mut found) = (parsed.command.name(), Vec::new());
    for given in &parsed.options {
        let is_any = given.spellings == ANY;
        let behind = is_any.then(|| value_behind(parsed.command, given.at)).flatten();
        let Some(value) = behind.as_ref().or(given.value.as_ref()) else { continue };
        let names = given.spellings.split('|');
        let listed = names.clone().max_by_key(|one| one.len()).unwrap_or_default();
        let name = if is_any { option_name(&parsed.command.args[given.at].text) } else { listed };
        let effects = of_option(program, name, value);
        let runs = effects.iter().any(|effect| matches!(effect, Effect::Hidden(_)));
        let mut rules = parsed.rules();
        let is_told = !effects.is_empty()
            && rules.any(|rule| {
                // A rule by a function covers all listed options.
                let by_function = !is_any && runs && matches!(rule.does, Does::By(_) | Does::ByOption(_));
                by_function
                    || rule.options().flat_map(|list| list.split(' ')).any(|one| names.clone().any(|name| name == one))
            });
        found.extend(effects.into_iter().filter(|_| !is_told));
    }
    found
}

/// Effects of an option with a value, by the option's name.
pub(super) fn of_option(program: &str, option: &str, value: &Value) -> Vec<Effect> {
    let name = kebab(option);
    if takes_command(&name) {
        let hidden = Effect::hidden(format!("`{program}` may run what the option `{}` says", shorten(option)));
        let line = Some(value.clone()).filter(|value| value.is_exact).map(Effect::Line);
        return [hidden].into_iter().chain(line).collect();
    }
    let access = match name.rsplit('-').next() {
        _ if option == "-o" || is_written(&name) => Some(Access::Write),
        Some("file" | "from" | "input") => Some(Access::Read),
        _ => None,
    };
    let named = access.and_then(|access| Some(Effect::path(file(value)?, access)));
    let is_host = HOSTS.iter().any(|end| name.strip_suffix(end).is_some_and(ends_word)) && is_bare_host(&value.text);
    let host = is_host.then(|| Effect::Host(address::addressed(value)));
    named.into_iter().chain(reached(value)).chain(host).collect()
}

/// The files that an unknown program changes in place.
pub(super) fn changed_in_place(command: &Command) -> Vec<Effect> {
    let is_meant = |word: &str| IN_PLACE.contains(&word);
    let ends = command.name().ends_with("fmt") || command.name().ends_with("format");
    let is_first = command.args.first().is_some_and(|first| is_meant(&first.text));
    let is_given = |arg: &Value| arg.text == "-i" || arg.text.strip_prefix("--").is_some_and(is_meant);
    if !(ends || is_first || command.args.iter().any(is_given)) {
        return Vec::new();
    }
    let files = command.args.iter().filter(|arg| !arg.text.starts_with('-')).filter_map(file);
    files.map(|file| Effect::path(file, Access::Write)).collect()
}

/// The host effect of a value that is an address; `None` for other values.
pub(super) fn reached(value: &Value) -> Option<Effect> {
    let (scheme, rest) = value.text.split_once("://")?;
    let scheme = scheme.rsplit('+').next().unwrap_or_default();
    (SCHEMES.contains(&scheme) && !rest.is_empty()).then(|| Effect::Host(address::addressed(value)))
}

/// The words of an option's name in lower case, joined by dashes: `outputFile` is `output-file`.
fn kebab(option: &str) -> String {
    let mut name = String::new();
    for character in option.trim_start_matches('-').chars() {
        match character {
            'A'..='Z' if !name.ends_with('-') => name.extend(['-', character.to_ascii_lowercase()]),
            '_' | '.' | ':' => name.push('-'),
            other => name.push(other.to_ascii_lowercase()),
        }
    }
    name
}

fn takes_command(name: &str) -> bool {
    let is_meant = COMMANDS.iter().any(|end| name.strip_suffix(end).is_some_and(ends_word));
    is_meant && !name.starts_with("no-") && !name.starts_with("list-")
}

fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.ends_with('-')
}

fn is_written(name: &str) -> bool {
    let mut words = name.split('-').filter(|word| !word.is_empty()).rev().skip_while(|word| FORMS.contains(word));
    words.next().is_some_and(|word| WRITTEN.contains(&word))
}

/// The file that a value names. A bare word does not count: it may be a format, and as a file it
/// would be in the current folder. A format may come first: `json:FILE`.
fn file(value: &Value) -> Option<Value> {
    let text = match value.text.split_once(':') {
        Some((form, path)) if form.bytes().all(|byte| byte.is_ascii_alphabetic()) && !path.starts_with('/') => path,
        _ => value.text.as_str(),
    };
    let is_file = text.contains(['/', '.', '~']) && !text.contains(['{', '=', '%']) && !text.contains("://");
    is_file.then(|| Value { text: text.to_owned(), ..value.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Surroundings, analyse};

    fn check(option: &str, value: &str, expected: &str) {
        let found = of_option("frob", option, &Value::exact(value));
        let told = match found.first() {
            Some(Effect::Path { path, access: Access::Write, .. }) => format!("writes {}", path.text),
            Some(Effect::Path { path, .. }) => format!("reads {}", path.text),
            Some(Effect::Host(host)) => format!("reaches {}", host.text),
            Some(Effect::Hidden(_)) => "runs".to_owned(),
            _ => String::new(),
        };
        assert_eq!(told, expected, "{option} {value}");
    }

    #[test]
    fn files_that_are_changed_in_place_are_told_by_names() {
        for line in ["frob -i .envrc", "frob --fix a .envrc", "frob fmt .envrc", "frob-format .envrc"] {
            let found = analyse(line, &Surroundings::default());
            let written = [Effect::path(Value::exact(".envrc"), Access::Write)];
            assert_eq!(found.commands[0].effects, written, "{line}");
        }
        for line in ["frob .envrc", "frob --check .envrc", "fix .envrc", "frob --fix"] {
            let found = analyse(line, &Surroundings::default());
            assert_eq!(found.commands[0].effects, [], "{line}");
        }
    }

    #[test]
    fn a_name_tells_what_an_option_does() {
        check("-o", "a/b", "writes a/b");
        check("--output", ".envrc", "writes .envrc");
        check("--access-logfile", "x.log", "writes x.log");
        check("--outputFile", "../x", "writes ../x");
        check("-debug.cpuprofile", "./x", "writes ./x");
        check("-XX:HeapDumpPath", "/x", "writes /x");
        check("--files-from", "private/x", "reads private/x");
        check("--out-format", "x.y", "");
        check("--cov-report", "html:.git/hooks", "writes .git/hooks");
        check("--output", "json", "");
        check("--output", "jsonpath={.x}", "");
        check("--log-level", "a.b", "");
        check("--statsd", "udp://host:1", "reaches udp://host:1");
        check("--broker-url", "example.org:80/x", "reaches tcp://example.org:80/x");
        check("--host", "0.0.0.0", "");
        check("--base-url", "docs/x.html", "");
        check("--onSuccess", "id", "runs");
        check("--post-exec", "id", "runs");
        check("--executables", "id", "");
        check("--no-pager", "id", "");
    }
}
