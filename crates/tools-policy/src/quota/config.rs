//! What `tools.max_tool_calls_per_session` compiles to.

/// The quota of every session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuotaPolicy {
    /// The most calls a session may make; `None` for no limit.
    pub calls: Option<u64>,
}

impl QuotaPolicy {
    /// The policy of a configured number; `None` for no limit.
    pub fn compile(max_tool_calls_per_session: Option<u64>) -> Self {
        Self { calls: max_tool_calls_per_session }
    }
}
