//! A section of `[tools.profiles]`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A choice of tools under a name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProfileConfig {
    /// The tools, in the order in which a model sees them.
    pub tools: Vec<String>,
    /// The most characters of a description, cut at the end of a sentence; all of it when unset.
    pub description_length: Option<usize>,
}
