//! Configuration of `search_code`, and its compiled form.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use globset::{Glob, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::KeyFault;

use crate::{ChunkIndex, MemoryChunks, languages::named};

/// The section `[index]`: the tool `search_code`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IndexConfig {
    /// Whether the tool `search_code` exists.
    #[schemars(extend("x-applies" = "next_start", "x-overlay" = false))]
    pub enabled: bool,
    /// Ranking of passages by `search_code`, for queries in words. `words`: by BM25 over the words
    /// of each symbol; a model in `embedding.model` ranks the best again. `memory` and `qdrant`
    /// also use vectors of all passages, kept in this process or at a server (`index.qdrant`; needs
    /// a build with that adapter). Without a model, adapter or reachable server, passages are found
    /// by words, and the answer says so.
    #[schemars(extend("x-applies" = "next_start"))]
    pub vector_backend: VectorBackend,
    /// Maximum number of passages that one `search_code` call turns into vectors. Files of the
    /// others are found by words until later calls process them.
    pub vectors_per_call: usize,
    /// The Qdrant server of `vector_backend = "qdrant"`.
    #[schemars(extend("x-applies" = "next_start"))]
    pub qdrant: QdrantConfig,
    /// Maximum size in bytes of a file that `search_code` searches.
    pub max_file_bytes: u64,
    /// Globs of files that `search_code` skips, relative to the workspace, in addition to
    /// `.gitignore`.
    pub exclude: Vec<String>,
    /// Whether `search_code` learns of changed files from the system (inotify) between calls of one
    /// process. If false, and where the system does not report every change (network file systems,
    /// more folders than a quarter of `fs.inotify.max_user_watches`), each call checks the times of
    /// every file, as `grep` does.
    pub watch: bool,
    /// Approximate maximum memory of one index, in bytes. `search_code` does not find files beyond
    /// it and says so; `grep` does.
    pub memory_bytes: u64,
    /// Language servers by language (`rust`, `python`, …). They run in the sandbox, like commands.
    /// Empty: none is started.
    #[schemars(extend("x-applies" = "next_start"))]
    pub lsp: BTreeMap<String, ServerConfig>,
}

/// Ranking of passages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VectorBackend {
    /// Words, in memory.
    #[default]
    Words,
    /// Words, and vectors in memory.
    Memory,
    /// Words, and vectors at a Qdrant server.
    Qdrant,
}

/// A Qdrant server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QdrantConfig {
    /// Base URL of the Qdrant server, version 1.10 or later.
    pub url: String,
    /// Prefix of the names of the Qdrant collections; each model has its own collection. Machines
    /// on which the same path is a different workspace need different prefixes.
    pub collection: String,
    /// The environment variable with the API key of the Qdrant server. If it is not set, no key is
    /// sent.
    pub key_env: String,
    /// Time limit of one request to the Qdrant server, in seconds.
    pub timeout_secs: u64,
    /// Whether a Qdrant server on another machine may be reached by `http`. The key and the vectors
    /// are then readable on the network.
    pub allow_http: bool,
}

impl Default for QdrantConfig {
    fn default() -> Self {
        Self {
            url: "http://127.0.0.1:6333".to_owned(),
            collection: "haft_code".to_owned(),
            key_env: "QDRANT_API_KEY".to_owned(),
            timeout_secs: 5,
            allow_http: false,
        }
    }
}

impl QdrantConfig {
    /// The first key that cannot be used, and why.
    fn fault(&self) -> Option<(&'static str, String)> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if self.collection.is_empty() || self.collection.len() > 200 || !self.collection.chars().all(is_name) {
            let problem = "`collection` is 1 to 200 letters, digits, `_` and `-`";
            return Some(("qdrant.collection", problem.to_owned()));
        }
        if !(1..=300).contains(&self.timeout_secs) {
            return Some(("qdrant.timeout_secs", "`timeout_secs` is between 1 and 300".to_owned()));
        }
        #[cfg(feature = "qdrant")]
        if let Err(problem) = tools_tls::Endpoint::parse(&self.url, self.allow_http) {
            return Some(("qdrant.url", problem));
        }
        None
    }
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
            vectors_per_call: 2_000,
            qdrant: QdrantConfig::default(),
            max_file_bytes: 1024 * 1024,
            exclude: Vec::new(),
            watch: true,
            memory_bytes: 256 * 1024 * 1024,
            lsp: BTreeMap::new(),
        }
    }
}

