//! What a builder was given, beside layers: what the parts of a toolbox are made of.

use std::path::PathBuf;

use tools_core::{DynExecutor, ServerName};

use crate::config::{HaftConfig, LoadedConfig};

/// A configuration, and what a host adds to it.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) loaded: LoadedConfig<HaftConfig>,
    pub(crate) spelled: Option<PathBuf>,
    pub(crate) beside: Option<PathBuf>,
    pub(crate) was_discovered: bool,
    pub(crate) server: Option<ServerName>,
    #[cfg(feature = "policy")]
    pub(crate) guest: Option<tools_core::CallerId>,
    pub(crate) executors: Vec<DynExecutor>,
    #[cfg(feature = "policy")]
    pub(crate) judge: Option<std::sync::Arc<dyn tools_core::Judge>>,
    #[cfg(any(feature = "memory", feature = "graph", feature = "code"))]
    pub(crate) embedder: Option<std::sync::Arc<dyn tools_core::Embedder>>,
    #[cfg(feature = "llm")]
    pub(crate) providers: Vec<std::sync::Arc<dyn tools_providers::Provider>>,
}
