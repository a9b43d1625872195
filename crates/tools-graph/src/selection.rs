//! The list of definitions that a session shows: it only grows, so that the provider's cache of the
//! prompt holds.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use tools_core::{ToolDef, ToolName};

use crate::{ToolFilterMode, ToolFilterResult};

/// The list of definitions that a session shows.
///
/// The core, sorted by name, stands at the beginning and is never changed. Behind it come the tools
/// that turns brought in, in the order in which they came; they stay as they were first shown, also
/// when their definition changes or their server goes, until [`ToolSelection::compact`]. So each
/// list begins with the bytes of the one before.
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

    /// A session that begins with these tools in this order; of two of one name the first counts.
    pub(crate) fn ordered(mode: ToolFilterMode, core: impl IntoIterator<Item = Arc<ToolDef>>) -> Self {
        let mut names = HashSet::new();
        let core: Vec<_> = core.into_iter().filter(|tool| names.insert(tool.name.clone())).collect();
        if mode == ToolFilterMode::Replace {
            tracing::warn!("the list of tools changes between turns: the provider's cache of the prompt does not hold");
        }
        Self { mode, core, added: vec![] }
    }

    /// Takes in what a turn chose of the tools that there are.
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

    /// Takes in tools that the model asked for by name, in every mode.
    pub fn request(&mut self, tools: &[Arc<ToolDef>], names: &BTreeSet<ToolName>) {
        self.add(tools, |name| names.contains(name));
    }

    /// Forgets what turns brought in, where the prompt is made anew anyway.
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
