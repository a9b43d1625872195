//! Metadata of a resource (RFC 9728) and of an authorization server (RFC 8414, OpenID Connect
//! Discovery): their possible addresses, and checks of their content. Fetches nothing.

use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::fault::{LoginError, address};
use super::scopes::Scopes;

pub(crate) const OF_RESOURCE: &str = "the metadata of the server";
pub(crate) const OF_ISSUER: &str = "the metadata of the authorization server";
const S256: &str = "S256";

/// Possible addresses of the metadata of a resource, in this order.
pub(crate) fn resource_places(resource: &Url) -> Vec<String> {
    let at_root = well_known(resource, "oauth-protected-resource", "");
    let path = resource.path();
    let query = resource.query().map(|query| format!("?{query}")).unwrap_or_default();
    if path == "/" && query.is_empty() {
        return vec![at_root];
    }
    let path = if path == "/" { "" } else { path };
    vec![well_known(resource, "oauth-protected-resource", &format!("{path}{query}")), at_root]
}

/// Possible addresses of the metadata of an authorization server, in this order.
pub(crate) fn issuer_places(issuer: &Url) -> Vec<String> {
    let path = issuer.path().trim_end_matches('/');
    let mut places =
        vec![well_known(issuer, "oauth-authorization-server", path), well_known(issuer, "openid-configuration", path)];
    if !path.is_empty() {
        places.push(format!("{}{path}/.well-known/openid-configuration", origin(issuer)));
    }
    places
}

fn well_known(base: &Url, kind: &str, path: &str) -> String {
    format!("{}/.well-known/{kind}{path}", origin(base))
}

/// Scheme, host and port.
pub(crate) fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Metadata of a resource, as far as they are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resource {
    /// Name of the resource, byte for byte as the server writes it.
    pub(crate) name: String,
    pub(crate) issuers: Vec<String>,
    pub(crate) scopes: Option<Scopes>,
}

impl Resource {
    /// Parses metadata for the server at `url`: they must describe it, or a path above it.
    pub(crate) fn read(value: Value, url: &Url) -> Result<Self, LoginError> {
        #[derive(Deserialize)]
        struct Text {
            resource: String,
            #[serde(default)]
            authorization_servers: Vec<String>,
            scopes_supported: Option<Vec<String>>,
        }
        let unusable = |problem: String| LoginError::metadata(OF_RESOURCE, problem);
        let text: Text = serde_json::from_value(value).map_err(|error| unusable(kind_of(&error)))?;
        if !is_about(&text.resource, url) {
            return Err(unusable(format!("they are about `{}`, which is not the server", address(&text.resource))));
        }
        Ok(Self {
            name: text.resource,
            issuers: text.authorization_servers,
            scopes: text.scopes_supported.map(|scopes| scopes.into_iter().collect()),
        })
    }

    /// The authorization server to use: the configured one, else that of the last login, else the
    /// first.
    pub(crate) fn issuer(&self, wanted: &str, before: Option<&str>) -> Result<String, LoginError> {
        let has = |issuer: &str| self.issuers.iter().any(|named| is_same_issuer(named, issuer));
        if !wanted.is_empty() {
            let named = self.issuers.first().map_or_else(|| "none".to_owned(), |first| format!("`{}`", address(first)));
            let other = || format!("they name the authorization server {named}, `oauth.issuer` is `{wanted}`");
            return has(wanted).then(|| wanted.to_owned()).ok_or_else(|| LoginError::metadata(OF_RESOURCE, other()));
        }
        let before = before.filter(|before| has(before)).map(str::to_owned);
        let chosen = before.or_else(|| self.issuers.first().cloned());
        chosen.ok_or_else(|| LoginError::metadata(OF_RESOURCE, "they name no authorization server"))
    }
}

/// Whether metadata of `resource` apply to the server at `url`: the same origin, and the same path
/// or one above it.
fn is_about(resource: &str, url: &Url) -> bool {
    let Ok(named) = Url::parse(resource) else { return false };
    if named.fragment().is_some() || named.origin() != url.origin() || !named.username().is_empty() {
        return false;
    }
    let path = named.path().trim_end_matches('/');
    match url.path().strip_prefix(path) {
        Some(rest) => {
            (rest.is_empty() || rest.starts_with('/')) && (named.query().is_none() || named.query() == url.query())
        }
        None => false,
    }
}

