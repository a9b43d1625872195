//! Which tools a model sees in this turn.
//!
//! Every definition is paid for in every request, and a model chooses worse from a long list.
//! [`ToolSchemaFilter`] keeps what the turn's query speaks of, ranked by a [`Scorer`];
//! [`ToolDependencyGraph`] keeps back what needs another tool first; [`ToolSelection`] puts both into a
//! list whose beginning stays the same for the session, so that the provider's cache of the prompt
//! holds.
//!
//! What is decided here is visibility, never permission: a call of a tool that is not shown passes
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
