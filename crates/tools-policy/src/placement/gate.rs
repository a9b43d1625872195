//! The gate that asks before a credential is written to another file. It uses the placeholders of
//! sessions.

use std::sync::Arc;

use tools_core::{Invocation, KeyFault};
use tools_secrets::SecretRedactor;

use crate::gate::{Applies, CompileContext, Gate, GateInfo, GatePosition, Ruling};

/// Asks about calls whose content has placeholders of credentials from files other than the written
/// one.
#[derive(Debug)]
pub struct PlacementGate(SecretRedactor);

impl PlacementGate {
    /// Creates a gate over the placeholders of `redactor`.
    pub fn new(redactor: SecretRedactor) -> Self {
        Self(redactor)
    }
}

impl Gate for PlacementGate {
    type Config = ();
    type Policy = ();
    type Held = ();

    const ABOUT: GateInfo = GateInfo {
        name: "placement",
        sections: &[],
        applies: Applies::Reload,
        position: GatePosition::BeforeCall,
        refuses_with: &["confirmation_required/credential_moves"],
        why_here: "outside `permissions`, whose question does not mention credentials: a person is asked once, and reads where a credential would go",
    };

    fn compile((): &(), _: &CompileContext<'_>) -> Result<(), KeyFault> {
        Ok(())
    }

    fn decide(&self, _: &Arc<()>, inv: &Invocation) -> Ruling {
        match self.0.of_session(inv.context.session()).asks(inv) {
            Some(question) => Ruling::ask("a credential goes back only where it came from", question),
            None => Ruling::none(),
        }
    }
}
