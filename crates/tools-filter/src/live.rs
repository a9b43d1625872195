//! Filters of a program that runs for long: their rules follow the configuration.

use std::path::PathBuf;

use tools_core::Shared;

use crate::{FilterConfig, FilterLayer, FilterPipeline, Filters};

/// Rules that follow their section, and the layer over them.
#[derive(Debug)]
pub struct LiveFilters {
    /// The rules in force.
    pub pipeline: Shared<FilterPipeline>,
    /// The file of the user's rules, where there was one at the start.
    pub file: Option<PathBuf>,
    /// Problems of the rules in force, one sentence each.
    pub warnings: Shared<Vec<String>>,
    beside: Option<PathBuf>,
    home: fn() -> Option<PathBuf>,
}

impl LiveFilters {
    /// The rules of a section, which stands in the file `beside`; `home` tells the folder for `~`.
    pub fn new(config: &FilterConfig, beside: Option<PathBuf>, home: fn() -> Option<PathBuf>) -> Self {
        let Filters { pipeline, file, warnings } = Filters::compile(config, beside.as_deref(), home().as_deref());
        Self { pipeline: Shared::new(pipeline), file, warnings: Shared::new(warnings), beside, home }
    }

    /// The layer that filters.
    pub fn layer(&self) -> FilterLayer {
        FilterLayer::new(self.pipeline.clone()).warning(self.warnings.load().as_ref().clone())
    }

    /// Puts another section in force. Rules that are wrong are skipped: nothing of them keeps the
    /// rest of a configuration from counting.
    pub fn follow(&self, config: &FilterConfig) {
        let compiled = Filters::compile(config, self.beside.as_deref(), (self.home)().as_deref());
        // A file that was not there at the start is not held against tools: one of them may have
        // written it.
        let is_new = compiled.file.is_some() && self.file.is_none();
        let (pipeline, warnings) = if is_new {
            let (pipeline, _) = FilterPipeline::compile(config, None);
            let warning = "`filters.toml` was not there at the start, and counts from the next one";
            (pipeline, vec![warning.to_owned()])
        } else {
            (compiled.pipeline, compiled.warnings)
        };
        self.pipeline.store(pipeline);
        self.warnings.store(warnings);
    }
}
