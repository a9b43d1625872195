//! The sessions of a guest. Each has its own manager, so that its events are separate and end with
//! it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, CustomNotification, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, LocalSessionManagerError};
use rmcp::transport::streamable_http_server::session::{EventStream, ServerSseMessage, SessionId, SessionManager};
use tokio::sync::RwLock;
use tokio_util::task::AbortOnDropHandle;

use crate::events::SessionEvents;

/// Event id of a stream without a request, before its first event.
const BEGINNING: &str = "0";

#[derive(Debug)]
pub(crate) struct Sessions {
    idle: Duration,
    each: RwLock<HashMap<SessionId, Arc<LocalSessionManager>>>,
}

impl Sessions {
    /// Sessions that end after this time without a request.
    pub(crate) fn new(idle: Duration) -> Self {
        Self { idle, each: RwLock::default() }
    }

    /// Number of sessions.
    pub(crate) async fn count(&self) -> usize {
        self.each.read().await.len()
    }

    /// Keeps a session alive while a request is answered, which may exceed the idle time, until the
    /// returned handle is dropped.
    pub(crate) fn busy(self: &Arc<Self>, id: SessionId) -> AbortOnDropHandle<()> {
        let sessions = Arc::clone(self);
        AbortOnDropHandle::new(tokio::spawn(async move {
            loop {
                tokio::time::sleep(sessions.idle / 2).await;
                if sessions.accept_message(&id, still_here()).await.is_err() {
                    return;
                }
            }
        }))
    }

    async fn of(&self, id: &SessionId) -> Result<Arc<LocalSessionManager>, LocalSessionManagerError> {
        let found = self.each.read().await.get(id).cloned();
        found.ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let mut one = LocalSessionManager::default().with_event_store(Arc::new(SessionEvents::default()));
        one.session_config.keep_alive = Some(self.idle);
        let (id, transport) = one.create_session().await?;
        self.each.write().await.insert(id.clone(), Arc::new(one));
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.of(id).await?.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.each.read().await.contains_key(id))
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        let closed = self.each.write().await.remove(id);
        match closed {
            Some(one) => one.close_session(id).await,
            None => Ok(()),
        }
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let one = self.of(id).await?;
        let stream: EventStream = Box::pin(one.create_stream(id, message).await?);
        Ok(stream)
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.of(id).await?.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let one = self.of(id).await?;
        let stream: EventStream = Box::pin(one.create_standalone_stream(id).await?);
        Ok(stream)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let one = self.of(id).await?;
        let stream: EventStream = if last_event_id == BEGINNING {
            Box::pin(one.create_standalone_stream(id).await?)
        } else {
            Box::pin(one.resume(id, last_event_id).await?)
        };
        Ok(stream)
    }
}

/// A notification that is ignored: its arrival restarts the idle time of the session.
fn still_here() -> ClientJsonRpcMessage {
    let method = CustomNotification::new("notifications/haft/still_here", None);
    ClientJsonRpcMessage::notification(ClientNotification::CustomNotification(method))
}
