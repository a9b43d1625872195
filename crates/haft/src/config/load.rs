//! Loads a configuration from a text and the environment, and reports every fault by key and line.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tools_core::{KeyFault, SchemaFault, SchemaProblem, did_you_mean, inline_schema, quoted, schema_problems};

use crate::config::error::{ConfigError, LoadError, Place};
use crate::config::migrate::{self, Migration};
use crate::config::overlays::Overlays;
use crate::config::source::Source;
use crate::config::{HaftConfig, environment, strict_decode};

/// Returns the value of an environment variable, if it is set.
pub(super) type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A configuration, and where each of its values was set.
#[derive(Debug, Clone, Default)]
pub struct LoadedConfig {
    /// The configuration.
    pub config: HaftConfig,
    /// File it was read from; `None` if there is none.
    pub file: Option<PathBuf>,
    /// Keys of older formats in the text, one sentence each; they were read as
    /// [`migrate`](super::migrate()) would write them. Empty for the current format.
    pub older: Vec<String>,
    /// Overlay values that would loosen the configuration and were ignored.
    pub ignored: Vec<ConfigError>,
    pub(crate) overlays: Overlays,
    pub(super) source: Source,
}

impl LoadedConfig {
    /// Loads a text; `environment` is `None` if no variable overrides a key.
    pub(super) fn under(text: &str, file: Option<PathBuf>, environment: Option<Lookup<'_>>) -> Result<Self, LoadError> {
        let schema = OnceCell::new();
        let schema = || schema.get_or_init(inline_schema::<HaftConfig>).as_value();
        let set = environment.map(|lookup| environment::set(schema(), lookup)).unwrap_or_default();
        let migrated = migrate::to_load(text);
        if let (true, None, Some(config)) = (set.is_empty(), &migrated, strict_decode::decode(text)) {
            let overlays = Overlays::default();
            return Ok(Self { config, file, older: vec![], ignored: vec![], overlays, source: Source::decoded(text) });
        }
        let (mut source, older) = match parse(text, migrated) {
            Ok(parsed) => parsed,
            Err(fault) => return Err(LoadError::Faulty { file, faults: vec![fault] }),
        };
        for (path, value, variable) in set {
            source.set(&path, value, &variable);
        }
        Self::checked(source, schema(), text, file, older)
    }

    /// Checks values against the schema: the configuration, or every fault.
    pub(super) fn checked(
        mut source: Source,
        schema: &Value,
        text: &str,
        file: Option<PathBuf>,
        older: Vec<String>,
    ) -> Result<Self, LoadError> {
        let mut faults: Vec<ConfigError> =
            schema_problems(&source.value, schema).iter().map(|problem| describe(problem, &source)).collect();
        if faults.is_empty() {
            // Values are moved into the configuration, not copied: a long file has thousands.
            let (variables, value) = (source.variables(), std::mem::take(&mut source.value));
            if let Ok(config) = serde_json::from_value(value) {
                return Ok(Self { config, file, older, ignored: vec![], overlays: Overlays::default(), source });
            }
            // Paths of faults are expensive, so they are determined only if there is a fault.
            let (mut again, _) = parse(text, migrate::to_load(text)).unwrap_or_default();
            for (path, value, variable) in variables {
                again.set(&path, value, &variable);
            }
            match of_values(&again.value) {
                Ok(config) => {
                    return Ok(Self { config, file, older, ignored: vec![], overlays: Overlays::default(), source });
                }
                Err((path, problem)) => {
                    let place = source.place(&path).cloned();
                    faults.push(ConfigError { path, place, problem, hint: None });
                }
            }
        }
        faults.sort_by_key(|fault| match &fault.place {
            Some(Place::Line(line)) => *line,
            Some(Place::Variable(_) | Place::Overlay { .. }) | None => usize::MAX,
        });
        Err(LoadError::Faulty { file, faults })
    }

    /// Replaces the configuration; the places of its values stay.
    pub(crate) fn with(&self, config: HaftConfig) -> Self {
        let Self { config: _, file, older, ignored, overlays, source } = self;
        let (file, older, ignored) = (file.clone(), older.clone(), ignored.clone());
        Self { config, file, older, ignored, overlays: overlays.clone(), source: source.clone() }
    }

    /// Overlays that tightened it, in the order of their names.
    pub fn overlays(&self) -> impl Iterator<Item = &Path> {
        self.overlays.files()
    }

    /// Folder of the overlays, which may not exist; `None` if the configuration was not read from a
    /// file.
    pub(crate) fn overlay_folder(&self) -> Option<&Path> {
        self.overlays.folder()
    }

    /// The text as it was read.
    #[cfg(feature = "watch")]
    pub(crate) fn text(&self) -> &str {
        self.source.text()
    }

    /// Reports a fault found later, when a section was compiled, with the place where its key was
    /// set.
    pub fn fault(&self, path: &str, problem: impl Into<String>) -> LoadError {
        let place = self.source.place(path).cloned();
        let fault = ConfigError { path: path.to_owned(), place, problem: problem.into(), hint: None };
        LoadError::Faulty { file: self.file.clone(), faults: vec![fault] }
    }

    /// Reports the fault for which a section was refused.
    pub(crate) fn fault_in(&self, section: &str, fault: KeyFault) -> LoadError {
        let fault = fault.below(section);
        self.fault(&fault.key, fault.problem)
    }

