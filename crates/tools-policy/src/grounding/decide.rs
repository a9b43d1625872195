//! Finds names in a call that neither exist nor were given to the model. Pure, except for the check
//! whether a path exists.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use tools_core::{Access, Inspection, JsonObject, Subject, quoted};

use super::extract::{entities, is_file};

/// Maximum length in bytes of a name. Longer texts are content, which a model may write freely.
const MAX_NAME_LEN: usize = 200;

/// Input of the check for invented values.
#[derive(Clone, Copy)]
pub struct GroundingQuestion<'a> {
    /// Parameters of the call.
    pub params: &'a JsonObject,
    /// Subjects of the call.
    pub inspection: &'a Inspection,
    /// Text given to the model: the conversation and the results of tools.
    pub context: &'a str,
    /// Base of relative paths.
    pub workdir: &'a Path,
    /// Whether addresses and numbers are checked, too: only if the conversation is known.
    pub looks_for_entities: bool,
    /// Whether a path exists.
    pub exists: &'a dyn Fn(&Path) -> bool,
}

/// Kind of a suspicious value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SuspectKind {
    /// A path.
    Path,
    /// A mail address, a host or a number.
    Entity,
}

/// A value that a model may have made up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HallucinationSuspect {
    /// The parameter with the value; empty if the tool found the value in a text.
    pub field: String,
    /// The value.
    pub value: String,
    /// Its kind.
    pub kind: SuspectKind,
}

impl HallucinationSuspect {
    /// The warning for the model; `near` are paths that may have been meant.
    pub fn warning(&self, near: &[String]) -> String {
        let value: String = self.value.chars().take(MAX_NAME_LEN).collect();
        match (self.kind, near) {
            (SuspectKind::Path, []) => format!("`{value}` does not exist and was not mentioned before"),
            (SuspectKind::Path, near) => format!("`{value}` does not exist; nearest: {}", quoted(near)),
            (SuspectKind::Entity, _) => format!("`{value}` was not mentioned before"),
        }
    }
}

/// Values of a call that the model did not read anywhere; empty if all exist or were given.
pub(crate) fn suspects(question: &GroundingQuestion<'_>) -> Vec<HallucinationSuspect> {
    let context = Context::of(question);
    let mut found: Vec<HallucinationSuspect> = paths(question.inspection, question.workdir)
        .iter()
        .filter(|(path, access)| !is_grounded(path, *access, &context, question))
        .map(|(path, _)| {
            let value = path.strip_prefix(question.workdir).unwrap_or(path).to_string_lossy().into_owned();
            let field = field_of(question.params, &value, path);
            HallucinationSuspect { field, value, kind: SuspectKind::Path }
        })
        .collect();
    if question.looks_for_entities {
        for (field, value) in question.params {
            for entity in texts(value).into_iter().flat_map(entities) {
                if !context.tells(entity) {
                    let (field, value) = (field.clone(), entity.to_owned());
                    found.push(HallucinationSuspect { field, value, kind: SuspectKind::Entity });
                }
            }
        }
    }
    let mut once = Vec::new();
    found.retain(|suspect| {
        let is_new = !once.contains(&suspect.value);
        once.push(suspect.value.clone());
        is_new
    });
    found
}

/// The paths and hosts that a call names. For a path outside the working directory only its file
/// name, since a model is seldom told the folders above it.
pub(super) fn names(inspection: &Inspection, workdir: &Path) -> Vec<String> {
    let shown = |path: &Path| {
        let name = || path.file_name().map_or(path, Path::new);
        path.strip_prefix(workdir).unwrap_or_else(|_| name()).to_string_lossy().into_owned()
    };
    let mut found: Vec<String> = paths(inspection, workdir).iter().map(|(path, _)| shown(path)).collect();
    found.extend(inspection.subjects.iter().filter_map(|subject| match subject {
        Subject::Host { host, .. } => Some(host_alone(host).to_owned()),
        Subject::Url { url } => Some(host_alone(url.as_str()).to_owned()),
        _ => None,
    }));
    found
}

/// The host of a URL, or of a host with a port.
fn host_alone(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((host, port)) if is_port(port) && (!host.contains(':') || host.ends_with(']')) => host,
        _ => host,
    }
}

