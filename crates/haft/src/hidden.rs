//! What commands cannot read: what a tool may not read, no command may read either.

use std::path::{Path, PathBuf};

use tools_sandbox::{ReadRules, SECRET_PRESET, expand_home, homes, kernel::MaskRules};

#[cfg(feature = "policy")]
use std::sync::Arc;

#[cfg(feature = "policy")]
use tools_core::Shared;

use crate::config::HaftConfig;
#[cfg(feature = "policy")]
use crate::gates::Gates;

/// What gates refuse commands of one folder to read; nothing in a build without gates. Clones share
/// it.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "policy"), derive(Default))]
pub(crate) struct ClosedPaths {
    #[cfg(feature = "policy")]
    gates: Arc<Gates>,
    #[cfg(feature = "policy")]
    workdir: PathBuf,
    #[cfg(feature = "policy")]
    now: Shared<Vec<tools_policy::gate::ReadRestriction>>,
}

#[cfg(feature = "policy")]
impl ClosedPaths {
    pub(crate) fn new(gates: Arc<Gates>, workdir: &Path) -> Self {
        let now = Shared::new(gates.closes("bash", workdir));
        Self { gates, workdir: workdir.to_owned(), now }
    }

    /// Asks the gates again: their rules are others now.
    pub(crate) fn renew(&self) {
        self.now.store(self.gates.closes("bash", &self.workdir));
    }

    fn places(&self) -> Vec<PathBuf> {
        self.now.load().iter().flat_map(|closed| closed.places.clone()).collect()
    }

    fn denies(&self, path: &Path) -> bool {
        self.now.load().iter().any(|closed| (closed.denies)(path))
    }
}

#[cfg(not(feature = "policy"))]
#[expect(clippy::unused_self, reason = "the same questions as with gates")]
impl ClosedPaths {
    pub(crate) fn renew(&self) {}

    fn places(&self) -> Vec<PathBuf> {
        vec![]
    }

    fn denies(&self, _: &Path) -> bool {
        false
    }
}

/// What commands cannot read under `config`, whose compiled rules are `rules`: with `private`,
/// which is our own.
pub(crate) fn hidden(config: &HaftConfig, rules: &ReadRules, private: Vec<PathBuf>, closed: ClosedPaths) -> MaskRules {
    let homes = homes();
    // Where the environment and the user database name two homes, both hold credentials.
    let typed = deny_read(config);
    let configured = typed.into_iter().flatten().map(String::as_str);
    // What the configuration opened is open to commands too.
    let is_closed = |place: &PathBuf| typed.is_none() || rules.denies(place) || rules.denies(&place.join("any"));
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
    let places: Vec<PathBuf> = places.into_iter().chain(private).chain(closed.places()).collect();
    MaskRules::new(move |path: &Path| closed.denies(path), places).with_rules(rules.clone())
}

/// What of the read rules commands do not meet.
#[cfg(feature = "file")]
pub(crate) fn lint(config: &tools_file::FileConfig) -> Vec<String> {
    let home = tools_sandbox::home();
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

/// The patterns that an operator typed; `None` where the preset holds as it is.
fn deny_read(config: &HaftConfig) -> Option<&[String]> {
    #[cfg(feature = "file")]
    return config.tools.file.deny_read.as_deref();
    #[cfg(not(feature = "file"))]
    {
        let _ = config;
        None
    }
}

/// The one place that a pattern names, wherever the workspace is; `None` when it has to be looked
/// for.
fn place(pattern: &str, home: Option<&Path>) -> Option<PathBuf> {
    let pattern = pattern.strip_suffix("/**").unwrap_or(pattern);
    // The whole home is looked through: a workspace may lie in it.
    if pattern.contains(['*', '?', '[', '{', '!']) || pattern == "~" {
        return None;
    }
    expand_home(pattern, home).filter(|place| place.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        check("~/**", None);
    }
}
