//! What a tool promises about itself: MCP's four hints and three of ours.

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
    /// Talks to the world outside the workspace (MCP `openWorldHint`).
    pub open_world: bool,
    /// Its result may be served again while nothing was written.
    pub cacheable: bool,
    /// It may be tried again by itself after a transient failure.
    pub retryable: bool,
    /// Bounds its own output, which is then neither filtered nor moved to storage again.
    pub bounded_output: bool,
}

/// Two promises that cannot both hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum TraitConflict {
    /// Nothing is destroyed where nothing is changed.
    #[error("a tool cannot be both `read_only` and `destructive`")]
    ReadOnlyDestructive,
    /// Serving a mutation from a cache would skip the mutation.
    #[error("a tool that is `cacheable` must be `read_only`")]
    CacheableMutation,
    /// Trying again would do it twice.
    #[error("a tool that is `retryable` must be `idempotent`")]
    RetryableTwice,
}

impl ToolTraits {
    /// Promises nothing: what is assumed of a tool nobody knows.
    pub const CAUTIOUS: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
        cacheable: false,
        retryable: false,
        bounded_output: false,
    };
    /// Looks at the workspace and changes nothing.
    pub const READ_ONLY: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
        cacheable: true,
        retryable: false,
        bounded_output: false,
    };
    /// Changes files of the workspace, and may take the place of what they held.
    pub const EDIT: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: false,
        cacheable: false,
        retryable: false,
        bounded_output: false,
    };
    /// Adds to what is there, and takes nothing away.
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

    /// Finds promises that contradict one another.
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
