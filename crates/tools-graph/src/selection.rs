//! The list of definitions shown to a session: it only grows, so that the provider's prompt cache
//! stays valid.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use tools_core::{ToolDef, ToolName};

use crate::{ToolFilterMode, ToolFilterResult};

/// The list of definitions shown to a session.
///
/// It begins with the core, sorted by name, which never changes. Tools added by turns follow in the
/// order in which they were added. They keep their first definition, even if it changes or their
/// server disconnects, until [`ToolSelection::compact`]. So each list begins with the bytes of the
/// previous one.
#[derive(Debug, Clone)]
pub struct ToolSelection {
    mode: ToolFilterMode,
    core: Vec<Arc<ToolDef>>,
    added: Vec<Arc<ToolDef>>,
}

impl ToolSelection {
    /// A session that begins with these tools.
    pub fn new(mode: ToolFilterMode, core: impl IntoIterator<Item = Arc<ToolDef>>) -> Self {
        let mut core: Vec<_> = core.into_iter().collect();
        core.sort_by(|a, b| a.name.cmp(&b.name));
        Self::ordered(mode, core)
    }

    /// A session that begins with these tools in this order; duplicate names are dropped.
    pub(crate) fn ordered(mode: ToolFilterMode, core: impl IntoIterator<Item = Arc<ToolDef>>) -> Self {
        let mut names = HashSet::new();
        let core: Vec<_> = core.into_iter().filter(|tool| names.insert(tool.name.clone())).collect();
        if mode == ToolFilterMode::Replace {
            tracing::warn!("the list of tools changes between turns: the provider's cache of the prompt does not hold");
        }
        Self { mode, core, added: vec![] }
    }

    /// Adds the tools that a turn selected from `tools`.
    pub fn turn(&mut self, tools: &[Arc<ToolDef>], chosen: &ToolFilterResult) {
        match self.mode {
            ToolFilterMode::Search => {}
            ToolFilterMode::Append => self.add(tools, |name| chosen.included.contains_key(name)),
            ToolFilterMode::Replace => {
                self.added.clear();
                self.add(tools, |name| chosen.included.contains_key(name));
            }
        }
    }

    /// Adds tools that the model requested by name, in every mode.
    pub fn request(&mut self, tools: &[Arc<ToolDef>], names: &BTreeSet<ToolName>) {
        self.add(tools, |name| names.contains(name));
    }

    /// Removes the tools added by turns, for when the prompt is rebuilt anyway.
    pub fn compact(&mut self) {
        self.added.clear();
    }

    /// The list, in the order in which it is sent.
    pub fn tools(&self) -> impl Iterator<Item = &Arc<ToolDef>> {
        self.core.iter().chain(&self.added)
    }

    fn add(&mut self, tools: &[Arc<ToolDef>], is_wanted: impl Fn(&ToolName) -> bool) {
        let shown: HashSet<ToolName> = self.tools().map(|tool| tool.name.clone()).collect();
        let mut new: Vec<_> =
            tools.iter().filter(|tool| is_wanted(&tool.name) && !shown.contains(&tool.name)).cloned().collect();
        new.sort_by(|a, b| a.name.cmp(&b.name));
        new.dedup_by(|later, first| later.name == first.name);
        self.added.append(&mut new);
    }
}
