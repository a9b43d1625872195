//! Credentials: out of what is put on record, and out of reach of commands. What a tool may not read, no command may
//! read either.

use std::path::{Path, PathBuf};

use tools_core::Shared;
use tools_file::FileConfig;
use tools_policy::gate::Closed;
use tools_sandbox::{ReadRules, SECRET_PRESET, homes, kernel::Hidden};
use tools_secrets::{KnownValues, PatternError, SecretRedactor, SecurityConfig, is_credential};

use crate::builder::home;

/// Takes credentials out of text: the values of this process's own environment first, then whatever has the shape of
/// one, and what the operator's patterns match.
///
/// # Errors
/// The first of the operator's patterns that cannot be used.
pub fn redactor(config: &SecurityConfig) -> Result<SecretRedactor, PatternError> {
    Ok(SecretRedactor::default().knowing_later(environment).with_extra(config.compile()?))
}

/// The key of a pattern that cannot be used.
pub(crate) fn pattern_key(error: &PatternError) -> String {
    format!("tools.filters.security.extra_patterns[{}]", error.index)
}

/// The credentials in this process's own environment.
fn environment() -> KnownValues {
    let variables =
        std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let secret = variables.filter(|(name, value)| is_credential(name, value) && !is_word(name, value));
    KnownValues::new(secret.map(|(_, value)| value))
}

/// `AUTH=disabled`: a word that stands in many texts. Only a password may be one.
fn is_word(name: &str, value: &str) -> bool {
    let is_plain = value.len() <= 16 && value.bytes().all(|byte| byte.is_ascii_lowercase());
    is_plain && !name.to_ascii_lowercase().contains("pass")
}

/// What commands cannot read under `config`, whose compiled rules are `rules`: with `private`, which is our own.
pub(crate) fn hidden(
    config: &FileConfig,
    rules: &ReadRules,
    private: Vec<PathBuf>,
    closed: Shared<Vec<Closed>>,
) -> Hidden {
    let homes = homes();
    // Where the environment and the user database name two homes, both hold credentials.
    let configured = config.deny_read.iter().flatten().map(String::as_str);
    // What the configuration opened is open to commands too.
    let is_closed = |place: &PathBuf| rules.denies(place) || rules.denies(&place.join("any"));
    let first = homes.first().map(PathBuf::as_path);
    let closed_patterns = configured
        .chain(SECRET_PRESET.iter().copied())
        .filter(|pattern| place(pattern, first).is_some_and(|place| is_closed(&place)));
    let places: Vec<PathBuf> = closed_patterns
        .flat_map(|pattern| {
            let others = homes.iter().skip(1).map(|home| Some(home.as_path()));
            std::iter::once(first).chain(others).filter_map(|home| place(pattern, home)).collect::<Vec<_>>()
        })
        .collect();
    let of_gates = closed.load().iter().flat_map(|closed| closed.places.clone()).collect::<Vec<_>>();
    let places: Vec<PathBuf> = places.into_iter().chain(private).chain(of_gates).collect();
    let of_gates = move |path: &Path| closed.load().iter().any(|closed| (closed.denies)(path));
    Hidden::new(of_gates, places).with_rules(rules.clone())
}

/// What of the read rules commands do not meet.
pub(crate) fn lint(config: &FileConfig) -> Vec<String> {
    let home = home();
    let outside =
        |pattern: &&String| (pattern.starts_with('/') || pattern.starts_with('~')) && !pattern.starts_with('!');
    let named = config.deny_read.iter().flatten().filter(outside);
    let unplaced = named.filter(|pattern| place(pattern, home.as_deref()).is_none());
    let mut found: Vec<String> = unplaced
        .map(|pattern| {
            format!(
                "`tools.file.deny_read`: outside the workspace `{pattern}` holds for commands only where they name such a file; name the folder itself to close it"
            )
        })
        .collect();
    if !config.allow_read.is_empty() {
        found.push(
            "`tools.file.allow_read`: outside the workspace commands read what they could read before; close folders there with `tools.file.deny_read`"
                .to_owned(),
        );
    }
    found
}

/// The one place that a pattern names, wherever the workspace is; `None` when it has to be looked for.
fn place(pattern: &str, home: Option<&Path>) -> Option<PathBuf> {
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
    if pattern.contains(['*', '?', '[', '{', '!']) {
        return None;
    }
    match pattern.strip_prefix("~/") {
        Some(rest) => home.map(|home| home.join(rest)),
        None => pattern.starts_with('/').then(|| PathBuf::from(pattern)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_no_known_value() {
        for (name, value, expected) in [
            ("AUTH", "disabled", true),
            ("DB_PASSWORD", "disabled", false),
            ("TOKEN", "a1b2c3d4e5", false),
            ("KEY", "Production", false),
        ] {
            assert_eq!(is_word(name, value), expected, "{name}={value}");
        }
    }

    #[test]
    fn only_patterns_of_one_place_name_it() {
        let check = |pattern: &str, expected: Option<&str>| {
            assert_eq!(place(pattern, Some(Path::new("/home/me"))), expected.map(PathBuf::from), "{pattern}");
        };
        check("~/.ssh", Some("/home/me/.ssh"));
        check("~/.aws/**", Some("/home/me/.aws"));
        check("/etc/shadow", Some("/etc/shadow"));
        check("**/.env", None);
        check("/proc/*/environ", None);
        check("!/etc/x", None);
        check("relative", None);
    }
}
