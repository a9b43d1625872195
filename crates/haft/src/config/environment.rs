//! Environment variables that override keys: `HAFT_` and the path in capitals, joined by `_`.

use std::ffi::OsString;

use serde_json::Value;
use tools_core::{VisibleText, did_you_mean, inline_schema, nearest};

use super::HaftConfig;
use super::error::{ConfigError, Place};

/// Keys of a schema that hold values or free-form tables, with the variable that overrides each.
pub(crate) fn variables(schema: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    collect(&mut found, "", schema);
    found
}

fn collect(found: &mut Vec<(String, String)>, path: &str, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        // A free-form table (`tools.permissions`) has one variable for all of it: its keys are not
        // known in advance.
        if !path.is_empty() {
            found.push((path.to_owned(), format!("HAFT_{}", path.replace('.', "_").to_uppercase())));
        }
        return;
    };
    for (name, schema) in properties {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        collect(found, &path, schema);
    }
}

/// Values set by variables: path, value and name of the variable.
pub(crate) fn set(schema: &Value, lookup: &dyn Fn(&str) -> Option<String>) -> Vec<(String, Value, String)> {
    let found = variables(schema).into_iter().filter_map(|(path, variable)| {
        let other = || {
            let other = OTHER_NAMES.iter().find(|other| other.key == variable)?;
            Some(((other.meaning)(value(&lookup(other.name)?)), other.name.to_owned()))
        };
        let (value, name) = lookup(&variable).map(|text| (value(&text), variable.clone())).or_else(other)?;
        Some((path, value, name))
    });
    found.collect()
}

/// Whether one of the variables with these names may override a key.
pub(crate) fn may_override(names: impl IntoIterator<Item = String>) -> bool {
    let is_other = |name: &str| OTHER_NAMES.iter().any(|other| other.name == name);
    names.into_iter().any(|name| is_ours(&name) || is_other(&name))
}

