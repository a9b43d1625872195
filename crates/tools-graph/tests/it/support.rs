//! Made-up tools and scorers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tools_core::{Embedder, EmbedderError, ToolDef, ToolKind, ToolName, ToolTraits};
use tools_graph::{DependenciesConfig, DependencyRule, Scorer, Scores, ToolFilterConfig};

pub(crate) fn name(text: &str) -> ToolName {
    ToolName::parse(text).expect("a name of a tool")
}

pub(crate) fn names(texts: &[&str]) -> BTreeSet<ToolName> {
    texts.iter().map(|text| name(text)).collect()
}

pub(crate) fn tool(text: &str, description: &str) -> Arc<ToolDef> {
    Arc::new(ToolDef::new(
        name(text),
        description.to_owned(),
        serde_json::Map::new().into(),
        ToolKind::Other,
        ToolTraits::CAUTIOUS,
    ))
}

/// Tools with descriptions long enough to rank by.
pub(crate) fn tools(texts: &[&str]) -> Vec<Arc<ToolDef>> {
    texts.iter().map(|text| tool(text, "one two three four")).collect()
}

pub(crate) fn config(top_k: usize) -> ToolFilterConfig {
    ToolFilterConfig { enabled: true, top_k, always_on: vec![], ..ToolFilterConfig::default() }
}

/// Gives each tool the score that it was made with, whatever the query; knows no other.
#[derive(Debug)]
pub(crate) struct Fixed(pub(crate) BTreeMap<&'static str, f32>);

impl Scorer for Fixed {
    fn score(&self, query: &str) -> Option<Scores> {
        (query != "unjudged").then(|| Scores::new(self.0.iter().map(|(text, score)| (name(text), *score))))
    }
}

pub(crate) fn fixed(scores: &[(&'static str, f32)]) -> Arc<dyn Scorer> {
    Arc::new(Fixed(scores.iter().copied().collect()))
}

/// Rules as `tool: requires` and `tool: prefers`.
pub(crate) fn rules(requires: &[(&str, &[&str])], prefers: &[(&str, &[&str])]) -> DependenciesConfig {
    let texts = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let mut rules: BTreeMap<String, DependencyRule> = BTreeMap::new();
    for (tool, needed) in requires {
        rules.entry((*tool).to_owned()).or_default().requires = texts(needed);
    }
    for (tool, preferred) in prefers {
        rules.entry((*tool).to_owned()).or_default().prefers = texts(preferred);
    }
    DependenciesConfig { enabled: true, rules, ..DependenciesConfig::default() }
}

/// Vectors of letters; no direction for a text without letters.
#[derive(Debug)]
pub(crate) struct Letters;

impl Embedder for Letters {
    fn name(&self) -> &'static str {
        "letters"
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let count =
            |text: &str, letter: char| f32::from(u16::try_from(text.matches(letter).count()).unwrap_or(u16::MAX));
        Ok(texts.iter().map(|text| ('a'..='z').map(|letter| count(text, letter)).collect()).collect())
    }
}
