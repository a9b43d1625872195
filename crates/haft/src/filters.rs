//! The rules that command output is filtered by, as a part of a toolbox.

use std::sync::Arc;

use tools_filter::LiveFilters;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

impl Part for LiveFilters {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let config = loaded.config.tools.filters.clone();
        Ok(Box::new(move || self.follow(&config)))
    }
}