/// Reports variables that override a key, or look so, and are not UTF-8: if they were ignored, a
/// rule in them would be lost.
pub(crate) fn unreadable(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<ConfigError> {
    let fault = |(name, value): (OsString, OsString)| {
        let name = name.into_string().ok()?;
        let counts = value.to_str().is_none() && may_override([name.clone()]);
        counts.then(|| ConfigError {
            path: String::new(),
            place: Some(Place::Variable(name)),
            problem: "its value is not UTF-8".to_owned(),
            hint: None,
        })
    };
    variables.into_iter().filter_map(fault).collect()
}

/// Whether a variable's name has the form of one that overrides a key, even if no such key exists.
fn is_ours(name: &str) -> bool {
    name.starts_with("HAFT_") && !OTHERS.contains(&name)
}

/// Alternative name of a variable. If both are set, the key's own name wins.
struct OtherName {
    name: &'static str,
    key: &'static str,
    /// Converts its value to the key's value.
    meaning: fn(Value) -> Value,
}

/// Names that other programs use, and old names of renamed keys.
const OTHER_NAMES: &[OtherName] = &[
    OtherName {
        name: "ZEPH_AGENT_MAX_TOOL_ITERATIONS",
        key: "HAFT_AGENT_MAX_TOOL_ITERATIONS",
        meaning: std::convert::identity,
    },
    OtherName {
        name: "HAFT_TOOLS_SHELL_ALLOW_NETWORK",
        key: "HAFT_TOOLS_SHELL_NETWORK",
        meaning: super::migrate::network_of_switch,
    },
];

/// Variables of ours that do not override a key.
const OTHERS: &[&str] = &[
    "HAFT_CLIENT",
    "HAFT_CONFIG",
    "HAFT_GATE_PORT",
    "HAFT_LOG",
    "HAFT_QUESTION",
    "HAFT_TOOL",
    "HAFT_TUNNEL",
    "HAFT_WORKDIR",
];

/// Reports unknown variables among these names: one sentence for each that begins with `HAFT_` and
/// is never read.
pub fn unknown_variables(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut found: Vec<String> = names.into_iter().filter(|name| is_ours(name)).collect();
    if found.is_empty() {
        return vec![];
    }
    found.sort();
    let known = variables(inline_schema::<HaftConfig>().as_value());
    let others = OTHERS.iter().copied().chain(OTHER_NAMES.iter().map(|other| other.name));
    let known: Vec<&str> = known.iter().map(|(_, name)| name.as_str()).chain(others).collect();
    let problem = |name: &String| {
        let near = did_you_mean(&nearest(name, known.iter().copied()));
        let hint = near.map(|near| format!("; {near}")).unwrap_or_default();
        let shown = VisibleText::of(name).shortened(100);
        format!("the environment variable `{shown}` is not known and changes nothing{hint}")
    };
    found.iter().filter(|name| !known.contains(&name.as_str())).map(problem).collect()
}

/// Value of a variable: TOML if it parses (`30`, `true`, `["a"]`), else plain text.
pub(crate) fn value(text: &str) -> Value {
    let line = format!("value = {text}");
    let parsed = crate::config::source::Source::parse(&line).ok();
    let alone = parsed.filter(|source| source.value.as_object().is_some_and(|table| table.len() == 1));
    let value = alone.and_then(|source| source.value.get("value").cloned());
    value.unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_variable_that_nothing_reads_is_named_with_the_nearest() {
        let names = ["HAFT_TOOLS_SHEL_TIMEOUT", "HAFT_TOOLS_SHELL_TIMEOUT", "HAFT_LOG", "PATH", "HAFT_"];
        let found = unknown_variables(names.map(str::to_owned));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1].contains("did you mean `HAFT_TOOLS_SHELL_TIMEOUT`"), "{found:?}");
    }

    #[test]
    fn the_variable_of_a_renamed_key_means_what_the_key_meant() {
        let schema = inline_schema::<HaftConfig>();
        let check = |variables: &[(&str, &str)], expected: Value| {
            let lookup =
                |name: &str| variables.iter().find(|(one, _)| *one == name).map(|(_, text)| (*text).to_owned());
            let found = set(schema.as_value(), &lookup);
            assert_eq!((found.len(), found[0].0.as_str(), &found[0].1), (1, "tools.shell.network", &expected));
        };
        check(&[("HAFT_TOOLS_SHELL_ALLOW_NETWORK", "false")], json!("off"));
        check(&[("HAFT_TOOLS_SHELL_ALLOW_NETWORK", "true")], json!("open"));
        // The invalid value is kept, to be reported as a fault of the key.
        check(&[("HAFT_TOOLS_SHELL_ALLOW_NETWORK", "no")], json!("no"));
        check(&[("HAFT_TOOLS_SHELL_ALLOW_NETWORK", "true"), ("HAFT_TOOLS_SHELL_NETWORK", "gate")], json!("gate"));
        assert_eq!(unknown_variables(["HAFT_TOOLS_SHELL_ALLOW_NETWORK".to_owned()]), Vec::<String>::new());
    }

    #[test]
    fn only_a_variable_that_overrides_makes_keys_be_looked_for() {
        let check = |name: &str, expected: bool| {
            assert_eq!(may_override(["PATH".to_owned(), name.to_owned()]), expected, "{name}");
        };
        check("HAFT_TOOLS_SHELL_TIMEOUT", true);
        check("HAFT_NO_SUCH_KEY", true);
        check("ZEPH_AGENT_MAX_TOOL_ITERATIONS", true);
        for name in OTHERS {
            check(name, false);
        }
        check("HOME", false);
        let schema = inline_schema::<HaftConfig>();
        let known = variables(schema.as_value());
        assert!(known.iter().all(|(_, name)| may_override([name.clone()])), "every variable of a key counts");
    }

    #[test]
    fn a_variable_that_is_no_text_is_a_fault_where_it_counts() {
        use std::os::unix::ffi::OsStringExt as _;
        let variable = |name: &str| (OsString::from(name), OsString::from_vec(b"caf\xe9".to_vec()));
        let faults = unreadable([variable("HAFT_TOOLS_FILE_DENY_READ"), variable("HAFT_CONFIG"), variable("LANG")]);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].place, Some(Place::Variable("HAFT_TOOLS_FILE_DENY_READ".to_owned())));
    }

    #[test]
    fn a_variable_is_named_after_its_path() {
        let schema = json!({"type": "object", "properties": {
            "tools": {"type": "object", "properties": {
                "shell": {"type": "object", "properties": {"kill_grace_ms": {"type": "integer"}}},
                "permissions": {"type": "object", "additionalProperties": {"type": "array"}},
            }},
        }});
        assert_eq!(
            variables(&schema),
            [
                ("tools.permissions".to_owned(), "HAFT_TOOLS_PERMISSIONS".to_owned()),
                ("tools.shell.kill_grace_ms".to_owned(), "HAFT_TOOLS_SHELL_KILL_GRACE_MS".to_owned()),
            ]
        );
    }

    #[test]
    fn a_value_is_toml_where_it_reads_as_such() {
        assert_eq!(value("30"), json!(30));
        assert_eq!(value("[\"/a\", \"/b\"]"), json!(["/a", "/b"]));
        assert_eq!(value("{ bash = [{ pattern = \"*\" }] }"), json!({"bash": [{"pattern": "*"}]}));
        assert_eq!(value("best-effort"), json!("best-effort"));
        assert_eq!(value("1\nx = 2"), json!("1\nx = 2"));
    }
}
