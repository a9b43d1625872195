//! Selects the tools that a model sees in a turn.
//!
//! Every definition costs tokens in every request, and a model chooses worse from a long list.
//! [`ToolSchemaFilter`] selects the tools that match the turn's query, ranked by a [`Scorer`];
//! [`ToolDependencyGraph`] holds back tools that need another tool first; [`ToolSelection`]
//! combines both into a list whose beginning stays the same for the session, so that the provider's
//! prompt cache stays valid.
//!
//! This crate decides about visibility, not permission: a call of a tool that is not shown passes
//! the same gates.

mod dependencies;
mod filter;
mod profiles;
mod score;
mod selection;
mod session;
mod words;

pub use dependencies::{
    DependenciesConfig, DependencyExclusion, DependencyFault, DependencyRule, Prerequisites, ToolDependencyGraph,
};
pub use filter::{
    InclusionReason, Query, ToolFilterConfig, ToolFilterMode, ToolFilterPolicy, ToolFilterResult, ToolSchemaFilter,
};
pub use profiles::{Profile, ProfileConfig};
pub use score::{Bm25, EmbeddingScorer, FusedScorer, Grams, Scorer, Scores};
pub use selection::ToolSelection;
pub use session::{DependencyLayer, ListSettings, SessionLists, ToolSearch};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
