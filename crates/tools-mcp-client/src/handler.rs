//! Handles requests of a server to its client: pings, and forms if configured. Requests for
//! features that were not offered are refused and noted.
#![expect(deprecated, reason = "servers of earlier revisions may ask for it all the same")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, CustomRequest, CustomResult,
    ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorCode, FormElicitationCapability, Implementation,
    ListRootsResult,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, ErrorData, RoleClient};
use tokio::sync::Notify;

use crate::{forms::OpenCalls, transport::Notes};

/// The client's side of a connection.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    notes: Notes,
    /// Whether the server reported a changed list.
    changed: Arc<AtomicBool>,
    /// Notified when it did.
    woken: Arc<Notify>,
    /// Receiver of forms; `None` if the server may send none.
    forms: Option<OpenCalls>,
}

impl Handler {
    pub(crate) fn new(notes: Notes, woken: Arc<Notify>, forms: Option<OpenCalls>) -> Self {
        Self { notes, changed: Arc::default(), woken, forms }
    }

    /// Whether the list changed since the last call.
    pub(crate) fn take_changed(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    fn refuse(&self, what: &'static str) -> ErrorData {
        self.notes.asked(what);
        tracing::warn!(what, "an MCP server asks for what it was not offered");
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("{what} is not offered"), None)
    }
}

impl ClientHandler for Handler {
    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(self.refuse("sampling"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Err(self.refuse("roots"))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match &self.forms {
            Some(forms) => Ok(forms.answer(params).await),
            None => Err(self.refuse("elicitation")),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        Err(self.refuse(match request.method.as_str() {
            "sampling/createMessage" => "sampling",
            "elicitation/create" => "elicitation",
            "roots/list" => "roots",
            _ => "an unknown feature",
        }))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
        self.woken.notify_waiters();
    }

    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.forms.is_some() {
            let mut elicitation = ElicitationCapability::new();
            elicitation.form = Some(FormElicitationCapability::default());
            capabilities.elicitation = Some(elicitation);
        }
        ClientConfig::new(capabilities, Implementation::new("haft", env!("CARGO_PKG_VERSION")))
    }
}
