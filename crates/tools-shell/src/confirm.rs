//! What a person is asked about first: the operator's patterns, deletions and other loss that cannot be undone, files that
//! later programs obey, and everything that could not be seen through.

use std::path::Path;

use tools_core::{ConfirmReason, is_guarded};

use crate::pattern::CommandPattern;
use crate::sql;
use tools_command::{Analysis, Command, Effect, Surroundings, Value};

/// Why a person must agree; `None` when nothing asks for it.
pub(crate) fn reason(
    found: &Analysis,
    patterns: &[CommandPattern],
    surroundings: &Surroundings,
) -> Option<ConfirmReason> {
    for command in &found.commands {
        let statements = sql::statements(command);
        if let Some(pattern) = patterns.iter().find(|pattern| pattern.matches(command, &statements)) {
            let reason = format!("`{}` matches `{}`", command.line, pattern.text);
            let rule = format!("tools.shell.confirm_patterns \"{}\"", pattern.text);
            return Some(asked(reason, &rule).about(&command.line));
        }
        if let Some(pattern) = patterns.iter().find(|pattern| pattern.may_match(command)) {
            let reason = format!("`{}` may match `{}` with arguments from elsewhere", command.line, pattern.text);
            let rule = format!("tools.shell.confirm_patterns \"{}\"", pattern.text);
            return Some(asked(reason, &rule).about(&command.line));
        }
        if let Some(why) = command.effects.iter().find_map(asking) {
            return Some(asked(format!("`{}` {why}", command.line), "tools.shell: built-in"));
        }
        if let Some(why) = loss(command) {
            return Some(asked(format!("`{}` {why}", command.line), "tools.shell: built-in").about(&command.line));
        }
    }
    for target in &found.writes {
        if let Some(why) = obeyed(target, surroundings) {
            return Some(asked(why, "tools.shell: built-in"));
        }
    }
    for command in &found.commands {
        let writes =
            matches!(command.name(), "tee" | "cp" | "mv" | "ln" | "install" | "sponge" | "dd" | "sed" | "truncate");
        let targets = command.operands();
        if let Some(why) = targets.iter().filter(|_| writes).find_map(|target| obeyed(target, surroundings)) {
            return Some(asked(why, "tools.shell: built-in"));
        }
    }
    if let Some(target) = found.writes.iter().find(|target| !target.is_exact || target.has_pattern) {
        let why = format!("a file that is written is known only when it runs: {}", target.text);
        return Some(asked(why, "tools.shell: built-in"));
    }
    let why = found.opaque.first()?;
    let reason = format!("what it runs cannot be told beforehand: {why}");
    Some(asked(reason, "tools.shell: opaque command").about(why))
}

fn asked(reason: String, rule: &str) -> ConfirmReason {
    ConfirmReason::new(reason, rule)
}

/// What an effect does that a person has to agree to.
fn asking(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Is { kind, why } if !kind.is_denied() => Some(why),
        _ => None,
    }
}

/// What a command destroys beyond what the patterns name.
fn loss(command: &Command) -> Option<&'static str> {
    let args = &command.args;
    let has = |texts: &[&str]| args.iter().any(|arg| texts.contains(&arg.text.as_str()));
    let starts = |texts: &[&str]| args.iter().any(|arg| texts.iter().any(|text| arg.text.starts_with(text)));
    match command.name() {
        "shred" | "srm" | "wipe" | "truncate" | "unlink" => Some("destroys files"),
        "find" | "gfind" if has(&["-delete"]) => Some("deletes files"),
        "kill" if has(&["-1"]) && args.last().is_some_and(|arg| arg.text == "-1") && args.len() > 1 => {
            Some("signals every process")
        }
        "killall5" => Some("signals every process"),
        "dropdb" | "dropuser" => Some("deletes a database"),
        "redis-cli" if args.iter().any(|arg| arg.text.to_lowercase().starts_with("flush")) => {
            Some("empties a database")
        }
        "docker" | "podman" if has(&["prune"]) || (has(&["rm", "rmi"]) && starts(&["-f", "--force"])) => {
            Some("removes containers or images")
        }
        "docker" | "podman" | "docker-compose"
            if (has(&["volume"]) && has(&["rm", "remove"]))
                || (has(&["down"]) && has(&["-v", "--volumes", "--rmi"])) =>
        {
            Some("deletes data of containers")
        }
        "gem" if publishes(command) => Some("publishes, which cannot be taken back"),
        "aws" | "gsutil" | "gcloud" | "az" | "s3cmd" | "rclone"
            if has(&["rm", "rb", "delete", "purge", "terminate-instances"]) || starts(&["delete-"]) =>
        {
            Some("removes resources")
        }
        "kubectl" | "helm" | "terraform" | "tofu" if has(&["delete", "uninstall", "destroy", "drain"]) => {
            Some("removes resources")
        }
        "rsync" if starts(&["--delete", "--remove-source-files"]) => Some("deletes files"),
        "systemctl" | "service" if has(&["stop", "disable", "mask", "restart", "start", "enable"]) => {
            Some("changes services")
        }
        "userdel" | "useradd" | "usermod" | "passwd" | "chpasswd" | "groupdel" | "visudo" => Some("changes accounts"),
        "iptables" | "nft" | "ufw" | "ip6tables" | "sysctl" if !has(&["-L", "list", "status", "-a", "-n"]) => {
            Some("changes the system")
        }
        "chmod"
            if args.iter().any(|arg| {
                arg.text.contains("+s")
                    || (arg.text.len() == 4
                        && arg.text.starts_with(['4', '2', '6', '7'])
                        && arg.text.chars().all(|c| c.is_ascii_digit()))
            }) =>
        {
            Some("gives a file its owner's rights")
        }
        "setcap" => Some("gives a file special rights"),
        _ => None,
    }
}

/// Whether a package goes out to a registry or is taken from it; a rehearsal does not.
fn publishes(command: &Command) -> bool {
    let verb = command.operands().first().map(|operand| operand.text.as_str()).unwrap_or_default();
    let is_out = match command.name() {
        "twine" => verb == "upload",
        "gem" => matches!(verb, "push" | "yank"),
        "cargo" => matches!(verb, "publish" | "yank"),
        _ => matches!(verb, "publish" | "unpublish"),
    };
    is_out && !command.options().any(|option| option == "--dry-run" || option == "-n")
}

/// Writing to a file that later programs obey.
fn obeyed(target: &Value, surroundings: &Surroundings) -> Option<String> {
    let text = target.text.trim_end_matches('/');
    let path = Path::new(text);
    let inside = path.strip_prefix(&surroundings.workdir).unwrap_or(path);
    let is_network = text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
    let writes_there = (is_guarded(inside) || is_network) && target.is_exact;
    writes_there.then(|| format!("other programs obey what is written to `{text}`"))
}
