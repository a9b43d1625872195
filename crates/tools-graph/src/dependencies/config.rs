//! The section `[tools.dependencies]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shows tools only after others that they need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DependenciesConfig {
    /// Whether the rules are in force.
    pub enabled: bool,
    /// Addition to a score for each preferred tool that has succeeded.
    pub boost_per_dep: f32,
    /// The most that preferred tools add to a score together.
    pub max_total_boost: f32,
    /// Requirements and preferences of each tool.
    pub rules: BTreeMap<String, DependencyRule>,
}

impl Default for DependenciesConfig {
    fn default() -> Self {
        Self { enabled: false, boost_per_dep: 0.15, max_total_boost: 0.20, rules: BTreeMap::new() }
    }
}

/// Requirements and preferences of one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DependencyRule {
    /// Tools that must all have succeeded in this session before the tool is shown.
    pub requires: Vec<String>,
    /// Tools whose success in this session makes the tool rank higher.
    pub prefers: Vec<String>,
}
