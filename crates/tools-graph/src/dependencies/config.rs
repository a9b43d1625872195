//! The section `[tools.dependencies]`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shows tools only after others that they need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DependenciesConfig {
    /// Whether `tools.dependencies.rules` apply: tools are shown only after those that they need.
    pub enabled: bool,
    /// Addition to the score of a tool for each of its preferred tools that has succeeded.
    pub boost_per_dep: f32,
    /// Maximum addition to the score of a tool for all its preferred tools together.
    pub max_total_boost: f32,
    /// For each tool: the tools that must have succeeded before it, and those whose success raises
    /// its score.
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