/// Upper limit for `max_file_bytes`.
const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The compiled section `[index]`.
#[derive(Debug, Clone)]
pub struct IndexPolicy {
    pub(crate) backend: VectorBackend,
    pub(crate) vectors_per_call: usize,
    pub(crate) max_file_bytes: u64,
    pub(crate) exclude: GlobSet,
    pub(crate) searched: SearchedFiles,
    pub(crate) watch: bool,
    pub(crate) memory_bytes: usize,
    /// Language servers by the name of the language.
    pub(crate) servers: BTreeMap<&'static str, ServerConfig>,
}

/// The settings that decide which files are searched. When they change, earlier results are
/// discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SearchedFiles {
    exclude: Vec<String>,
    max_file_bytes: u64,
    memory_bytes: u64,
}

impl IndexConfig {
    /// The vector store; `None` when the backend is `words`, or this build has no adapter for it.
    ///
    /// # Errors
    /// The configuration of the store is not usable.
    pub fn store(&self) -> Result<Option<Arc<dyn ChunkIndex>>, KeyFault> {
        match self.vector_backend {
            VectorBackend::Words => Ok(None),
            VectorBackend::Memory => {
                Ok(Some(Arc::new(MemoryChunks::up_to(usize::try_from(self.memory_bytes).unwrap_or(usize::MAX)))))
            }
            #[cfg(feature = "qdrant")]
            VectorBackend::Qdrant => {
                let key = std::env::var(&self.qdrant.key_env).ok();
                let store = crate::QdrantChunks::new(&self.qdrant, key.as_deref());
                Ok(Some(Arc::new(store.map_err(|problem| KeyFault::new("qdrant", problem))?)))
            }
            #[cfg(not(feature = "qdrant"))]
            VectorBackend::Qdrant => Ok(None),
        }
    }

    /// Compiles globs and checks limits.
    ///
    /// # Errors
    /// The first key whose value cannot be used.
    pub fn compile(&self) -> Result<IndexPolicy, KeyFault> {
        let fault = |key: &str, problem: String| KeyFault::new(key, problem);
        if !(1..=MAX_FILE_BYTES).contains(&self.max_file_bytes) {
            return Err(fault("max_file_bytes", format!("`max_file_bytes` is between 1 and {MAX_FILE_BYTES}")));
        }
        if self.vectors_per_call == 0 {
            return Err(fault("vectors_per_call", "`vectors_per_call` is at least 1".to_owned()));
        }
        if let Some((key, problem)) = self.qdrant.fault() {
            return Err(fault(key, problem));
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
                return Err(fault(&format!("lsp.{language}"), format!("`{language}` is not a known language")));
            };
            if server.timeout == 0 {
                return Err(fault(&format!("lsp.{language}.timeout"), "`timeout` is at least 1 second".to_owned()));
            }
            servers.extend(names.into_iter().map(|name| (name, server.clone())));
        }
        Ok(IndexPolicy {
            backend: self.vector_backend,
            vectors_per_call: self.vectors_per_call,
            max_file_bytes: self.max_file_bytes,
            exclude: exclude.build().map_err(|error| fault("exclude", error.to_string()))?,
            searched: SearchedFiles {
                exclude: self.exclude.clone(),
                max_file_bytes: self.max_file_bytes,
                memory_bytes: self.memory_bytes,
            },
            watch: self.watch,
            memory_bytes: usize::try_from(self.memory_bytes).unwrap_or(usize::MAX),
            servers,
        })
    }
}
