//! Failures that are repeated, in a toolbox.

use std::sync::Arc;

use tools_core::{Layer, Shared, ToolDef};
use tools_retry::{RetryConfig, RetryLayer, RetryPolicy};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::{Part, Swap},
};

/// The policy of the layer that repeats.
#[derive(Debug)]
pub(crate) struct Retry(Shared<RetryPolicy>);

impl Retry {
    pub(crate) fn new(loaded: &LoadedConfig<HaftConfig>) -> Result<Self, LoadError> {
        compile(loaded).map(|policy| Self(Shared::new(policy)))
    }

    pub(crate) fn layer(&self) -> Arc<dyn Layer> {
        Arc::new(RetryLayer::new(self.0.clone()))
    }
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<RetryPolicy, LoadError> {
    let compiled = loaded.config.tools.retry.compile();
    compiled.map_err(|error| loaded.fault(&format!("tools.retry.{}", error.key), error.problem))
}

impl Part for Retry {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        let policy = compile(loaded)?;
        Ok(Box::new(move || self.0.store(policy)))
    }

    fn lint(&self, config: &HaftConfig, tools: &[Arc<ToolDef>]) -> Vec<String> {
        let config = &config.tools.retry;
        let mut found = Vec::new();
        if cfg!(not(feature = "llm")) && !config.parameter_reformat_provider.is_empty() {
            found.push(
                "`tools.retry.parameter_reformat_provider`: no model is configured, so parameters are not reformatted"
                    .to_owned(),
            );
        }
        if (RetryConfig { parameter_reformat_provider: String::new(), ..config.clone() }) != RetryConfig::default()
            && !tools.iter().any(|tool| tool.trusted_traits().retryable)
        {
            found.push("`tools.retry`: no tool here may be repeated, so that nothing is retried".to_owned());
        }
        found
    }
}
