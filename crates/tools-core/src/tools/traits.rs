//! Guarantees of tools: MCP's four hints and three of ours.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Guarantees of a tool, whatever its arguments.
///
/// Gates read these instead of names. What one call does may be narrower: see
/// [`crate::Inspection::read_only`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ToolTraits {
    /// Changes nothing (MCP `readOnlyHint`).
    pub read_only: bool,
    /// May destroy what it changes (MCP `destructiveHint`).
    pub destructive: bool,
    /// The same call again changes nothing more (MCP `idempotentHint`).
    pub idempotent: bool,
    /// Communicates outside the workspace (MCP `openWorldHint`).
    pub open_world: bool,
    /// Its result may be cached until something is written.
    pub cacheable: bool,
    /// It may be retried automatically after a transient failure.
    pub retryable: bool,
    /// Limits its own output, which is then neither filtered nor moved to storage.
    pub bounded_output: bool,
}

/// Two guarantees that contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TraitConflict {
    /// A tool that changes nothing cannot destroy anything.
    #[error("a tool cannot be both `read_only` and `destructive`")]
    ReadOnlyDestructive,
    /// Serving a mutation from a cache would skip the mutation.
    #[error("a tool that is `cacheable` must be `read_only`")]
    CacheableMutation,
    /// A retry would do it twice.
    #[error("a tool that is `retryable` must be `idempotent`")]
    RetryableTwice,
}

impl ToolTraits {
    /// No guarantees: assumed for unknown tools.
    pub const CAUTIOUS: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
        cacheable: false,
        retryable: false,
        bounded_output: false,
    };
    /// Reads the workspace and changes nothing.
    pub const READ_ONLY: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
        cacheable: true,
        retryable: false,
        bounded_output: false,
    };
    /// Changes files of the workspace, and may replace their content.
    pub const EDIT: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
        cacheable: false,
        retryable: false,
        bounded_output: false,
    };
    /// Adds to existing data, and removes nothing.
    pub const ADD: Self = Self { destructive: false, ..Self::EDIT };
    /// Reads from the network.
    pub const FETCH: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: true,
        cacheable: true,
        retryable: true,
        bounded_output: false,
    };

    /// Finds guarantees that contradict each other.
    ///
    /// # Errors
    /// The first [`TraitConflict`], in the order of its variants.
    pub fn check(&self) -> Result<(), TraitConflict> {
        if self.read_only && self.destructive {
            Err(TraitConflict::ReadOnlyDestructive)
        } else if self.cacheable && !self.read_only {
            Err(TraitConflict::CacheableMutation)
        } else if self.retryable && !self.idempotent {
            Err(TraitConflict::RetryableTwice)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_presets_are_consistent_and_conflicts_are_named() {
        for preset in
            [ToolTraits::CAUTIOUS, ToolTraits::READ_ONLY, ToolTraits::EDIT, ToolTraits::ADD, ToolTraits::FETCH]
        {
            assert_eq!(preset.check(), Ok(()));
        }
        let read = ToolTraits::READ_ONLY;
        assert_eq!(ToolTraits { destructive: true, ..read }.check(), Err(TraitConflict::ReadOnlyDestructive));
        assert_eq!(ToolTraits { read_only: false, ..read }.check(), Err(TraitConflict::CacheableMutation));
        let retryable = ToolTraits { retryable: true, idempotent: false, ..read };
        assert_eq!(retryable.check(), Err(TraitConflict::RetryableTwice));
    }
}
