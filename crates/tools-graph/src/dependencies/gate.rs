//! What tools still need, and what that takes out of a list.

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
    /// For each tool that needs others, those that have not succeeded yet.
    pub(super) needs: BTreeMap<ToolName, Vec<ToolName>>,
    /// What preferred tools add to a score.
    pub(super) boosts: BTreeMap<ToolName, f32>,
}

impl Prerequisites {
    /// Additions to scores by preferred tools, for [`crate::Query::boosting`].
    pub fn boosts(&self) -> &BTreeMap<ToolName, f32> {
        &self.boosts
    }

    /// The tools that must succeed before this one; empty when nothing must.
    pub fn missing(&self, tool: &ToolName) -> &[ToolName] {
        self.needs.get(tool).map_or(&[], Vec::as_slice)
    }

    /// Takes out what needs others first. What is always on or named stays. When nothing would be
    /// left to call, the prerequisites are not asked for: a session in which no tool can be called
    /// cannot meet any.
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
