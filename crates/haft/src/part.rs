//! Parts of a toolbox: each compiles one section of the configuration, adds layers, follows
//! configuration changes, and forgets ended sessions.

use std::{path::Path, sync::Arc};

use tools_core::{Layer, Redactor, SessionEnds};
use tools_sandbox::ReadRules;
use tools_secrets::LiveSecrets;

use crate::config::{Followers, HaftConfig, LoadedConfig};

/// What the parts of a toolbox contribute besides their main work.
#[derive(Debug, Default)]
pub(crate) struct PartList {
    /// Layers of the parts. `stack.rs` determines their order.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    /// Parts that follow configuration changes.
    pub(crate) live: Followers,
    /// Parts that keep state for each session.
    pub(crate) ends: SessionEnds,
}

/// Builds the parts that all tools share, with one method per part, in the file of its topic. A
/// section that cannot be compiled is an error by key and line.
pub(crate) struct PartMaker<'a> {
    pub(crate) loaded: &'a LoadedConfig,
    /// Its values, shared with parts that hold the whole configuration.
    pub(crate) config: &'a Arc<HaftConfig>,
    /// Folder that calls come from.
    pub(crate) workdir: &'a Path,
    /// Read rules of the configuration.
    pub(crate) rules: &'a ReadRules,
    /// Configuration file, or the path it would have.
    pub(crate) beside: Option<&'a Path>,
    pub(crate) credentials: Arc<LiveSecrets>,
    pub(crate) list: PartList,
}

impl PartMaker<'_> {
    /// Redactor of credentials for what parts show and store.
    pub(crate) fn redactor(&self) -> Arc<dyn Redactor> {
        Arc::new(self.credentials.redactor().clone())
    }
}
