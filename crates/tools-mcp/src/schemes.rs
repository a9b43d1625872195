//! Resources of several kinds, distinguished by the schemes of their URIs.

use async_trait::async_trait;
use tools_core::SessionId;

use crate::{Resource, ResourceError, ResourcePage, ResourceTarget, ResourceTemplate, Resources};

/// Resources whose URIs have one scheme. Called by [`ResourceSchemes`]; the contract of
/// [`Resources`] applies.
#[async_trait]
pub trait ResourceScheme: Send + Sync {
    /// Scheme of their URIs, also the prefix of cursors.
    fn scheme(&self) -> &'static str;

    /// Template of the URIs, including those that are not listed.
    fn template(&self) -> ResourceTemplate;

    /// A page of the session's resources after the resource `after` (without its scheme); empty for
    /// the first. `next` is the same part of the last resource's URI.
    ///
    /// # Errors
    /// [`ResourceError::Invalid`] for a resource with which no page ended.
    async fn list(&self, session: &SessionId, after: &str) -> Result<ResourcePage, ResourceError>;

    /// Target of an address.
    ///
    /// # Errors
    /// [`ResourceError::NotFound`] if the session has no such resource.
    async fn find(&self, session: &SessionId, address: &ResourceAddress<'_>) -> Result<ResourceTarget, ResourceError>;

    /// Whether the content at an address changes with the calls of its session.
    fn changes(&self, _: &ResourceAddress<'_>) -> bool {
        false
    }

    /// Values of a variable that begin with `begun`; `None` if it cannot be completed.
    async fn complete(
        &self,
        session: &SessionId,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError>;

    /// The resource with the stored output `reference`.
    async fn stored(&self, _: &SessionId, _: &str) -> Option<Resource> {
        None
    }
}

/// A URI without its scheme: `name?key=1&other=2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourceAddress<'a> {
    /// The part before the question mark.
    pub name: &'a str,
    /// The parameters.
    pub numbers: Vec<(&'a str, u64)>,
}

impl<'a> ResourceAddress<'a> {
    /// Parses an address; every parameter must have one of these names, occur once, and be a
    /// number.
    fn parse(text: &'a str, known: &[&str]) -> Result<Self, ResourceError> {
        let (name, query) = text.split_once('?').unwrap_or((text, ""));
        let mut numbers: Vec<(&str, u64)> = Vec::new();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if !known.contains(&key) || numbers.iter().any(|(other, _)| *other == key) {
                return Err(ResourceError::Invalid(format!("the URI may have {} once each", known.join(", "))));
            }
            let value = value.parse().map_err(|_| ResourceError::Invalid(format!("`{key}` is a number")))?;
            numbers.push((key, value));
        }
        Ok(Self { name, numbers })
    }

    /// The value of a parameter; `None` if it is missing.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.numbers.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

/// All resources that a session can list and read, by scheme.
pub struct ResourceSchemes {
    schemes: Vec<Box<dyn ResourceScheme>>,
    parameters: &'static [&'static str],
}

impl ResourceSchemes {
    /// Resources of these schemes, listed in this order. `parameters` are the parameters allowed in
    /// URIs.
    pub fn new(schemes: Vec<Box<dyn ResourceScheme>>, parameters: &'static [&'static str]) -> Self {
        Self { schemes, parameters }
    }

    /// The scheme of a URI or cursor with its index, and the rest of the text.
    fn kind<'a>(&self, uri: &'a str) -> Option<(usize, &dyn ResourceScheme, &'a str)> {
        let mut schemes = self.schemes.iter().enumerate();
        schemes.find_map(|(at, kind)| Some((at, kind.as_ref(), uri.strip_prefix(kind.scheme())?)))
    }
}

#[async_trait]
impl Resources for ResourceSchemes {
    async fn list(&self, session: &SessionId, cursor: Option<&str>) -> Result<ResourcePage, ResourceError> {
        let (begin, mut after) = match cursor {
            None => (0, ""),
            Some(cursor) => {
                let found = self.kind(cursor).map(|(at, _, after)| (at, after));
                found.ok_or_else(|| ResourceError::Invalid("no page gave this cursor".to_owned()))?
            }
        };
        let mut page = ResourcePage::default();
        for kind in &self.schemes[begin..] {
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
        self.schemes.iter().map(|kind| kind.template()).collect()
    }

    async fn find(&self, session: &SessionId, uri: &str) -> Result<ResourceTarget, ResourceError> {
        let (_, kind, rest) = self.kind(uri).ok_or(ResourceError::NotFound)?;
        kind.find(session, &ResourceAddress::parse(rest, self.parameters)?).await
    }

    fn changes(&self, uri: &str) -> bool {
        let Some((_, kind, rest)) = self.kind(uri) else { return false };
        ResourceAddress::parse(rest, self.parameters).is_ok_and(|address| kind.changes(&address))
    }

    async fn complete(
        &self,
        session: &SessionId,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError> {
        match self.schemes.iter().find(|kind| kind.template().uri == template) {
            Some(kind) => kind.complete(session, variable, begun).await,
            None => Ok(None),
        }
    }

    async fn stored(&self, session: &SessionId, reference: &str) -> Option<Resource> {
        let (_, kind, _) = self.kind(reference)?;
        kind.stored(session, reference).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_name_and_numbers() {
        let check = |text: &str, expected: Option<(&str, &[(&str, u64)])>| {
            let parsed = ResourceAddress::parse(text, &["offset", "limit"]);
            let parsed = parsed.ok().map(|address| (address.name, address.numbers));
            assert_eq!(parsed, expected.map(|(name, numbers)| (name, numbers.to_vec())), "{text}");
        };
        check("a", Some(("a", &[])));
        check("a?", Some(("a", &[])));
        check("a?limit=2&offset=1", Some(("a", &[("limit", 2), ("offset", 1)])));
        check("a?limit=2&limit=1", None);
        check("a?limit", None);
        check("a?limit=-1", None);
        check("a?other=1", None);
        check("", Some(("", &[])));
    }
}
