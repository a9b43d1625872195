//! Usage of sub-agents that the agents above them have not yet added to their own totals.

use std::{collections::HashMap, sync::Mutex};

use tools_core::{ConversationId, Locked as _};

use crate::AgentTotals;

/// Usage by conversation: one sub-agent may work for several agents at once.
#[derive(Debug, Default)]
pub(crate) struct OpenAccounts(Mutex<HashMap<ConversationId, AgentTotals>>);

impl OpenAccounts {
    /// Adds usage of a conversation.
    pub(crate) fn note(&self, conversation: &ConversationId, totals: AgentTotals) {
        self.0.locked().entry(conversation.clone()).or_default().add(totals);
    }

    /// Takes the usage of a conversation.
    pub(crate) fn take(&self, conversation: &ConversationId) -> Option<AgentTotals> {
        self.0.locked().remove(conversation)
    }
}
