//! Predicts the result of a task's call, as far as possible now.

use std::sync::{Arc, OnceLock, Weak};

use tools_core::{CallContext, Explain, Stack, ToolCall, ToolErrorCategory, Verdict};

/// Predicted result of a call with nobody present.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallPrediction {
    /// It will run.
    Runs,
    /// It will be refused unless the rules change, because it needs approval. The text says why.
    Asks(String),
    /// It can only fail: the tool does not exist, the parameters are invalid, or a rule denies it.
    Fails(String),
}

/// Predicts the results of calls through a stack.
#[derive(Default)]
pub struct CallPredictor {
    stack: OnceLock<Weak<Stack>>,
    explain: Option<Explain>,
}

tools_core::partial_debug!(CallPredictor {});

impl CallPredictor {
    /// Also uses predictions of the stack's gates.
    pub fn explained_by(explain: Explain) -> Self {
        Self { explain: Some(explain), ..Self::default() }
    }

    /// Sets the stack, once it is built around the tools that use this. Before that, every call is
    /// predicted to run.
    pub fn look_at(&self, stack: &Arc<Stack>) {
        let _ = self.stack.set(Arc::downgrade(stack));
    }

    /// Predicts the result of this call now. `cx` must have its own session.
    pub(super) async fn of(&self, call: ToolCall, cx: &CallContext) -> CallPrediction {
        let Some(stack) = self.stack.get().and_then(Weak::upgrade) else { return CallPrediction::Runs };
        let inv = stack.inspect(call, cx).await;
        if let Err(error) = inv.inspection() {
            use ToolErrorCategory as C;
            return match error.category() {
                C::ConfirmationRequired => CallPrediction::Asks(error.message().to_owned()),
                C::ToolNotFound | C::InvalidParameters | C::TypeMismatch | C::PolicyBlocked => {
                    CallPrediction::Fails(format!("{error} ({})", error.suggestion()))
                }
                // A server that cannot be reached now may be available when the task is due.
                _ => CallPrediction::Runs,
            };
        }
        match self.explain.as_ref().map(|explain| explain(&inv)) {
            Some((Verdict::Ask, why)) => CallPrediction::Asks(why),
            Some((Verdict::Deny, why)) => CallPrediction::Fails(why),
            Some((Verdict::Allow, _)) | None => CallPrediction::Runs,
        }
    }
}