/// Whether two names of an authorization server are equal, byte for byte. A slash after a bare host
/// is ignored: some libraries always add it.
pub(crate) fn is_same_issuer(one: &str, other: &str) -> bool {
    let bare = |text: &str| {
        let is_host =
            text.split_once("://").is_some_and(|(_, rest)| rest.find('/').is_some_and(|at| at + 1 == rest.len()));
        if is_host { text.strip_suffix('/').unwrap_or(text).to_owned() } else { text.to_owned() }
    };
    bare(one) == bare(other)
}

/// An authorization server.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Issuer {
    /// Its name, byte for byte.
    #[serde(rename = "issuer")]
    pub(crate) name: String,
    pub(crate) authorization_endpoint: Option<String>,
    pub(crate) token_endpoint: String,
    pub(crate) registration_endpoint: Option<String>,
    pub(crate) revocation_endpoint: Option<String>,
    pub(crate) scopes_supported: Option<Vec<String>>,
    grant_types_supported: Option<Vec<String>>,
    response_types_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    /// Supported client authentication methods of the token endpoint.
    pub(crate) token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) client_id_metadata_document_supported: bool,
    /// Whether answers of the authorization endpoint name the issuer.
    #[serde(default)]
    pub(crate) authorization_response_iss_parameter_supported: bool,
}

impl Issuer {
    /// Reads the metadata of the authorization server `expected`.
    pub(crate) fn read(value: Value, expected: &str) -> Result<Self, LoginError> {
        let unusable = |problem: String| LoginError::metadata(OF_ISSUER, problem);
        let read: Self = serde_json::from_value(value).map_err(|error| unusable(kind_of(&error)))?;
        if !is_same_issuer(&read.name, expected) {
            let problem = format!("they are of `{}`, asked for was `{}`", address(&read.name), address(expected));
            return Err(unusable(problem));
        }
        Ok(read)
    }

    /// Checks that the code flow is supported with PKCE.
    pub(crate) fn check_code_flow(&self) -> Result<&str, LoginError> {
        let offers = |list: &Option<Vec<String>>, name: &str| {
            list.as_ref().is_none_or(|list| list.iter().any(|one| one == name))
        };
        if !offers(&self.grant_types_supported, "authorization_code") || !offers(&self.response_types_supported, "code")
        {
            let problem = "it issues no codes; with `oauth.grant = \"client_credentials\"` a client logs in by itself";
            return Err(LoginError::metadata(OF_ISSUER, problem));
        }
        // A missing value counts as no: a server that ignores the challenge looks the same.
        let has_pkce =
            self.code_challenge_methods_supported.as_ref().is_some_and(|methods| methods.iter().any(|one| one == S256));
        if !has_pkce {
            return Err(LoginError::NoPkce);
        }
        let endpoint = self.authorization_endpoint.as_deref();
        endpoint.ok_or_else(|| LoginError::metadata(OF_ISSUER, "they name no `authorization_endpoint`"))
    }

    pub(crate) fn scopes(&self) -> Option<Scopes> {
        self.scopes_supported.as_ref().map(|scopes| scopes.iter().collect())
    }

    /// Whether a client may authenticate with this method. The default is `client_secret_basic`
    /// alone.
    pub(crate) fn takes(&self, method: &str) -> bool {
        match &self.token_endpoint_auth_methods_supported {
            Some(methods) => methods.iter().any(|one| one == method),
            None => method == "client_secret_basic",
        }
    }
}

