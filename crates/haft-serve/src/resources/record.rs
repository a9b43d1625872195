//! The record of a session's calls as a resource: which tool was called, the decision and the
//! result. Rules, parameters and other sessions are only in `haft audit`.

use std::sync::Arc;

use async_trait::async_trait;
use haft::audit::{RecordStore, SessionRows, view::Row};
use serde_json::json;
use tools_core::SessionId;
use tools_mcp::{
    Body, Contents, Resource, ResourceAddress, ResourceError, ResourcePage, ResourceScheme, ResourceTarget,
    ResourceTemplate,
};

/// Maximum number of calls on a page.
const PAGE: u64 = 100;
const SCHEME: &str = "audit:";
const NAME: &str = "session";
const MIME: &str = "application/jsonl";

/// The record in this store.
pub(super) struct SessionRecord(pub(super) Arc<dyn RecordStore>);

impl SessionRecord {
    async fn page(&self, session: &SessionId, after: u64, most: usize) -> Result<SessionRows, ResourceError> {
        self.0.of_session(session.as_str(), after, most).await.map_err(|error| {
            tracing::warn!(%error, "the record of a session cannot be read");
            ResourceError::Failed("the record cannot be read".to_owned())
        })
    }
}

#[async_trait]
impl ResourceScheme for SessionRecord {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn template(&self) -> ResourceTemplate {
        ResourceTemplate {
            uri: "audit:session{?after,limit}",
            name: "session-record",
            description: "The recorded calls of this session, oldest first, one JSON object per line: number, time, \
                          tool, subject, decision, outcome and duration. `after` is the number behind which to begin, \
                          `limit` at most 100.",
            mime: MIME,
        }
    }

    async fn list(&self, _: &SessionId, after: &str) -> Result<ResourcePage, ResourceError> {
        let record = Resource {
            uri: format!("{SCHEME}{NAME}"),
            name: "session-record".to_owned(),
            title: "Calls of this session".to_owned(),
            mime: MIME,
            bytes: None,
        };
        Ok(ResourcePage { resources: if after.is_empty() { vec![record] } else { vec![] }, next: None })
    }

    async fn find(&self, session: &SessionId, address: &ResourceAddress<'_>) -> Result<ResourceTarget, ResourceError> {
        if !is_named(address) {
            return Err(ResourceError::NotFound);
        }
        let after = address.number("after").unwrap_or(0);
        let most = usize::try_from(address.number("limit").unwrap_or(PAGE).clamp(1, PAGE)).unwrap_or(1);
        let page = self.page(session, after, most).await?;
        let text: String = page.rows.iter().map(line).collect();
        let next = page.next.map(|last| format!("{SCHEME}{NAME}?after={last}"));
        Ok(ResourceTarget::Contents(Contents { mime: MIME, body: Body::Text(text), next }))
    }

    /// Each call adds a line.
    fn changes(&self, address: &ResourceAddress<'_>) -> bool {
        is_named(address)
    }

    async fn complete(&self, _: &SessionId, _: &str, _: &str) -> Result<Option<Vec<String>>, ResourceError> {
        Ok(None)
    }
}

/// Whether an address belongs to the record.
fn is_named(address: &ResourceAddress<'_>) -> bool {
    address.name == NAME && address.number("offset").or(address.number("byte")).is_none()
}

/// A call as its own client may see it: only the operator may see which rule decided.
fn line(row: &Row) -> String {
    let Row { seq, ts, session: _, tool, about, decision, by: _, outcome, duration_ms } = row;
    let shown = json!({
        "seq": seq, "ts": ts, "tool": tool, "about": about,
        "decision": decision, "outcome": outcome, "duration_ms": duration_ms,
    });
    format!("{shown}\n")
}
