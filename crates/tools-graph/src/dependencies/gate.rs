//! Unmet requirements of tools, and their effect on a list.

use std::collections::BTreeMap;

use serde::Serialize;
use tools_core::ToolName;

use crate::{InclusionReason, ToolFilterResult};

/// A tool that is not shown because others must succeed first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DependencyExclusion {
    /// The tool.
    pub tool: ToolName,
    /// Names of the tools that must succeed first; never empty.
    pub missing: Vec<ToolName>,
}

/// Missing and preferred tools at one moment of a session; from
/// [`crate::ToolDependencyGraph::prerequisites`].
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Prerequisites {
    /// Unmet requirements, for each tool that has some.
    pub(super) needs: BTreeMap<ToolName, Vec<ToolName>>,
    /// Score additions from preferred tools.
    pub(super) boosts: BTreeMap<ToolName, f32>,
}

impl Prerequisites {
    /// Additions to scores by preferred tools, for [`crate::Query::boosting`].
    pub fn boosts(&self) -> &BTreeMap<ToolName, f32> {
        &self.boosts
    }

    /// The tools that must succeed before this one; empty if there are none.
    pub fn missing(&self, tool: &ToolName) -> &[ToolName] {
        self.needs.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Removes tools with unmet requirements. Tools that are always on or named stay. If no tool
    /// would be left, nothing is removed: a session that can call no tool cannot meet any
    /// requirement.
    pub(crate) fn gate(&self, result: &mut ToolFilterResult) {
        let bypasses = |reasons: &[InclusionReason]| {
            matches!(reasons[0], InclusionReason::AlwaysOn | InclusionReason::NameMentioned)
        };
        let is_held =
            |tool: &ToolName, reasons: &[InclusionReason]| !bypasses(reasons) && !self.missing(tool).is_empty();
        if !result.included.is_empty() && result.included.iter().all(|(tool, reasons)| is_held(tool, reasons)) {
            let tools: Vec<_> = result.included.keys().map(ToolName::as_str).collect();
            tracing::warn!(?tools, "every tool needs another one first: prerequisites are not asked for in this turn");
            return;
        }
        let held = |tool: &ToolName, reasons: &mut Vec<InclusionReason>| is_held(tool, reasons);
        let taken: BTreeMap<_, _> = result.included.extract_if(.., held).collect();
        let exclusion = |tool: ToolName| DependencyExclusion { missing: self.missing(&tool).to_vec(), tool };
        result.dependency_exclusions = taken.into_keys().map(exclusion).collect();
        for exclusion in &result.dependency_exclusions {
            tracing::debug!(tool = %exclusion.tool, missing = ?exclusion.missing, "not shown: it needs others first");
        }
        for (tool, reasons) in &mut result.included {
            if self.needs.contains_key(tool) && !bypasses(reasons) {
                reasons.push(InclusionReason::DependencyMet);
                reasons.sort();
            }
        }
    }
}
