//! Compiles `tools.max_tool_calls_per_session`.

/// The quota of every session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// Maximum number of calls in a session; `None` for no limit.
    pub calls: Option<u64>,
}

impl QuotaPolicy {
    /// The policy for a configured number; `None` for no limit.
    pub fn compile(max_tool_calls_per_session: Option<u64>) -> Self {
        Self { calls: max_tool_calls_per_session }
    }
}
