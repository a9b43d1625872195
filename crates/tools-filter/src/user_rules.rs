//! Combines the rules of a configuration with the user's file of rules, and collects their
//! problems.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use crate::{FilterConfig, FilterPipeline, MAX_RULES_BYTES};

/// The name of the rules file next to the configuration.
const FILE: &str = "filters.toml";

/// The filters of a configuration.
#[derive(Debug)]
pub struct Filters {
    /// The rules.
    pub pipeline: FilterPipeline,
    /// The file of the user's rules; `None` when there is none.
    pub file: Option<PathBuf>,
    /// Problems of that file, one sentence each. Wrong parts are skipped; the rest is in force.
    pub warnings: Vec<String>,
}

impl Filters {
    /// The path of the user's rules under `config`, whose own file is `beside`; it may not exist.
    /// `~` stands for `home`. `None` when no path can be derived.
    pub fn file(config: &FilterConfig, beside: Option<&Path>, home: Option<&Path>) -> Option<PathBuf> {
        place(config, beside, home).0
    }

    /// Compiles the rules of `config`, whose own file is `beside`.
    pub fn compile(config: &FilterConfig, beside: Option<&Path>, home: Option<&Path>) -> Self {
        let (file, is_named) = place(config, beside, home);
        let mut warnings = Vec::new();
        let text = file.as_deref().and_then(|file| match read(file) {
            Ok(text) => Some(text),
            // The default file may be missing; one that the configuration names should exist.
            Err(Unreadable::Missing) if !is_named => None,
            Err(unreadable) => {
                warnings.push(format!("`{}` {}; the built-in rules are used", file.display(), unreadable.problem()));
                None
            }
        });
        let (pipeline, errors) = FilterPipeline::compile(config, text.as_deref());
        let name = file.as_deref().map(|file| file.display().to_string()).unwrap_or_default();
        warnings.extend(errors.iter().map(|error| format!("`{name}`: {error}")));
        Self { pipeline, file: file.filter(|file| file.exists()), warnings }
    }
}

/// The path of the user's rules, and whether the configuration names it.
fn place(config: &FilterConfig, beside: Option<&Path>, home: Option<&Path>) -> (Option<PathBuf>, bool) {
    let folder = beside.and_then(Path::parent);
    if config.filters_path.is_empty() {
        return (folder.map(|folder| folder.join(FILE)), false);
    }
    let named = Path::new(&config.filters_path);
    let named = match (named.strip_prefix("~"), home) {
        (Ok(below), Some(home)) => home.join(below),
        _ => named.to_owned(),
    };
    let named = folder.unwrap_or(Path::new("")).join(named);
    let file = if named.is_dir() { named.join(FILE) } else { named };
    (Some(file), true)
}

enum Unreadable {
    Missing,
    NoFile,
    TooLong,
    NotText,
    Other(std::io::Error),
}

impl Unreadable {
    fn problem(&self) -> String {
        match self {
            Self::Missing => "does not exist".to_owned(),
            Self::NoFile => "is not a file".to_owned(),
            Self::TooLong => format!("has more than {MAX_RULES_BYTES} bytes"),
            Self::NotText => "is not UTF-8".to_owned(),
            Self::Other(error) => format!("cannot be read ({error})"),
        }
    }
}

fn read(file: &Path) -> Result<String, Unreadable> {
    let is_missing = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let other = |error: std::io::Error| if is_missing(&error) { Unreadable::Missing } else { Unreadable::Other(error) };
    // Checked before opening, since opening a pipe of that name would block.
    if !std::fs::metadata(file).map_err(other)?.is_file() {
        return Err(Unreadable::NoFile);
    }
    let mut bytes = Vec::new();
    let most = MAX_RULES_BYTES as u64 + 1;
    std::fs::File::open(file).map_err(other)?.take(most).read_to_end(&mut bytes).map_err(other)?;
    if bytes.len() > MAX_RULES_BYTES {
        return Err(Unreadable::TooLong);
    }
    String::from_utf8(bytes).map_err(|_| Unreadable::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str =
        "[[rules]]\nname = \"mine\"\nmatch = { prefix = \"mine\" }\nstrategy = { type = \"git_status\" }\n";

    /// Whether the rule is in force, and the warnings, for a folder with `files` and a configured
    /// path.
    fn check(files: &[(&str, &[u8])], filters_path: &str, in_force: bool, warning: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let config = FilterConfig { filters_path: filters_path.to_owned(), ..FilterConfig::default() };
        let filters = Filters::compile(&config, Some(&folder.path().join("config.toml")), Some(folder.path()));
        assert_eq!(filters.pipeline.rule_for("mine").is_some(), in_force, "{filters_path}: {:?}", filters.warnings);
        assert_eq!(filters.warnings.len(), usize::from(warning.is_some()), "{filters_path}: {:?}", filters.warnings);
        if let Some(warning) = warning {
            assert!(filters.warnings[0].contains(warning), "{:?}", filters.warnings);
        }
        assert!(filters.pipeline.rule_for("cargo test").is_some(), "the built-in rules are in force");
    }

    #[test]
    fn rules_are_found_where_the_configuration_says() {
        let rule = RULE.as_bytes();
        check(&[], "", false, None);
        check(&[("filters.toml", rule)], "", true, None);
        check(&[("other.toml", rule)], "other.toml", true, None);
        check(&[("sub/filters.toml", rule)], "sub", true, None);
        check(&[("other.toml", rule)], "~/other.toml", true, None);
        check(&[], "other.toml", false, Some("does not exist"));
        check(&[("sub/x", b"")], "sub", false, Some("filters.toml` does not exist"));
    }

    #[test]
    fn what_is_wrong_is_told_and_costs_only_itself() {
        let slip = [RULE.as_bytes(), b"[[rules]]\nname = \"b\"\n"].concat();
        check(&[("filters.toml", &slip)], "", true, Some("rule `b` is skipped"));
        let long = [RULE.as_bytes(), "#".repeat(MAX_RULES_BYTES).as_bytes()].concat();
        check(&[("filters.toml", &long)], "", false, Some("has more than 1048576 bytes; the built-in rules are used"));
        check(&[("filters.toml", b"\xff")], "", false, Some("is not UTF-8"));
        check(&[("sub/filters.toml/x", b"")], "sub/filters.toml", false, Some("does not exist"));
    }
}
