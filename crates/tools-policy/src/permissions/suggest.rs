//! The rule that "this session" or "always" would store: shown to a person first, and rather too narrow than too wide.

use std::path::Path;

use tools_core::{Access, StoredRule, Subject, ToolDef, Verdict};

use crate::{Because, Decision, Part, matching::escape};

/// Subcommands whose further arguments change how they do their work, not what it is. A program that is not here is
/// stored word for word: what `rm *` or `python *` would allow next is anybody's guess.
const GENERAL: &[(&str, &[&str])] = &[
    ("cargo", &["bench", "build", "check", "clippy", "doc", "fmt", "nextest", "test", "tree"]),
    ("git", &["add", "blame", "commit", "diff", "log", "rev-parse", "show", "status"]),
    ("go", &["build", "test", "vet"]),
    ("npm", &["ci", "ls", "test"]),
    ("pnpm", &["ls", "test"]),
    ("yarn", &["test"]),
];

/// The rule that would keep a call like this from asking again; `None` when no rule could, or only too wide a one.
pub(super) fn would_store(decision: &Decision<'_>, definition: &ToolDef, workdir: &Path) -> Option<StoredRule> {
    let lies_with_rules = |because: &Because<'_>| {
        matches!(
            because,
            Because::Rule(_)
                | Because::NoRule { .. }
                | Because::Traits
                | Because::Outside
                | Because::Written { .. }
                | Because::Obeyed { .. }
        )
    };
    if !lies_with_rules(&decision.decided_by) {
        return None;
    }
    let open: Vec<&Part<'_>> = decision.parts.iter().filter(|part| part.verdict == Verdict::Ask).collect();
    if !open.iter().all(|part| lies_with_rules(&part.because)) {
        return None;
    }
    let subjects = || decision.parts.iter().map(|part| part.subject);
    let pattern = match open.as_slice() {
        [] if decision.parts.is_empty() => "*".to_owned(),
        [only] => of_subject(only.subject, subjects().any(is_command), workdir)?,
        // Several parts: the line as it is typed, when it stands for all of them.
        _ => subjects().find_map(whole_line)?,
    };
    Some(StoredRule { tool: definition.name.clone(), pattern })
}

/// The rule without wildcards that would keep a tool from asking by itself about this very command; `None` where more than
/// the tool's wish is in the way, or where what runs is not known.
pub(super) fn would_name(decision: &Decision<'_>, definition: &ToolDef) -> Option<StoredRule> {
    let is_answered = |part: &Part<'_>| part.verdict == Verdict::Allow || lies_with_commands(part);
    if !decision.parts.iter().all(is_answered) || matches!(decision.decided_by, Because::Trust(_)) {
        return None;
    }
    let mut simple = decision.parts.iter().filter_map(|part| match part.subject {
        Subject::Command { line, program, .. } if !program.is_empty() => Some(line),
        _ => None,
    });
    let (first, second) = (simple.next(), simple.next());
    let pattern = match (first, second) {
        (Some(only), None) => escape(only.trim()),
        _ => decision.parts.iter().map(|part| part.subject).find_map(whole_line)?,
    };
    Some(StoredRule { tool: definition.name.clone(), pattern })
}

/// Whether a command asks for want of a rule that names it.
fn lies_with_commands(part: &Part<'_>) -> bool {
    is_command(part.subject) && matches!(part.because, Because::Rule(_) | Because::NoRule { .. } | Because::Traits)
}

fn of_subject(subject: &Subject, among_commands: bool, workdir: &Path) -> Option<String> {
    match subject {
        Subject::Command { line, program, argv, .. } => {
            Some(general(line, program, argv).unwrap_or_else(|| escape(line.trim())))
        }
        Subject::Path { path, access, .. } => {
            let path = match path.strip_prefix(workdir) {
                Ok(below) if !among_commands || *access != Access::Read => Path::new(".").join(below),
                _ => path.clone(),
            };
            // A name that is no text could only be stored as another name.
            let glob = path.to_str().map(escape)?;
            // Among commands a bare path would also allow a command of that name.
            Some(if among_commands && *access != Access::Read { format!("> {glob}") } else { glob })
        }
        // Among commands a bare host would also allow a command of that name.
        Subject::Host { .. } | Subject::Paths { .. } | Subject::Opaque { .. } => None,
        Subject::Url { url } => {
            let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
            Some(format!("{}://{}{port}/*", url.scheme(), escape(url.host())))
        }
    }
}

fn is_command(subject: &Subject) -> bool {
    matches!(subject, Subject::Command { .. })
}

fn whole_line(subject: &Subject) -> Option<String> {
    match subject {
        Subject::Command { line, program, .. } if program.is_empty() => Some(escape(line.trim())),
        _ => None,
    }
}

/// `cargo build *` for `cargo build --release`.
fn general(line: &str, program: &str, argv: &[String]) -> Option<String> {
    let (_, subcommands) = GENERAL.iter().find(|(name, _)| *name == program)?;
    let subcommand = argv.first().filter(|word| subcommands.contains(&word.as_str()))?;
    let start = format!("{program} {subcommand} ");
    // Only what is typed just so: no quotes, no assignments in front.
    line.starts_with(&start).then(|| format!("{start}*"))
}
