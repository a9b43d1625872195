//! All that a session can list and read, kind by kind.

use async_trait::async_trait;
use tools_core::SessionId;
use tools_mcp::{Resource, ResourceError, ResourcePage, ResourceTarget, ResourceTemplate, Resources};

use super::shelf::{Address, Shelf};
use crate::Toolbox;

/// Parameters that URIs may have.
const PARAMETERS: &[&str] = &["offset", "limit", "byte", "after"];

/// The resources of a toolbox. What the toolbox does not store or record is not there.
pub(crate) struct SessionResources(Vec<Box<dyn Shelf>>);

impl SessionResources {
    pub(crate) fn of(toolbox: &Toolbox) -> Self {
        let mut shelves: Vec<Box<dyn Shelf>> = Vec::new();
        #[cfg(feature = "audit")]
        shelves.extend(
            toolbox
                .parts
                .record
                .as_ref()
                .map(|record| Box::new(super::record::SessionRecord(record.place.clone())) as _),
        );
        #[cfg(feature = "overflow")]
        shelves.extend(
            toolbox
                .parts
                .wiring
                .overflow
                .archive()
                .map(|archive| Box::new(super::output::StoredOutput(archive.clone())) as _),
        );
        let _ = toolbox;
        Self(shelves)
    }

    /// The kind of resources of a URI or cursor, with its place and what stands behind the scheme.
    fn kind<'a>(&self, uri: &'a str) -> Option<(usize, &dyn Shelf, &'a str)> {
        let mut shelves = self.0.iter().enumerate();
        shelves.find_map(|(at, kind)| Some((at, kind.as_ref(), uri.strip_prefix(kind.scheme())?)))
    }
}

#[async_trait]
impl Resources for SessionResources {
    async fn list(&self, session: &SessionId, cursor: Option<&str>) -> Result<ResourcePage, ResourceError> {
        let (begin, mut after) = match cursor {
            None => (0, ""),
            Some(cursor) => {
                let found = self.kind(cursor).map(|(at, _, after)| (at, after));
                found.ok_or_else(|| ResourceError::Invalid("no page gave this cursor".to_owned()))?
            }
        };
        let mut page = ResourcePage::default();
        for kind in &self.0[begin..] {
            let part = kind.list(session, std::mem::take(&mut after)).await?;
            page.resources.extend(part.resources);
            if let Some(next) = part.next {
                page.next = Some(format!("{}{next}", kind.scheme()));
                break;
            }
        }
        Ok(page)
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.0.iter().map(|kind| kind.template()).collect()
    }

    async fn find(&self, session: &SessionId, uri: &str) -> Result<ResourceTarget, ResourceError> {
        let (_, kind, rest) = self.kind(uri).ok_or(ResourceError::NotFound)?;
        kind.find(session, &Address::parse(rest, PARAMETERS)?).await
    }

    fn changes(&self, uri: &str) -> bool {
        let Some((_, kind, rest)) = self.kind(uri) else { return false };
        Address::parse(rest, PARAMETERS).is_ok_and(|address| kind.changes(&address))
    }

    async fn complete(
        &self,
        session: &SessionId,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError> {
        match self.0.iter().find(|kind| kind.template().uri == template) {
            Some(kind) => kind.complete(session, variable, begun).await,
            None => Ok(None),
        }
    }

    async fn stored(&self, session: &SessionId, reference: &str) -> Option<Resource> {
        let (_, kind, _) = self.kind(reference)?;
        kind.stored(session, reference).await
    }
}
