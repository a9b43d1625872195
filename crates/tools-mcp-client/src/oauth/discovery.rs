//! Discovers the authorization server of a server.

use hyper::StatusCode;
use serde_json::Value;
use url::Url;

use super::challenge::Challenge;
use super::fault::{LoginError, address};
use super::metadata::{self, Issuer, OF_ISSUER, OF_RESOURCE, Resource};
use super::scopes::Scopes;
use super::store::Wanted;
use super::web::{Ask, JSON, Web};

const SERVER: &str = "the server";

/// The authorization server, and the resource for tokens.
#[derive(Debug)]
pub(crate) struct Found {
    /// The resource for which tokens are requested, byte for byte as the server names itself.
    pub(crate) resource: String,
    /// Scopes that the server names.
    pub(crate) scopes: Option<Scopes>,
    pub(crate) issuer: Issuer,
}

/// Facts known before discovery.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Address of the server's metadata, if it names one.
    pub(crate) wanted: &'a Wanted,
    /// The authorization server from the configuration; empty for any.
    pub(crate) issuer: &'a str,
    /// The authorization server of the last login.
    pub(crate) before: Option<&'a str>,
}

/// Finds the authorization server of the server at `url`.
pub(crate) async fn discover(web: &Web, url: &Url, known: Known<'_>) -> Result<Found, LoginError> {
    let resource = resource(web, url, known.wanted.resource_metadata.as_deref()).await?;
    let (name, called, scopes) = match resource {
        Some(resource) => (resource.issuer(known.issuer, known.before)?, resource.name, resource.scopes),
        // Before resource metadata existed, a server issued its own tokens.
        None if known.issuer.is_empty() => (metadata::origin(url), url.to_string(), None),
        None => (known.issuer.to_owned(), url.to_string(), None),
    };
    let issuer = issuer(web, &name).await?;
    Ok(Found { resource: called, scopes, issuer })
}

async fn resource(web: &Web, url: &Url, told: Option<&str>) -> Result<Option<Resource>, LoginError> {
    let places = metadata::resource_places(url);
    for place in told.into_iter().chain(places.iter().map(String::as_str)) {
        if let Some(value) = document(web, OF_RESOURCE, place).await? {
            return Resource::read(value, url).map(Some);
        }
    }
    Ok(None)
}

async fn issuer(web: &Web, name: &str) -> Result<Issuer, LoginError> {
    let unusable = |problem: &str| {
        LoginError::metadata(OF_RESOURCE, format!("the authorization server `{}`: {problem}", address(name)))
    };
    let url = Url::parse(name).map_err(|error| unusable(&error.to_string()))?;
    if url.query().is_some() || url.fragment().is_some() {
        return Err(unusable("expected a URL without `?` and `#`"));
    }
    web.check(OF_ISSUER, name)?;
    for place in metadata::issuer_places(&url) {
        if let Some(value) = document(web, OF_ISSUER, &place).await? {
            return Issuer::read(value, name);
        }
    }
    Err(LoginError::metadata(OF_ISSUER, format!("`{}` has none at any of their places", address(name))))
}

/// The JSON at an address; `None` if there is none. If the server fails, that is an error, so that
/// older documents elsewhere are not used instead.
async fn document(web: &Web, what: &'static str, url: &str) -> Result<Option<Value>, LoginError> {
    let answer = web.ask(Ask::get(what, url)).await?;
    if answer.status >= 500 || answer.status == StatusCode::TOO_MANY_REQUESTS.as_u16() {
        let problem = format!("`{}` answered with the HTTP status {}", address(url), answer.status);
        return Err(LoginError::Answer { what, problem });
    }
    Ok(answer.json.filter(|_| (200..300).contains(&answer.status)).filter(Value::is_object))
}

/// The server's challenge to a request without a token; `None` if it answers such requests.
pub(crate) async fn challenge(web: &Web, url: &Url) -> Result<Option<Challenge>, LoginError> {
    let hello = serde_json::json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "haft", "version": env!("CARGO_PKG_VERSION")},
        },
    });
    // Some servers accept `initialize` from everybody and require a token afterwards.
    let list = serde_json::json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    for message in [hello, list] {
        let mut ask = Ask::post(SERVER, url.as_str(), JSON, message.to_string());
        ask.accept = "application/json, text/event-stream";
        let answer = web.head(ask).await?;
        if answer.status == StatusCode::UNAUTHORIZED.as_u16() {
            return Ok(Some(Challenge::of(&answer.headers).unwrap_or_default()));
        }
    }
    Ok(None)
}