    /// Place where a key, or something below it, was set; `None` for a default.
    pub(crate) fn place(&self, path: &str) -> Option<Place> {
        let below = |key: &&String| key.strip_prefix(path).is_some_and(|rest| rest.starts_with(['.', '[']));
        let places = self.source.places();
        let first = || places.keys().find(below).and_then(|key| places.get(key));
        places.get(path).or_else(first).cloned()
    }

    /// Every effective value by path, with the place where it was set; `None` for a default.
    pub fn effective(&self) -> Vec<(String, Value, Option<Place>)> {
        let mut rows = Vec::new();
        let value = serde_json::to_value(&self.config).unwrap_or_default();
        flatten(&mut rows, "", &value);
        let origin = |path: &str| self.source.places().get(path).cloned();
        rows.into_iter().map(|(path, value)| (path.clone(), value, origin(&path))).collect()
    }
}

/// Converts values to a configuration, or returns path and problem of the first fault.
pub(super) fn of_values(value: &Value) -> Result<HaftConfig, (String, String)> {
    serde_path_to_error::deserialize(value).map_err(|error| (error.path().to_string(), error.inner().to_string()))
}

/// Parses a text of any format into values and their places in it.
fn parse(text: &str, migrated: Option<Migration>) -> Result<(Source, Vec<String>), ConfigError> {
    let source = Source::parse(text)?;
    let Some(migrated) = migrated else { return Ok((source, vec![])) };
    let value = Source::parse(&migrated.text)?.value;
    let older = migrated.changes.into_iter().chain(migrated.warnings).collect();
    Ok((source.migrated(value, migrated.moved), older))
}

fn flatten(rows: &mut Vec<(String, Value)>, path: &str, value: &Value) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (name, value) in map {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(rows, &path, value);
            }
        }
        other => rows.push((path.to_owned(), other.clone())),
    }
}

pub(super) fn describe(problem: &SchemaProblem, source: &Source) -> ConfigError {
    let (text, hint) = match &problem.fault {
        SchemaFault::Missing { expected } => (format!("missing key ({expected})"), None),
        SchemaFault::Unknown { near, known } if near.is_empty() => {
            ("unknown key".to_owned(), Some(format!("known keys here are {}", quoted(known))))
        }
        SchemaFault::Unknown { near, .. } => ("unknown key".to_owned(), did_you_mean(near)),
        SchemaFault::WrongType { expected, found } => (format!("expected {expected}, found {found}"), None),
        SchemaFault::NotListed { allowed } => (format!("expected one of {}", quoted(allowed)), None),
    };
    ConfigError { path: problem.path.clone(), place: source.place(&problem.path).cloned(), problem: text, hint }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` are the question time-out and the tools that are always loaded, or the fault.
    fn check(text: &str, variables: &[(&str, &str)], expected: &str) {
        let lookup = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        let shown = match LoadedConfig::parse(text, &lookup) {
            Ok(LoadedConfig { config: HaftConfig { mcp, .. }, .. }) => {
                format!("{} {:?}", mcp.question_timeout, mcp.always_load)
            }
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn every_fault_has_its_key_line_and_remedy() {
        check(
            "[mcp]\nquestion_timeot = 3\nalways_load = \"a\"\n",
            &[],
            "2 faults\n  line 2: `mcp.question_timeot`: unknown key; did you mean `question_timeout`?\n  line 3: `mcp.always_load`: expected an array, found a string",
        );
        check(
            "[mcp]\nquestion_timeout = -3\n",
            &[],
            "1 fault\n  line 2: `mcp.question_timeout`: invalid value: integer `-3`, expected u64",
        );
        check("[tool]\n", &[], "1 fault\n  line 1: `tool`: unknown key; did you mean `tools`?");
    }

    #[test]
    fn a_fault_of_a_default_has_no_line_of_another_section() {
        let text = "\n[tools]\nenabled = true\n[tools.audit]\nenabled = true\n";
        let check = |text: &str, key: &str, expected: &str| {
            let loaded = LoadedConfig::parse(text, &|_| None).unwrap();
            assert_eq!(loaded.fault(key, "no").to_string(), format!("1 fault\n  {expected}"));
        };
        check(text, "tools.audit.path", "line 4: `tools.audit.path`: no");
        check(text, "tools.shell.timeout", "`tools.shell.timeout`: no");
        check(text, "tools.read_only", "line 2: `tools.read_only`: no");
        check("[tools.file]\nread_lines = 3\n", "tools.audit.path", "`tools.audit.path`: no");
    }

    #[test]
    fn the_environment_overrides_the_file() {
        check("[mcp]\nquestion_timeout = 3\nalways_load = []\n", &[("HAFT_MCP_QUESTION_TIMEOUT", "9")], "9 []");
        check("[mcp]\nquestion_timeout = 3\n", &[("HAFT_MCP_ALWAYS_LOAD", "[\"x\"]")], "3 [\"x\"]");
        check(
            "",
            &[("HAFT_MCP_QUESTION_TIMEOUT", "soon")],
            "1 fault\n  environment variable HAFT_MCP_QUESTION_TIMEOUT: `mcp.question_timeout`: expected an integer, found a string",
        );
    }

    #[test]
    fn effective_values_name_their_origin() {
        let rows = LoadedConfig::parse("[mcp]\nquestion_timeout = 3\n", &|_| None).unwrap().effective();
        let check = |path: &str, value: Value, place: Option<Place>| {
            assert!(rows.contains(&(path.to_owned(), value, place)), "{path}");
        };
        check("tools.read_only", serde_json::json!(false), None);
        check("mcp.question_timeout", serde_json::json!(3), Some(Place::Line(2)));
    }
}
