//! Where a layer of the host's stands among the built-in ones.

/// Position of a host's layer. Layers of one place stand in the order in which they were given, the
/// first outermost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Inside the record, outside every gate. It sees every call, also one that a gate is going to
    /// refuse, and every result as the model gets it. What it refuses is on record, and no gate is
    /// asked.
    BeforeGates,
    /// Inside the gates that judge calls, outside the cache. It sees what was allowed or agreed to,
    /// and results as the model gets them, also those that the cache serves.
    AfterGates,
    /// Outside the repetitions of a failed call, inside everything else. It sees what really runs:
    /// parameters with the credentials in the place of their placeholders, and output as the tool
    /// gave it, before credentials are taken out and before it is shortened. What it adds to a
    /// result is treated like the tool's own text.
    AroundExecution,
}
