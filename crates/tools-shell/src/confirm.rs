//! Finds the commands that a person is asked about: the operator's patterns, deletions and other
//! permanent loss, files that later programs obey, and lines that cannot be analysed.

use std::path::Path;

use tools_core::{Access, ConfiguredFiles, ConfirmReason, is_guarded};
use tools_sandbox::kernel::resolve_by_words;

use crate::pattern::CommandPattern;
use tools_command::{Analysis, Command, Effect, Surroundings, Value, statements};

/// The reason why a person must agree; `None` if there is none.
pub(crate) fn reason(
    found: &Analysis,
    patterns: &[CommandPattern],
    surroundings: &Surroundings,
) -> Option<ConfirmReason> {
    for command in &found.commands {
        let statements = statements(command);
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
            return Some(asked(format!("`{}` {why}", command.line), "tools.shell: built-in").about(&command.line));
        }
    }
    if let Some(target) = found.writes.iter().find(|target| !target.is_exact || target.has_pattern) {
        let why = format!("a file that is written is known only when it runs: {}", target.text);
        return Some(asked(why, "tools.shell: built-in"));
    }
    if let Some(target) = found.writes.iter().find(|target| is_network(target)) {
        return Some(asked(
            format!("what is written to `{}` leaves the machine", target.text),
            "tools.shell: built-in",
        ));
    }
    // Last, since a rule that names the file answers this question.
    let written = found.commands.iter().flat_map(written).collect::<Vec<_>>();
    let mut configured = ConfiguredFiles::default();
    let mut written = found.writes.iter().chain(&written);
    if let Some(asked) = written.find_map(|target| obeyed(target, surroundings, &mut configured)) {
        return Some(asked);
    }
    let why = found.opaque.first()?;
    let reason = format!("what it runs cannot be told beforehand: {why}");
    Some(asked(reason, "tools.shell: opaque command").about(why))
}

fn asked(reason: String, rule: &str) -> ConfirmReason {
    ConfirmReason::new(reason, rule)
}

/// The part of an effect that a person has to approve.
fn asking(effect: &Effect) -> Option<&str> {
    match effect {
        Effect::Is { kind, why } if !kind.is_denied() => Some(why),
        _ => None,
    }
}

/// The files that a command names as written, resolved from the folder it runs in.
fn written(command: &Command) -> impl Iterator<Item = Value> {
    // Changes by `git` to its own configuration are judged by the names of the settings.
    let is_own = |path: &Value| command.name() == "git" && path.text.ends_with(".git/config");
    let paths = command.effects.iter().filter_map(|effect| match effect {
        Effect::Path { path, access: Access::Write, .. } => Some(path),
        _ => None,
    });
    paths.filter(move |path| !is_own(path)).map(|path| path.placed(command.folder.as_deref()))
}

/// Whether a redirection opens a connection.
fn is_network(target: &Value) -> bool {
    target.is_exact && (target.text.starts_with("/dev/tcp/") || target.text.starts_with("/dev/udp/"))
}

/// The reason to ask about writing a file that later programs obey.
fn obeyed(target: &Value, surroundings: &Surroundings, configured: &mut ConfiguredFiles) -> Option<ConfirmReason> {
    let text = target.text.trim_end_matches('/');
    let path = Path::new(text);
    let inside = path.strip_prefix(&surroundings.workdir).unwrap_or(path);
    if !target.is_exact {
        return None;
    }
    let subject = resolve_by_words(&Path::new(&surroundings.workdir).join(text));
    let mut is_configured = || {
        configured.add_top(Path::new(&surroundings.workdir));
        configured.add_around(&subject);
        configured.names(&subject)
    };
    (is_guarded(inside) || is_configured()).then(|| {
        let reason = format!("other programs obey what is written to `{}`", inside.display());
        asked(reason, "tools.shell: built-in").about(subject.to_string_lossy())
    })
}
