//! Stored output as resources. Their contents come from a call of `read_overflow`, so that reading
//! a resource is judged, recorded and limited like a call of the tool.

use async_trait::async_trait;
use haft::overflow_store::{Archive, Facts, OverflowError, ReadOverflow, Reference};
use tools_core::SessionId;
use tools_mcp::{
    Resource, ResourceAddress, ResourceError, ResourcePage, ResourceScheme, ResourceTarget, ResourceTemplate,
};

/// Maximum number of entries on a page of the list.
const PAGE: u32 = 50;
/// Maximum number of entries that a completion considers.
const LOOKED_AT: u32 = 1000;
const SCHEME: &str = "overflow:";
const MIME: &str = "text/plain";

pub(super) struct StoredOutput(pub(super) Archive);

impl StoredOutput {
    async fn entries(
        &self,
        session: &SessionId,
        after: Option<Reference>,
        most: u32,
    ) -> Result<Vec<(Reference, Facts)>, ResourceError> {
        self.0.entries(session.as_str(), after, most).await.map_err(failed)
    }
}

#[async_trait]
impl ResourceScheme for StoredOutput {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn template(&self) -> ResourceTemplate {
        ResourceTemplate {
            uri: "overflow:{id}{?offset,limit,byte}",
            name: "stored-output",
            description: "Output of a call of this session that was not shown whole, a page at a time. `id` as in the \
                          reference that the result names; `offset` and `limit` count lines from 1, `byte` begins \
                          inside of a line. `haft/next` in `_meta` of a page is the URI of the next.",
            mime: MIME,
        }
    }

    async fn list(&self, session: &SessionId, after: &str) -> Result<ResourcePage, ResourceError> {
        let after = match after {
            "" => None,
            id => Some(reference(id).ok_or_else(|| ResourceError::Invalid("no page gave this cursor".to_owned()))?),
        };
        let mut found = self.entries(session, after, PAGE + 1).await?;
        let more = found.len() > PAGE as usize;
        found.truncate(PAGE as usize);
        let next = found.last().filter(|_| more).map(|(last, _)| last.uuid().to_string());
        Ok(ResourcePage {
            resources: found.into_iter().map(|(reference, facts)| resource(reference, facts)).collect(),
            next,
        })
    }

    async fn find(&self, session: &SessionId, address: &ResourceAddress<'_>) -> Result<ResourceTarget, ResourceError> {
        let reference = reference(address.name).ok_or(ResourceError::NotFound)?;
        self.0.open(session.as_str(), reference).await.map_err(failed)?;
        let call = ReadOverflow::call(reference, &address.numbers);
        let call = call.map_err(|error| ResourceError::Failed(error.to_string()))?;
        Ok(ResourceTarget::Call { call, next: format!("{reference}?byte="), mime: MIME })
    }

    async fn complete(
        &self,
        session: &SessionId,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError> {
        if variable != "id" {
            return Ok(None);
        }
        let entries = self.entries(session, None, LOOKED_AT).await?;
        let ids = entries.into_iter().map(|(reference, _)| reference.uuid().to_string());
        Ok(Some(ids.filter(|id| id.starts_with(begun)).collect()))
    }

    async fn stored(&self, session: &SessionId, named: &str) -> Option<Resource> {
        let reference = reference(named.strip_prefix(SCHEME)?)?;
        let entry = self.0.open(session.as_str(), reference).await.ok()?;
        Some(resource(reference, entry.facts()))
    }
}

/// Parses an identifier in its canonical spelling only: a resource has exactly one URI.
fn reference(id: &str) -> Option<Reference> {
    let reference: Reference = id.parse().ok()?;
    (reference.uuid().to_string() == id).then_some(reference)
}

fn resource(reference: Reference, facts: Facts) -> Resource {
    let lines = facts.original_lines();
    Resource {
        uri: reference.to_string(),
        name: format!("output-{}", reference.uuid()),
        title: format!("Stored output, {lines} {}", if lines == 1 { "line" } else { "lines" }),
        mime: MIME,
        bytes: Some(facts.bytes),
    }
}

fn failed(error: OverflowError) -> ResourceError {
    match error {
        OverflowError::NotFound => ResourceError::NotFound,
        other => {
            tracing::warn!(error = %other, "stored output cannot be read as a resource");
            ResourceError::Failed("the store of long output cannot be used".to_owned())
        }
    }
}
