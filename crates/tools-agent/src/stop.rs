//! Reasons for the end of a turn.

use serde::Serialize;
use tools_providers::ProviderFault;

/// Reason for the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of a variant says what its only fields are")]
pub enum Stop {
    /// The model answered without a call.
    Done,
    /// The maximum number of requests per turn was reached.
    IterationCap { iterations: u32 },
    /// The model repeated itself.
    DoomLoop {
        /// The repeated output, for a person.
        notice: String,
    },
    /// The conversation is too long, and could not be made shorter.
    ContextBudget {
        /// Number of tokens of the next request, as far as known.
        tokens: u64,
        /// The limit.
        limit: u64,
    },
    /// The session's maximum number of calls was reached.
    Quota,
    /// The turn was cancelled.
    Cancelled,
    /// The provider gave no answer.
    Provider {
        /// Kind of the failure.
        fault: ProviderFault,
        /// Message for a person.
        message: String,
    },
    /// The turn reached its maximum cost.
    Cost { millionths: u64 },
}

/// The permanent name of a [`Stop`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopCode {
    /// [`Stop::Done`].
    Done,
    /// [`Stop::IterationCap`].
    IterationCap,
    /// [`Stop::DoomLoop`].
    DoomLoop,
    /// [`Stop::ContextBudget`].
    ContextBudget,
    /// [`Stop::Quota`].
    Quota,
    /// [`Stop::Cancelled`].
    Cancelled,
    /// [`Stop::Provider`].
    Provider,
    /// [`Stop::Cost`].
    Cost,
}

impl Stop {
    /// Its permanent name.
    pub fn code(&self) -> StopCode {
        match self {
            Self::Done => StopCode::Done,
            Self::IterationCap { .. } => StopCode::IterationCap,
            Self::DoomLoop { .. } => StopCode::DoomLoop,
            Self::ContextBudget { .. } => StopCode::ContextBudget,
            Self::Quota => StopCode::Quota,
            Self::Cancelled => StopCode::Cancelled,
            Self::Provider { .. } => StopCode::Provider,
            Self::Cost { .. } => StopCode::Cost,
        }
    }

    /// Whether the model finished by itself.
    pub fn is_done(&self) -> bool {
        *self == Self::Done
    }

    /// Notice for a person; empty for a finished turn.
    pub fn notice(&self) -> String {
        match self {
            Self::Done => String::new(),
            Self::IterationCap { iterations } => format!(
                "stopped after {iterations} requests to the model (`agent.max_tool_iterations`); say \"go on\" to continue"
            ),
            Self::DoomLoop { notice } => format!("stopped: {notice}"),
            Self::ContextBudget { tokens, limit } => format!(
                "stopped: the next request would hold about {tokens} tokens, and {limit} are allowed; `/compact` or `/clear` makes room"
            ),
            Self::Quota => {
                "stopped: this session has made all its calls (`tools.max_tool_calls_per_session`)".to_owned()
            }
            Self::Cancelled => "stopped: cancelled".to_owned(),
            Self::Provider { fault, message } => {
                format!("stopped: the model gave no answer ({}): {message}", fault.name())
            }
            Self::Cost { millionths } => {
                format!(
                    "stopped: the turn cost {}.{:06}, which is all it may",
                    millionths / 1_000_000,
                    millionths % 1_000_000
                )
            }
        }
    }
}

impl StopCode {
    /// The name as text.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::IterationCap => "iteration_cap",
            Self::DoomLoop => "doom_loop",
            Self::ContextBudget => "context_budget",
            Self::Quota => "quota",
            Self::Cancelled => "cancelled",
            Self::Provider => "provider",
            Self::Cost => "cost",
        }
    }
}
