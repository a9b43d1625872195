//! The section `[embedding]`. It exists in every build, so that the reference is always the same.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The section `[embedding]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// The folder of a model that turns texts into vectors: `model.safetensors` (static) or
    /// `model.onnx` (transformer), each with its `tokenizer.json`. Tools, memories and code are
    /// then found by meaning as well as by words. Unset: by words alone. Needs a build with the
    /// feature `embed`.
    pub model: Option<PathBuf>,
}