/// Describes a JSON error without the text.
fn kind_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.strip_prefix("missing field ") {
        Some(field) => format!("they have no {field}"),
        None => "they have not the form of metadata".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn places_stand_in_the_order_of_the_specification() {
        assert_eq!(
            resource_places(&url("https://a.example:8/x/mcp?t=1")),
            [
                "https://a.example:8/.well-known/oauth-protected-resource/x/mcp?t=1",
                "https://a.example:8/.well-known/oauth-protected-resource",
            ]
        );
        assert_eq!(
            resource_places(&url("https://a.example")),
            ["https://a.example/.well-known/oauth-protected-resource"]
        );
        assert_eq!(
            issuer_places(&url("https://a.example/t/1")),
            [
                "https://a.example/.well-known/oauth-authorization-server/t/1",
                "https://a.example/.well-known/openid-configuration/t/1",
                "https://a.example/t/1/.well-known/openid-configuration",
            ]
        );
        assert_eq!(issuer_places(&url("https://a.example/")).len(), 2);
    }

    #[test]
    fn metadata_about_another_resource_are_not_believed() {
        let check = |resource: &str, at: &str, expected: bool| {
            let read =
                Resource::read(json!({"resource": resource, "authorization_servers": ["https://b.example"]}), &url(at));
            assert_eq!(read.is_ok(), expected, "{resource} {at} {read:?}");
            if let Ok(read) = read {
                assert_eq!(read.name, resource);
            }
        };
        let at = "https://a.example/x/mcp";
        for fine in [
            "https://a.example/x/mcp",
            "https://a.example",
            "https://a.example/",
            "https://a.example/x",
            "https://A.example:443/x/",
        ] {
            check(fine, at, true);
        }
        for wrong in [
            "http://a.example/x/mcp",
            "https://a.example:8443/x/mcp",
            "https://evil.example/x/mcp",
            "https://a.example.evil.example/x/mcp",
            "https://a.example/x/mc",
            "https://a.example/x/mcp/more",
            "https://a.example/x/mcp#f",
            "https://a.example/x/mcp?other=1",
            "https://user@a.example/x/mcp",
            "x/mcp",
            "",
        ] {
            check(wrong, at, false);
        }
        assert!(
            Resource::read(json!({"authorization_servers": []}), &url(at))
                .unwrap_err()
                .to_string()
                .contains("`resource`")
        );
        assert!(Resource::read(json!(["https://a.example"]), &url(at)).is_err());
    }

    #[test]
    fn the_operators_issuer_is_the_only_one_and_that_of_before_stays() {
        let named = |list: &[&str]| Resource {
            name: String::new(),
            issuers: list.iter().map(|&one| one.to_owned()).collect(),
            scopes: None,
        };
        let two = named(&["https://a", "https://b"]);
        assert_eq!(two.issuer("", None).unwrap(), "https://a");
        assert_eq!(two.issuer("", Some("https://b")).unwrap(), "https://b");
        assert_eq!(two.issuer("", Some("https://c")).unwrap(), "https://a");
        assert_eq!(two.issuer("https://b", Some("https://a")).unwrap(), "https://b");
        assert!(two.issuer("https://c", None).is_err() && named(&[]).issuer("", None).is_err());
    }

    #[test]
    fn names_of_issuers_are_compared_byte_for_byte() {
        assert!(is_same_issuer("https://a", "https://a/") && is_same_issuer("https://a/", "https://a/"));
        for (one, other) in [
            ("https://a/x", "https://a/x/"),
            ("https://a", "https://A"),
            ("https://a", "https://a:443"),
            ("https://a", "http://a"),
            ("https://a//", "https://a"),
            ("https://a/%78", "https://a/x"),
        ] {
            assert!(!is_same_issuer(one, other), "{one} {other}");
        }
    }

    #[test]
    fn an_authorization_server_is_refused_for_what_it_does_not_say() {
        let of = |more: Value| {
            let mut value = json!({
                "issuer": "https://a", "authorization_endpoint": "https://a/go", "token_endpoint": "https://a/token",
                "code_challenge_methods_supported": ["plain", "S256"],
            });
            value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            Issuer::read(value, "https://a")
        };
        assert_eq!(of(json!({})).unwrap().check_code_flow().unwrap(), "https://a/go");
        for pkce in [json!(null), json!([]), json!(["plain"]), json!(["s256"])] {
            let read = of(json!({"code_challenge_methods_supported": pkce})).unwrap();
            assert_eq!(read.check_code_flow(), Err(LoginError::NoPkce), "{pkce}");
        }
        assert!(of(json!({"grant_types_supported": ["client_credentials"]})).unwrap().check_code_flow().is_err());
        assert!(of(json!({"response_types_supported": ["token"]})).unwrap().check_code_flow().is_err());
        assert!(of(json!({"authorization_endpoint": null})).unwrap().check_code_flow().is_err());
        assert!(of(json!({"issuer": "https://evil"})).is_err() && of(json!({"token_endpoint": 7})).is_err());
    }

    proptest! {
        #[test]
        fn metadata_of_any_form_are_an_error_or_about_the_server(resource in "[a-z:/.?#@]{0,24}") {
            let at = url("https://a.example/x/mcp");
            if let Ok(read) = Resource::read(json!({"resource": format!("https://{resource}")}), &at) {
                prop_assert_eq!(url(&read.name).origin(), at.origin());
            }
        }
    }
}
