//! The parts of a toolbox: each knows one section of the configuration.

use std::{path::Path, sync::Arc};

use tools_core::{KeyFault, PartConfig, Redactor};
use tools_sandbox::ReadRules;
use tools_secrets::LiveSecrets;

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// What the parts of a toolbox do beside their main work. The places of their layers are the
/// business of `stack.rs`.
pub(crate) type PartList = tools_core::PartList<LoadedConfig<HaftConfig>>;

impl PartConfig for LoadedConfig<HaftConfig> {
    type Error = LoadError;

    fn refused(&self, section: &str, fault: KeyFault) -> LoadError {
        self.fault_in(section, fault)
    }
}

/// Makes the parts that all tools share, with one method for each, in the file of its topic. What
/// cannot be compiled is an error by key and line.
pub(crate) struct PartMaker<'a> {
    pub(crate) loaded: &'a LoadedConfig<HaftConfig>,
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