/// The paths of a call: those the tool found and the files among the words of a command line. What
/// a command does with a file is not known, so it may create the file.
fn paths(inspection: &Inspection, workdir: &Path) -> Vec<(PathBuf, Access)> {
    let mut found: Vec<(PathBuf, Access)> = Vec::new();
    for subject in &inspection.subjects {
        match subject {
            Subject::Path { path, access, .. } => found.push((path.clone(), *access)),
            Subject::Command { argv, .. } => {
                let files = argv.iter().filter(|word| is_file(word));
                found.extend(files.map(|word| (plain(&workdir.join(word)), Access::Write)));
            }
            _ => {}
        }
    }
    found
}

/// A path without `.` and `..`, without reading the file system.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    plain
}

/// Whether a command line names a folder above the path, in which it may create the path.
fn is_made(path: &Path, question: &GroundingQuestion<'_>) -> bool {
    let words = question.inspection.subjects.iter().flat_map(|subject| match subject {
        Subject::Command { argv, .. } => argv.as_slice(),
        _ => &[],
    });
    let mut folders = words.map(|word| plain(&question.workdir.join(word)));
    folders.any(|folder| folder != path && folder != question.workdir && path.starts_with(&folder))
}

/// The parameter with the path; empty if the tool found the path in a text.
fn field_of(params: &JsonObject, relative: &str, path: &Path) -> String {
    let whole = path.to_string_lossy();
    let is_it = |value: &Value| {
        let text = value.as_str().map(|text| text.trim_start_matches("./").trim_end_matches('/'));
        text.is_some_and(|text| !text.is_empty() && (text == relative || text == whole))
    };
    params.iter().find(|(_, value)| is_it(value)).map(|(field, _)| field.clone()).unwrap_or_default()
}

/// The text given to the model, in the forms in which names are searched.
struct Context {
    text: String,
    /// The text without thousands separators in numbers.
    numbers: String,
}

impl Context {
    fn of(question: &GroundingQuestion<'_>) -> Self {
        let text = question.context.to_lowercase().replace('\\', "/");
        let is_between = |c: &char| matches!(c, ',' | '\'' | '_' | '\u{a0}' | '\u{202f}');
        let numbers = text.chars().filter(|c| question.looks_for_entities && !is_between(c)).collect();
        Self { text, numbers }
    }

    /// Whether the text contains a name, or all parts that it is made of.
    fn tells(&self, entity: &str) -> bool {
        let entity = entity.to_lowercase();
        if self.text.contains(&entity)
            || (entity.bytes().all(|byte| byte.is_ascii_digit()) && self.numbers.contains(&entity))
        {
            return true;
        }
        // `ann.lee@example.org` can be derived from a text that names Ann Lee and her host.
        entity.split_once('@').is_some_and(|(name, host)| {
            self.text.contains(host) && name.split(['.', '_', '-', '+']).all(|part| self.text.contains(part))
        })
    }
}

/// Whether a path exists, could be created where it is named, is created by the same command line,
/// or occurs in the context: by its last two parts or, directly in the working directory, by its
/// name.
fn is_grounded(path: &Path, access: Access, context: &Context, question: &GroundingQuestion<'_>) -> bool {
    let exists = question.exists;
    if exists(path) || (access == Access::Write && path.parent().is_some_and(exists)) {
        return true;
    }
    if is_made(path, question) {
        return true;
    }
    let shown = path.strip_prefix(question.workdir).unwrap_or(path);
    let parts: Vec<String> =
        shown.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    match parts.as_slice() {
        [name, above] if above != "/" => context.text.contains(&format!("{above}/{name}")),
        [name, ..] => context.text.contains(name.as_str()),
        [] => true,
    }
}

