//! The rules that command output is filtered by, as a part of a toolbox, and the layer that
//! filters.

use std::{path::PathBuf, sync::Arc};

use tools_core::{Layer, Shared};
use tools_filter::{FilterLayer, FilterPipeline, Filters};
use tools_sandbox::home;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// The filters of a toolbox.
#[derive(Debug)]
pub(crate) struct FilterSet {
    pub(crate) pipeline: Shared<FilterPipeline>,
    /// The file of the user's rules, where there was one at the start.
    pub(crate) file: Option<PathBuf>,
    /// What is wrong with the rules now.
    pub(crate) warnings: Shared<Vec<String>>,
    /// Where the configuration stands, or would.
    beside: Option<PathBuf>,
}

impl FilterSet {
    pub(crate) fn new(config: &HaftConfig, beside: Option<PathBuf>) -> Self {
        let Filters { pipeline, file, warnings } =
            Filters::compile(&config.tools.filters, beside.as_deref(), home().as_deref());
        Self { pipeline: Shared::new(pipeline), file, warnings: Shared::new(warnings), beside }
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(FilterLayer::new(self.pipeline.clone()).warning(self.warnings.load().as_ref().clone()))
    }
}

impl Part for FilterSet {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let config = loaded.config.tools.filters.clone();
        // Rules that are wrong are skipped; nothing of them keeps the rest of a configuration from
        // counting.
        Ok(Box::new(move || {
            let compiled = Filters::compile(&config, self.beside.as_deref(), home().as_deref());
            // A file that was not there at the start is not held against tools: one of them may
            // have written it.
            let is_new = compiled.file.is_some() && self.file.is_none();
            let (pipeline, warnings) = if is_new {
                let (pipeline, _) = FilterPipeline::compile(&config, None);
                let warning = "`filters.toml` was not there at the start, and counts from the next one";
                (pipeline, vec![warning.to_owned()])
            } else {
                (compiled.pipeline, compiled.warnings)
            };
            self.pipeline.store(pipeline);
            self.warnings.store(warnings);
        }))
    }
}
