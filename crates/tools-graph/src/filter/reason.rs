//! Reasons to show a tool, and the result of filtering.

use std::collections::BTreeMap;

use serde::Serialize;
use tools_core::ToolName;

use crate::DependencyExclusion;

/// Reason to show a tool, in the order in which the pipeline checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InclusionReason {
    /// The configuration always shows it.
    AlwaysOn,
    /// The query names it, or the turn has referred to it.
    NameMentioned,
    /// Its description is too short to rank by.
    ShortDescription,
    /// The scorer does not know it, or could not judge the query.
    NoEmbedding,
    /// It is among the best of the ranking.
    SimilarityRank,
    /// It needs other tools, which have all succeeded in this session.
    DependencyMet,
    /// A preferred tool has succeeded in this session, which raised its score.
    PreferenceBoost,
}

/// Shown and hidden tools. Every tool is in exactly one of the three.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolFilterResult {
    /// Shown tools, each with all reasons in the order of the pipeline; the first one was decisive.
    pub included: BTreeMap<ToolName, Vec<InclusionReason>>,
    /// Tools that the ranking left out, in the order of the definitions.
    pub excluded: Vec<ToolName>,
    /// Tools with unmet requirements.
    pub dependency_exclusions: Vec<DependencyExclusion>,
}