/// The short texts of a value, at any depth.
fn texts(value: &Value) -> Vec<&str> {
    let (mut found, mut open) = (Vec::new(), vec![value]);
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if text.len() <= MAX_NAME_LEN && !text.contains('\n') => found.push(text.as_str()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(params: &Value, paths: &[(&str, Access)], context: &str) -> Vec<String> {
        let inspection = paths.iter().fold(Inspection::default(), |inspection, (path, access)| {
            inspection.touching(Subject::path(*path, *access))
        });
        let exists = |path: &Path| ["/w", "/w/src", "/w/src/main.rs"].iter().any(|there| path == Path::new(there));
        let params = params.as_object().unwrap();
        let (workdir, looks_for_entities) = (Path::new("/w"), true);
        let question = GroundingQuestion {
            params,
            inspection: &inspection,
            context,
            workdir,
            looks_for_entities,
            exists: &exists,
        };
        suspects(&question).iter().map(|suspect| suspect.value.clone()).collect()
    }

    #[test]
    fn a_path_that_is_nowhere_is_suspicious() {
        let none: [String; 0] = [];
        let nothing = json!({});
        assert_eq!(found(&nothing, &[("/w/src/main.rs", Access::Read)], ""), none);
        assert_eq!(found(&nothing, &[("/w/src/foo.rs", Access::Read)], ""), ["src/foo.rs"]);
        assert_eq!(found(&nothing, &[("/w/src/foo.rs", Access::Write)], ""), none);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Write)], ""), ["lib/foo.rs"]);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Read)], "see `Lib/Foo.rs`"), none);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Read)], "see lib\\foo.rs"), none);
        assert_eq!(found(&nothing, &[("/w/lib/foo.rs", Access::Read)], "see foo.rs"), ["lib/foo.rs"]);
        assert_eq!(found(&nothing, &[("/w/foo.rs", Access::Read)], "see foo.rs"), none);
        assert_eq!(found(&nothing, &[("/srv/x/foo.rs", Access::Read)], "see foo.rs"), ["/srv/x/foo.rs"]);
        // A file tool makes the folders above what it writes: that they are missing says something.
        let made = [("/w/lib", Access::Write), ("/w/lib/b", Access::Write)];
        assert_eq!(found(&nothing, &made, ""), ["lib/b"]);
    }

    #[test]
    fn the_files_a_line_of_commands_names_are_looked_at() {
        let suspects_of = |words: &[&str]| -> Vec<String> {
            let argv = words.iter().map(|word| (*word).to_owned()).collect();
            let command = Subject::Command { line: words.join(" "), program: "x".to_owned(), argv, via: vec![] };
            let inspection = Inspection::default().touching(command);
            let exists = |path: &Path| ["/w", "/w/src"].iter().any(|there| path == Path::new(there));
            let (params, workdir) = (JsonObject::new(), Path::new("/w"));
            let question = GroundingQuestion {
                params: &params,
                inspection: &inspection,
                context: "",
                workdir,
                looks_for_entities: true,
                exists: &exists,
            };
            suspects(&question).into_iter().map(|suspect| suspect.value).collect()
        };
        let none: [String; 0] = [];
        assert_eq!(suspects_of(&["lost/found.rs"]), ["lost/found.rs"]);
        assert_eq!(suspects_of(&["./src/new.rs", "s/a/b/", "feature/x", "--out=lost/x.rs", "lost/*.rs"]), none);
        assert_eq!(suspects_of(&["lib", "lib/new.rs"]), none);
    }

    #[test]
    fn an_entity_out_of_nowhere_is_suspicious_and_content_is_not() {
        let none: [String; 0] = [];
        let params = json!({"to": "ann@example.org", "body": "x 4711\n"});
        assert_eq!(found(&params, &[], ""), ["ann@example.org"]);
        assert_eq!(found(&params, &[], "write to Ann@Example.org"), none);
        assert_eq!(found(&json!({"ids": [{"id": "90210"}]}), &[], "the zip is 10001"), ["90210"]);
        assert_eq!(found(&json!({"to": "ann.lee@example.org"}), &[], "Ann Lee works at example.org"), none);
        assert_eq!(
            found(&json!({"to": "bob.lee@example.org"}), &[], "Ann Lee works at example.org"),
            ["bob.lee@example.org"]
        );
        assert_eq!(found(&json!({"sum": "1250000"}), &[], "pay 1,250,000"), none);
        assert_eq!(found(&json!({"rev": "3fa9c1e07"}), &[], "the last commit"), ["3fa9c1e07"]);
    }

    #[test]
    fn a_suspect_names_its_field_and_what_may_be_meant() {
        let inspection = Inspection::default().touching(Subject::path("/w/src/mian.rs", Access::Read));
        let params = json!({"limit": 3, "path": "./src/mian.rs"});
        let question = GroundingQuestion {
            params: params.as_object().unwrap(),
            inspection: &inspection,
            context: "",
            workdir: Path::new("/w"),
            looks_for_entities: true,
            exists: &|_| false,
        };
        let found = suspects(&question);
        let [suspect] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((suspect.field.as_str(), suspect.value.as_str()), ("path", "src/mian.rs"));
        assert_eq!(suspect.warning(&[]), "`src/mian.rs` does not exist and was not mentioned before");
        assert_eq!(
            suspect.warning(&["src/main.rs".to_owned()]),
            "`src/mian.rs` does not exist; nearest: `src/main.rs`"
        );
    }
}
