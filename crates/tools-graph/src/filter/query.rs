//! The query of a turn.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tools_core::ToolName;

/// Topic of a turn, and facts about it.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The text: usually the user's last message.
    pub text: &'a str,
    /// Tools that this turn has already referred to; they are never removed.
    pub referenced: BTreeSet<ToolName>,
    /// Additions to the scores of tools before they are ranked; see
    /// [`crate::ToolDependencyGraph::prerequisites`].
    pub boosts: BTreeMap<ToolName, f32>,
}

impl<'a> Query<'a> {
    /// A query of this text.
    pub fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// The query in a turn that has referred to these tools.
    #[must_use]
    pub(crate) fn with_used_tools(self, referenced: impl IntoIterator<Item = ToolName>) -> Self {
        Self { referenced: referenced.into_iter().collect(), ..self }
    }

    /// Sets the boosts.
    #[must_use]
    pub fn boosting(self, boosts: BTreeMap<ToolName, f32>) -> Self {
        Self { boosts, ..self }
    }

    /// The words of the text that may be names of tools, in lower case.
    pub(super) fn words(&self) -> HashSet<String> {
        let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        self.text.split(|c| !belongs(c)).map(str::to_lowercase).collect()
    }
}
