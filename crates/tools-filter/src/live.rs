//! Filters of a long-running program: their rules follow the configuration.

use std::path::PathBuf;

use tools_core::Shared;

use crate::{FilterConfig, FilterLayer, FilterPipeline, Filters};

/// The current rules of a configuration section, and the layer that uses them.
#[derive(Debug)]
pub struct LiveFilters {
    /// The current rules.
    pub pipeline: Shared<FilterPipeline>,
    /// The file of the user's rules, if it existed at the start.
    pub file: Option<PathBuf>,
    /// Problems of the current rules, one sentence each.
    pub warnings: Shared<Vec<String>>,
    beside: Option<PathBuf>,
    home: fn() -> Option<PathBuf>,
}

impl LiveFilters {
    /// The rules of a section in the configuration file `beside`; `home` returns the folder for
    /// `~`.
    pub fn new(config: &FilterConfig, beside: Option<PathBuf>, home: fn() -> Option<PathBuf>) -> Self {
        let Filters { pipeline, file, warnings } = Filters::compile(config, beside.as_deref(), home().as_deref());
        Self { pipeline: Shared::new(pipeline), file, warnings: Shared::new(warnings), beside, home }
    }

    /// The layer that filters.
    pub fn layer(&self) -> FilterLayer {
        FilterLayer::new(self.pipeline.clone()).warning(self.warnings.load().as_ref().clone())
    }

    /// Applies a changed section. Wrong rules are skipped, so they do not block the rest of the
    /// configuration.
    pub fn follow(&self, config: &FilterConfig) {
        let compiled = Filters::compile(config, self.beside.as_deref(), (self.home)().as_deref());
        // Tools are not blocked from writing a file that did not exist at the start, so one of them
        // may have written it. Its rules are ignored until the next start.
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
