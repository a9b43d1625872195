//! What a turn is about.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use tools_core::ToolName;

/// What a turn is about, and what is known of it already.
#[derive(Debug, Clone, Default)]
pub struct Query<'a> {
    /// The text: usually what the user wrote last.
    pub text: &'a str,
    /// Tools that this turn has referred to already; they are never taken away.
    pub referenced: BTreeSet<ToolName>,
    /// What is added to the scores of tools before they are ranked; see
    /// [`crate::ToolDependencyGraph::prerequisites`].
    pub boosts: BTreeMap<ToolName, f32>,
}

impl<'a> Query<'a> {
    /// A query of this text.
    pub fn new(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }

    /// The same query in a turn that has referred to these tools.
    #[must_use]
    pub fn having_used(self, referenced: impl IntoIterator<Item = ToolName>) -> Self {
        Self { referenced: referenced.into_iter().collect(), ..self }
    }

    /// The same query with these boosts.
    #[must_use]
    pub fn boosting(self, boosts: BTreeMap<ToolName, f32>) -> Self {
        Self { boosts, ..self }
    }

    /// What the text names.
    pub(super) fn words(&self) -> Words {
        let belongs = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        Words(self.text.split(|c| !belongs(c)).map(str::to_lowercase).collect())
    }
}

/// The words of a text that may be names of tools, in lower case.
pub(super) struct Words(HashSet<String>);

impl Words {
    /// Whether the tool's name is one of them, whatever its case.
    pub(super) fn name(&self, tool: &ToolName) -> bool {
        let name = tool.as_str();
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.0.contains(&name.to_ascii_lowercase());
        }
        self.0.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_by_a_whole_word() {
        let check = |text: &str, expected: bool| {
            for name in ["read_file", "Read_File"] {
                assert_eq!(Query::new(text).words().name(&ToolName::parse(name).unwrap()), expected, "{text:?}");
            }
        };
        check("use read_file now", true);
        check("`Read_File`", true);
        check("(read_file)", true);
        check("read_files", false);
        check("pre-read_file", false);
        check("read file", false);
        check("", false);
    }
}
