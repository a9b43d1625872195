//! The parts of a toolbox: each knows one section of the configuration.

use tools_core::{KeyFault, PartConfig};

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
