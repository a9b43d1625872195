//! Whether a call would move a credential to a file that it did not come from, and the question for
//! approval.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tools_core::{Access, ConfirmPrompt, Invocation, PromptPart, Subject, ToolError, ToolErrorCategory, Verdict};

use crate::{SecretRedactor, vault::SecretMove};

/// The rule that the question names.
const RULE: &str = "credentials go back where they came from";

impl SecretRedactor {
    /// The question of a call whose content has placeholders of credentials from other files than
    /// the one it writes; `None` when it has none. The redactor must be that of the call's session.
    ///
    /// A call that writes no file or several counts as a destination that no credential came from.
    pub fn asks(&self, inv: &Invocation) -> Option<ToolError> {
        let destination = destination(inv);
        let moves: Vec<SecretMove> = inv
            .definition
            .content
            .iter()
            .filter_map(|name| inv.call.params.get(*name))
            .flat_map(|value| self.moves(value, destination.unwrap_or(Path::new(""))))
            .collect();
        if moves.is_empty() {
            return None;
        }
        let workdir = inv.context.workdir();
        let into = destination.map_or_else(|| format!("what `{}` writes", inv.call.tool), |path| shown(path, workdir));
        let mut whys: Vec<String> = moves.iter().map(|moved| why(moved, &into, workdir)).collect();
        whys.sort();
        whys.dedup();
        let tool = &inv.call.tool;
        let message = format!("`{tool}` {} and needs approval", whys.join(", and "));
        let part = |subject: Subject| PromptPart { subject, verdict: Verdict::Ask, rule: RULE.to_owned() };
        let parts: Vec<PromptPart> = whys
            .into_iter()
            .map(|why| part(Subject::Opaque { why }))
            .chain(inv.inspection().ok().into_iter().flat_map(|seen| seen.subjects.iter().cloned().map(part)))
            .collect();
        let prompt = ConfirmPrompt::new(tool.clone(), RULE, parts);
        let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, "credential_moves", message);
        Some(error.with_prompt(prompt).with_suggestion(
            "A placeholder may be written without a question only into a file that `read` showed it in; leave it out elsewhere.",
        ))
    }

    fn moves(&self, value: &Value, destination: &Path) -> Vec<SecretMove> {
        match value {
            Value::String(text) => self.moves_of(text, destination),
            Value::Array(items) => items.iter().flat_map(|item| self.moves(item, destination)).collect(),
            Value::Object(members) => members.values().flat_map(|member| self.moves(member, destination)).collect(),
            _ => vec![],
        }
    }
}

/// The one file that a call touches: the origin of what it shows and the destination of what it
/// writes.
pub(crate) fn only_file(inv: &Invocation) -> Option<&Path> {
    let mut paths = paths(inv, |access| access != Access::Delete);
    let first = paths.next()?;
    paths.all(|path| path == first).then_some(first)
}

fn destination(inv: &Invocation) -> Option<&Path> {
    let mut paths = paths(inv, |access| access == Access::Write);
    let first = paths.next()?;
    paths.all(|path| path == first).then_some(first)
}

fn paths(inv: &Invocation, is_meant: impl Fn(Access) -> bool) -> impl Iterator<Item = &Path> {
    let subjects = inv.inspection().ok().into_iter().flat_map(|inspection| &inspection.subjects);
    subjects.filter_map(move |subject| match subject {
        Subject::Path { path, access, .. } if is_meant(*access) => Some(path.as_path()),
        _ => None,
    })
}

/// `puts the password of c.yml into notes/a.md`
fn why(moved: &SecretMove, into: &str, workdir: &Path) -> String {
    let article = if moved.kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    match moved.origins.as_slice() {
        [] => format!("puts {article} {} that an earlier result showed into {into}", kind(moved)),
        origins => {
            let from: Vec<String> = origins.iter().take(3).map(|origin: &PathBuf| shown(origin, workdir)).collect();
            let more = if origins.len() > 3 { " and others" } else { "" };
            format!("puts the {} of {}{more} into {into}", kind(moved), from.join(", "))
        }
    }
}

fn kind(moved: &SecretMove) -> String {
    match moved.kind.as_str() {
        kind @ ("password" | "token" | "key" | "secret" | "private-key" | "password-hash") => kind.replace('-', " "),
        "value" | "known" | "extra" => "credential".to_owned(),
        kind => format!("{kind} credential"),
    }
}

fn shown(path: &Path, workdir: &Path) -> String {
    let within = path.strip_prefix(workdir).unwrap_or(path);
    let named = if within.as_os_str().is_empty() { Path::new(".") } else { within };
    format!("`{}`", named.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_as_seen_from_the_working_directory() {
        let check = |path: &str, expected: &str| assert_eq!(shown(Path::new(path), Path::new("/w")), expected);
        check("/w/a/b", "`a/b`");
        check("/w", "`.`");
        check("/other", "`/other`");
    }
}
