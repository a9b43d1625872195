//! The model of meaning of a configuration.

use std::{path::PathBuf, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::Embedder;
use tools_embed::FolderModel;

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// The section `[embedding]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// The folder of a model that turns texts into vectors: `model.safetensors` (static) or
    /// `model.onnx` (transformer), each with its `tokenizer.json`. Tools, memories and code are
    /// then found by what they mean as well as by their words. Unset, by their words alone.
    pub model: Option<PathBuf>,
}

/// The model of a configuration; `None` where it names none.
///
/// # Errors
/// A folder that holds no model, or one of a kind that this build does not have.
pub(crate) fn model(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Arc<dyn Embedder>>, LoadError> {
    let Some(folder) = &loaded.config.embedding.model else { return Ok(None) };
    let model = FolderModel::at(folder).map_err(|error| loaded.fault("embedding.model", error.to_string()))?;
    Ok(Some(Arc::new(model)))
}
