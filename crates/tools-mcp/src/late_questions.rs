//! Questions that a client of a version before 2026-07-28 still shows although their call was
//! refused for lack of an answer. A late answer counts if the same call asks the same again.

use std::{collections::VecDeque, pin::Pin, sync::Mutex, time::Duration};

use rmcp::model::{
    CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult, RequestId,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::{Peer, RoleServer};
use tokio::time::Instant;
use tools_core::{CallDigest, ConfirmPrompt, Locked as _};

/// Time for which a question stays open after its call was refused.
pub(crate) const OPEN_FOR: Duration = Duration::from_mins(10);
/// Maximum number of such questions; beyond it the oldest is withdrawn.
const MAX_OPEN: usize = 16;

/// A question that the client shows. Dropping it unanswered withdraws it.
pub(crate) struct OpenForm {
    peer: Peer<RoleServer>,
    id: Option<RequestId>,
    answer: Pin<Box<dyn Future<Output = Result<ClientResult, ServiceError>> + Send>>,
}

impl OpenForm {
    /// Sends a question to the client.
    pub(crate) async fn ask(peer: &Peer<RoleServer>, question: ElicitRequestParams) -> Result<Self, ServiceError> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(question));
        // Without a time limit: it may be answered after the call has ended.
        let asked = peer.send_cancellable_request(request, PeerRequestOptions::default()).await?;
        let id = Some(asked.id.clone());
        Ok(Self { peer: peer.clone(), id, answer: Box::pin(asked.await_response()) })
    }

    /// Waits for the answer. Can be called again after a time-out.
    ///
    /// # Errors
    /// [`ServiceError::Timeout`] if there is none yet; otherwise the question has failed.
    pub(crate) async fn answered(&mut self, patience: Duration) -> Result<ElicitResult, ServiceError> {
        let Ok(answered) = tokio::time::timeout(patience, &mut self.answer).await else {
            return Err(ServiceError::Timeout { timeout: patience });
        };
        self.id = None;
        match answered? {
            ClientResult::ElicitResult(result) => Ok(result),
            _ => Err(ServiceError::UnexpectedResponse),
        }
    }
}

impl Drop for OpenForm {
    fn drop(&mut self) {
        if let (Some(question), Ok(runtime)) = (self.id.take(), tokio::runtime::Handle::try_current()) {
            let peer = self.peer.clone();
            runtime.spawn(async move {
                let _ = peer.notify_cancelled(CancelledNotificationParam::new(Some(question), None)).await;
            });
        }
    }
}

struct LateQuestion {
    call: CallDigest,
    prompt: ConfirmPrompt,
    until: Instant,
    standing: OpenForm,
}

/// Questions of one connection that are open although their calls have ended.
#[derive(Default)]
pub(crate) struct LateQuestions(Mutex<VecDeque<LateQuestion>>);

impl LateQuestions {
    /// Keeps the question open when its call is refused.
    pub(crate) fn keep(&self, call: CallDigest, prompt: &ConfirmPrompt, standing: OpenForm) {
        let mut open = self.0.locked();
        open.retain(|question| question.until > Instant::now());
        if open.len() == MAX_OPEN {
            open.pop_front();
        }
        open.push_back(LateQuestion { call, prompt: prompt.clone(), until: Instant::now() + OPEN_FOR, standing });
    }

    /// Takes the open question of exactly this call, if it asks exactly the same: scripts, changes
    /// and rules included.
    pub(crate) fn take(&self, call: CallDigest, prompt: &ConfirmPrompt) -> Option<OpenForm> {
        let mut open = self.0.locked();
        open.retain(|question| question.until > Instant::now());
        let found = open.iter().position(|question| question.call == call && question.prompt == *prompt)?;
        open.remove(found).map(|question| question.standing)
    }

    /// Whether a question of this call is open.
    pub(crate) fn holds(&self, call: CallDigest) -> bool {
        let open = self.0.locked();
        open.iter().any(|question| question.call == call && question.until > Instant::now())
    }
}
