//! The model of meaning of a configuration.

use std::sync::Arc;

use tools_core::Embedder;
use tools_embed::FolderModel;

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// The model of a configuration; `None` where it names none.
///
/// # Errors
/// A folder that holds no model, or one of a kind that this build does not have.
pub(crate) fn model(loaded: &LoadedConfig<HaftConfig>) -> Result<Option<Arc<dyn Embedder>>, LoadError> {
    let Some(folder) = &loaded.config.embedding.model else { return Ok(None) };
    let model = FolderModel::at(folder).map_err(|error| loaded.fault("embedding.model", error.to_string()))?;
    Ok(Some(Arc::new(model)))
}
