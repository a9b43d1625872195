//! The parts of a toolbox: each knows one section of the configuration, brings layers, follows
//! other configurations, and forgets sessions that have ended.

use std::{path::Path, sync::Arc};

use tools_core::{Layer, Redactor, SessionEnds};
use tools_sandbox::ReadRules;
use tools_secrets::LiveSecrets;

use crate::config::{Followers, HaftConfig, LoadedConfig};

/// What the parts of a toolbox do beside their main work.
#[derive(Debug, Default)]
pub(crate) struct PartList {
    /// The layers that they bring. Their places are the business of `stack.rs`.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    /// Those that follow other configurations.
    pub(crate) live: Followers,
    /// Those that keep something for each session.
    pub(crate) ends: SessionEnds,
}

/// Makes the parts that all tools share, with one method for each, in the file of its topic. What
/// cannot be compiled is an error by key and line.
pub(crate) struct PartMaker<'a> {
    pub(crate) loaded: &'a LoadedConfig,
    /// Its values, shared with the parts that keep the whole configuration.
    pub(crate) config: &'a Arc<HaftConfig>,
    /// The folder that calls come from.
    pub(crate) workdir: &'a Path,
    /// The read rules of the configuration.
    pub(crate) rules: &'a ReadRules,
    /// The file in which the configuration stands, or would stand.
    pub(crate) beside: Option<&'a Path>,
    pub(crate) credentials: Arc<LiveSecrets>,
    pub(crate) list: PartList,
}

impl PartMaker<'_> {
    /// Takes credentials out of what parts show and store.
    pub(crate) fn redactor(&self) -> Arc<dyn Redactor> {
        Arc::new(self.credentials.redactor().clone())
    }
}
