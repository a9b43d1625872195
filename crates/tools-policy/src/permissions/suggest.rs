//! Suggests the rule that "this session" or "always" would store. It is shown to a person first,
//! and is rather too narrow than too wide.

use std::path::Path;

use tools_core::{Access, Inspection, Script, StoredRule, Subject, ToolDef, Verdict};

use super::scripts::run_by;
use crate::{Decision, DecisionReason, Part, matching::escape};

/// The rule that would stop questions about such calls; `None` if there is none or only one that is
/// too wide.
pub(super) fn would_store(
    decision: &Decision<'_>,
    inspection: &Inspection,
    definition: &ToolDef,
    workdir: &Path,
) -> Option<StoredRule> {
    let lies_with_rules = |because: &DecisionReason<'_>| {
        matches!(
            because,
            DecisionReason::Rule(_)
                | DecisionReason::Changed { .. }
                | DecisionReason::NoRule { .. }
                | DecisionReason::Traits
                | DecisionReason::Outside
                | DecisionReason::Written { .. }
                | DecisionReason::Obeyed { .. }
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
    let (pattern, about) = match open.as_slice() {
        [] if decision.parts.is_empty() => ("*".to_owned(), None),
        [only] => (of_subject(only.subject, subjects().any(is_command), workdir)?, Some(only.subject)),
        // Several parts: the line as it is typed, if it covers all of them.
        _ => subjects().find_map(|subject| Some((whole_line(subject)?, Some(subject))))?,
    };
    let scripts = about.map_or(Some(vec![]), |about| remembered(inspection, about))?;
    Some(StoredRule::new(definition.name.clone(), pattern).running(scripts))
}

/// The rule without wildcards that would answer the tool's own wish for a person about this very
/// command; `None` if anything else also asks, or if it is unknown what runs.
pub(super) fn would_name(decision: &Decision<'_>, inspection: &Inspection, definition: &ToolDef) -> Option<StoredRule> {
    let is_answered = |part: &Part<'_>| part.verdict == Verdict::Allow || lies_with_commands(part);
    if !decision.parts.iter().all(is_answered) || matches!(decision.decided_by, DecisionReason::Trust(_)) {
        return None;
    }
    let mut simple = decision.parts.iter().filter_map(|part| match part.subject {
        Subject::Command { line, program, .. } if !program.is_empty() => Some((escape(line.trim()), part.subject)),
        _ => None,
    });
    let (pattern, about) = match (simple.next(), simple.next()) {
        (Some(only), None) => only,
        _ => decision.parts.iter().find_map(|part| Some((whole_line(part.subject)?, part.subject)))?,
    };
    Some(StoredRule::new(definition.name.clone(), pattern).running(remembered(inspection, about)?))
}

/// The files of code that a subject runs, for the rule to remember; `None` if the content of one is
/// unknown.
fn remembered(inspection: &Inspection, subject: &Subject) -> Option<Vec<Script>> {
    run_by(inspection, subject).map(|script| script.digest.map(|_| script.clone())).collect()
}

/// Whether a command asks because no rule names it.
fn lies_with_commands(part: &Part<'_>) -> bool {
    let lies_with_it = |because: &DecisionReason<'_>| {
        matches!(
            because,
            DecisionReason::Rule(_)
                | DecisionReason::Changed { .. }
                | DecisionReason::NoRule { .. }
                | DecisionReason::Traits
        )
    };
    is_command(part.subject) && lies_with_it(&part.because)
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
            // A name that is not valid UTF-8 could only be stored as another name.
            let glob = path.to_str().map(escape)?;
            // Among commands a bare path would also allow a command of that name.
            Some(if among_commands && *access != Access::Read { format!("> {glob}") } else { glob })
        }
        // Among commands a bare host would also allow a command of that name.
        Subject::Host { .. }
        | Subject::Paths { .. }
        | Subject::Script { .. }
        | Subject::Port { .. }
        | Subject::Opaque { .. } => None,
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

/// Generalises `cargo build --release` to `cargo build *`. A subcommand that is not known to be
/// general is stored word for word, since `rm *` or `python *` could allow anything.
fn general(line: &str, program: &str, argv: &[String]) -> Option<String> {
    let subcommand = argv.first().filter(|word| tools_command::general_subcommands(program).any(|one| one == *word))?;
    let start = format!("{program} {subcommand} ");
    // Only commands typed exactly so, without quotes or leading assignments.
    line.starts_with(&start).then(|| format!("{start}*"))
}
