//! What will become of the call of a task, as far as it can be told now.

use std::sync::{Arc, OnceLock, Weak};

use tools_core::{CallContext, Explain, Stack, ToolCall, ToolErrorCategory, Verdict};

/// The future of a call with nobody present, as far as it can be told now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Prospect {
    /// It will run.
    Runs,
    /// It will be refused unless the rules change: it needs a person. The text says why.
    Asks(String),
    /// It can only fail: there is no such tool, it cannot be called so, or a rule denies it.
    Fails(String),
}

/// Foretells what becomes of calls that go through a stack.
#[derive(Default)]
pub struct StackForesight {
    stack: OnceLock<Weak<Stack>>,
    explain: Option<Explain>,
}

tools_core::partial_debug!(StackForesight {});

impl StackForesight {
    /// One that asks the gates of the stack, too.
    pub fn explained_by(explain: Explain) -> Self {
        Self { explain: Some(explain), ..Self::default() }
    }

    /// Tells it the stack, once that is made around the tools that ask. Before that, everything
    /// seems to run.
    pub fn look_at(&self, stack: &Arc<Stack>) {
        let _ = self.stack.set(Arc::downgrade(stack));
    }

    /// What would become of this call now. `cx` belongs to a session of its own.
    pub(super) async fn of(&self, call: ToolCall, cx: &CallContext) -> Prospect {
        let Some(stack) = self.stack.get().and_then(Weak::upgrade) else { return Prospect::Runs };
        let inv = stack.inspect(call, cx).await;
        if let Err(error) = inv.inspection() {
            use ToolErrorCategory as C;
            return match error.category() {
                C::ConfirmationRequired => Prospect::Asks(error.message().to_owned()),
                C::ToolNotFound | C::InvalidParameters | C::TypeMismatch | C::PolicyBlocked => {
                    Prospect::Fails(format!("{error} ({})", error.suggestion()))
                }
                // A server that is away now may be there when the task is due.
                _ => Prospect::Runs,
            };
        }
        match self.explain.as_ref().map(|explain| explain(&inv)) {
            Some((Verdict::Ask, why)) => Prospect::Asks(why),
            Some((Verdict::Deny, why)) => Prospect::Fails(why),
            Some((Verdict::Allow, _)) | None => Prospect::Runs,
        }
    }
}
