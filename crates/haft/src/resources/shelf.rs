//! One kind of resources, and the form of their URIs.

use async_trait::async_trait;
use tools_core::SessionId;
use tools_mcp::{Resource, ResourceError, ResourcePage, ResourceTarget, ResourceTemplate};

/// Resources whose URIs have one scheme.
#[async_trait]
pub(super) trait Shelf: Send + Sync {
    /// The scheme of their URIs, which is also the beginning of cursors.
    fn scheme(&self) -> &'static str;

    fn template(&self) -> ResourceTemplate;

    /// A page of what the session has, behind the resource `after` (without its scheme); empty for
    /// the first. `next` is the same part of the last one's URI.
    async fn list(&self, session: &SessionId, after: &str) -> Result<ResourcePage, ResourceError>;

    async fn find(&self, session: &SessionId, address: &Address<'_>) -> Result<ResourceTarget, ResourceError>;

    /// Whether what is at an address changes with the calls of its session.
    fn changes(&self, _: &Address<'_>) -> bool {
        false
    }

    /// Values of a variable that begin with `begun`; `None` where it is none that can be completed.
    async fn complete(
        &self,
        session: &SessionId,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError>;

    /// The resource that holds the stored output `reference`.
    async fn stored(&self, _: &SessionId, _: &str) -> Option<Resource> {
        None
    }
}

/// A URI behind its scheme: `name?key=1&other=2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address<'a> {
    pub(super) name: &'a str,
    pub(super) numbers: Vec<(&'a str, u64)>,
}

impl<'a> Address<'a> {
    /// Reads it; every parameter has one of these names, once, and a number.
    pub(super) fn parse(text: &'a str, known: &[&str]) -> Result<Self, ResourceError> {
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

    #[cfg(feature = "audit")]
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        self.numbers.iter().find(|(name, _)| *name == key).map(|(_, value)| *value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_name_and_numbers() {
        let check = |text: &str, expected: Option<(&str, &[(&str, u64)])>| {
            let parsed = Address::parse(text, &["offset", "limit"]);
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
