//! The section `[agent.tool_filter]`, and the compiled policy.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{KeyFault, ToolName};

/// Maximum value of `top_k`.
const MAX_TOP_K: usize = 10_000;

/// Shows a model the tools that its task speaks of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ToolFilterConfig {
    /// Whether a model is shown only the tools that fit its task.
    pub enabled: bool,
    /// Maximum number of tools that the ranking adds, from 1 to 10,000.
    pub top_k: usize,
    /// Minimum score of a tool that the ranking adds, from 0 to 1.
    pub min_score: f32,
    /// Tools with fewer words in their description are always shown, since they cannot be ranked.
    pub min_description_words: usize,
    /// Tools that the filter always shows.
    pub always_on: Vec<String>,
    /// Whether tools are ranked by words if there is no model in `embedding.model`. With neither,
    /// every tool is shown.
    pub lexical: bool,
    /// Use of the tools selected for a turn: `append` adds them to those shown before, `replace`
    /// shows them instead of those selected before, `search` adds none: the model uses
    /// `tool_search`.
    pub mode: ToolFilterMode,
}

impl Default for ToolFilterConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            top_k: 10,
            min_score: 0.0,
            min_description_words: 3,
            always_on: ["memory_search", "memory_save", "load_skill", "scheduler"].map(str::to_owned).to_vec(),
            lexical: false,
            mode: ToolFilterMode::Append,
        }
    }
}

/// Use of the selection of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolFilterMode {
    /// They are added behind those shown before, so that the provider's cache of the prompt holds.
    #[default]
    Append,
    /// None are added: the model asks for definitions with `tool_search`.
    Search,
    /// They take the place of those chosen before. Each change of the list costs the provider's
    /// cache.
    Replace,
}

/// The compiled section.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolFilterPolicy {
    pub(crate) enabled: bool,
    pub(crate) top_k: usize,
    pub(crate) min_score: f32,
    pub(crate) min_description_words: usize,
    pub(crate) always_on: BTreeSet<ToolName>,
    pub(crate) mode: ToolFilterMode,
    pub(crate) lexical: bool,
}

impl ToolFilterConfig {
    /// Compiles the section.
    ///
    /// # Errors
    /// A score that is not a number from 0 to 1, a `top_k` of 0 or more than 10,000, or an invalid
    /// tool name.
    pub fn compile(&self) -> Result<ToolFilterPolicy, KeyFault> {
        let fault = |key: &str, problem: String| KeyFault::new(key, problem);
        if !(0.0..=1.0).contains(&self.min_score) {
            return Err(fault("min_score", format!("`{}` is not a number from 0 to 1", self.min_score)));
        }
        if !(1..=MAX_TOP_K).contains(&self.top_k) {
            return Err(fault("top_k", format!("`{}` is not a number from 1 to {MAX_TOP_K}", self.top_k)));
        }
        let names = self.always_on.iter().map(|name| ToolName::parse(name));
        let always_on = names.collect::<Result<_, _>>().map_err(|error| fault("always_on", error.to_string()))?;
        Ok(ToolFilterPolicy {
            enabled: self.enabled,
            top_k: self.top_k,
            min_score: self.min_score,
            min_description_words: self.min_description_words,
            always_on,
            mode: self.mode,
            lexical: self.lexical,
        })
    }
}

impl ToolFilterPolicy {
    /// Whether filtering is enabled.
    pub(crate) fn is_enabled(&self) -> bool {
        self.enabled
    }

    /// Whether words decide if there is no embedding model.
    pub(crate) fn is_lexical(&self) -> bool {
        self.lexical
    }

    /// The tools that are always shown, existing or not.
    pub fn always_on(&self) -> &BTreeSet<ToolName> {
        &self.always_on
    }

    /// Use of the selection of a turn.
    pub(crate) fn mode(&self) -> ToolFilterMode {
        self.mode
    }

    /// Line for a status display; `None` if filtering is disabled.
    pub fn status(&self, embeddings: usize) -> Option<String> {
        let (k, n) = (self.top_k, self.always_on.len());
        self.enabled.then(|| format!("Filter: top_k={k}, always_on={n}, embeddings={embeddings}"))
    }
}
