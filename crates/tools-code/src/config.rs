//! What an operator may set for `search_code`, and the compiled policy that runs.

use std::{collections::BTreeMap, path::PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::languages::named;

/// The section `[index]`: the tool `search_code`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Whether there is `search_code`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub enabled: bool,
    /// What ranks passages for queries in words: `words` (BM25 over the words of each symbol, built
    /// in), or `qdrant`, which needs a build with an adapter for it; a build without one searches
    /// by words and says so.
    pub vector_backend: VectorBackend,
    /// Size in bytes up to which a file is searched.
    pub max_file_bytes: u64,
    /// Globs on paths below the workspace of files that are not searched, beside those that
    /// `.gitignore` names.
    pub exclude: Vec<String>,
    /// Whether changes are learned from the system (inotify) between calls. Without it each call
    /// looks at every file's times, as `grep` does.
    pub watch: bool,
    /// About how many bytes of memory one index may take. Files beyond it are searched by `grep`
    /// only, which the answer says.
    pub memory_bytes: u64,
    /// Language servers by language (`rust`, `python`, …). They run confined like commands. None is
    /// started that does not stand here.
    #[schemars(extend("x-applies" = "next_start"))]
    pub lsp: BTreeMap<String, ServerConfig>,
}

/// What ranks passages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VectorBackend {
    /// Words, in memory.
    #[default]
    Words,
    /// A Qdrant server.
    Qdrant,
}

/// One language server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// The program, as found in `PATH`, or its absolute path.
    pub command: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Seconds that one call waits for it.
    #[serde(default = "ServerConfig::usual_timeout")]
    pub timeout: u64,
}

impl ServerConfig {
    fn usual_timeout() -> u64 {
        10
    }
}

impl Default for IndexConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            vector_backend: VectorBackend::Words,
            max_file_bytes: 1024 * 1024,
            exclude: Vec::new(),
            watch: false,
            memory_bytes: 256 * 1024 * 1024,
            lsp: BTreeMap::new(),
        }
    }
}

/// The most that `max_file_bytes` may be.
const LONGEST: u64 = 64 * 1024 * 1024;

/// A value that cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{problem}")]
pub struct IndexConfigError {
    /// The key below `index`.
    pub key: String,
    /// What is wrong with it.
    pub problem: String,
}

/// What runs.
#[derive(Debug, Clone)]
pub struct IndexPolicy {
    pub(crate) backend: VectorBackend,
    pub(crate) max_file_bytes: u64,
    pub(crate) exclude: GlobSet,
    pub(crate) watch: bool,
    pub(crate) memory_bytes: usize,
    /// By the name of the language.
    pub(crate) servers: BTreeMap<&'static str, ServerConfig>,
}

impl IndexConfig {
    /// Compiles globs and checks limits.
    ///
    /// # Errors
    /// The first key whose value cannot be used.
    pub fn compile(&self) -> Result<IndexPolicy, IndexConfigError> {
        let fault = |key: &str, problem: String| IndexConfigError { key: key.to_owned(), problem };
        if !(1..=LONGEST).contains(&self.max_file_bytes) {
            return Err(fault("max_file_bytes", format!("`max_file_bytes` is between 1 and {LONGEST}")));
        }
        let mut exclude = GlobSetBuilder::new();
        for glob in &self.exclude {
            exclude.add(
                Glob::new(glob)
                    .map_err(|error| fault("exclude", format!("invalid glob `{glob}`: {}", error.kind())))?,
            );
        }
        let mut servers = BTreeMap::new();
        for (language, server) in &self.lsp {
            let names = named(language).filter(|names| names.iter().all(|name| *name != "text"));
            let Some(names) = names else {
                return Err(fault(
                    &format!("lsp.{language}"),
                    format!("`{language}` is no language that is known here"),
                ));
            };
            if server.timeout == 0 {
                return Err(fault(&format!("lsp.{language}.timeout"), "`timeout` is at least 1 second".to_owned()));
            }
            servers.extend(names.into_iter().map(|name| (name, server.clone())));
        }
        Ok(IndexPolicy {
            backend: self.vector_backend,
            max_file_bytes: self.max_file_bytes,
            exclude: exclude.build().map_err(|error| fault("exclude", error.to_string()))?,
            watch: self.watch,
            memory_bytes: usize::try_from(self.memory_bytes).unwrap_or(usize::MAX),
            servers,
        })
    }
}
