//! Logs a person in: the address for the browser, the redirect back, and the stored login.

use std::{fmt, sync::Arc, time::Duration};

use tools_core::Clock;
use url::Url;

use super::client::{self, Client, ClientKeys, REGISTRATION};
use super::discovery::{self, Found, Known};
use super::fault::{LoginError, code};
use super::metadata::is_same_issuer;
use super::random::{challenge as pkce, unguessable};
use super::redirect::{Expected, Redirect};
use super::scopes::{self, Scopes, Sources};
use super::store::{Login, LoginFile, LoginStore, Stored, Wanted};
use super::token::{self, TOKEN, Tokens};
use super::web::{Ask, FORM, JSON, Web};
use crate::config::{Grant, OAuthConfig, Server};

const AUTHORIZATION: &str = "the login page";
const REVOCATION: &str = "the revocation";

/// This user's login at the authorization server of one server.
pub struct ServerLogin {
    pub(super) url: Url,
    pub(super) config: OAuthConfig,
    pub(super) keys: ClientKeys,
    pub(super) slot: LoginFile,
    pub(super) web: Web,
    pub(super) clock: Arc<dyn Clock>,
}

impl fmt::Debug for ServerLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerLogin").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

/// Options of the person who logs in.
#[derive(Debug, Clone, Default)]
pub struct LoginRequest {
    /// Scopes besides those of the configuration.
    pub scopes: Scopes,
    /// Authorization server that may replace the one of the last login.
    pub accept_issuer: Option<String>,
}

/// A login that has begun.
#[derive(Debug)]
pub enum StartedLogin {
    /// Finished: the client logged in by itself.
    Done(LoginSummary),
    /// A person has to open an address.
    Open(Box<PendingLogin>),
}

/// Summary of a login, without its tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginSummary {
    /// The authorization server.
    pub issuer: String,
    /// The granted scopes.
    pub scopes: Scopes,
    /// Whether the login can be renewed without a person.
    pub is_renewable: bool,
}

/// A login that waits for a person.
#[derive(Debug)]
pub struct PendingLogin {
    login: Arc<ServerLogin>,
    found: Found,
    client: Client,
    scopes: Scopes,
    redirect: Redirect,
    expected: Expected,
    verifier: String,
    url: Url,
}

impl ServerLogin {
    /// The login of a server over HTTP.
    ///
    /// # Errors
    /// If the section of the server is invalid.
    pub fn new(
        server: &Server,
        keys: ClientKeys,
        store: &LoginStore,
        clock: Arc<dyn Clock>,
    ) -> Result<Arc<Self>, LoginError> {
        let config = &server.config;
        let url = Url::parse(&config.url).map_err(|error| LoginError::Config(error.to_string()))?;
        if let Some(key) = &keys.private_key {
            client::check_key(key)?;
        }
        Ok(Arc::new(Self {
            web: Web::new(&config.url, config.private)?,
            slot: store.of(&config.id, &config.url),
            config: config.oauth.clone().unwrap_or_default(),
            url,
            keys,
            clock,
        }))
    }

    pub(super) fn now(&self) -> i64 {
        self.clock.now().as_second()
    }

    /// Whether a login is stored locally; for a list.
    pub fn is_logged_in(&self) -> bool {
        self.slot.load().is_ok_and(|stored| stored.login.is_some_and(|login| login.tokens.is_some()))
    }

    /// Whether the server requires a token.
    ///
    /// # Errors
    /// If it cannot be contacted.
    pub async fn is_asked_for(&self) -> Result<bool, LoginError> {
        Ok(discovery::challenge(&self.web, &self.url).await?.is_some())
    }

    /// Begins a login: discovers the authorization server, and creates the address to open.
    ///
    /// # Errors
    /// If the metadata of the server or of its authorization server are missing or invalid.
    pub async fn begin(self: &Arc<Self>, asked: &LoginRequest) -> Result<StartedLogin, LoginError> {
        let stored = self.slot.load()?;
        let challenged = discovery::challenge(&self.web, &self.url).await?;
        let is_asked = challenged.is_some() || stored.wanted.is_some();
        let wanted = merged(
            stored.wanted.clone(),
            challenged
                .map(|challenge| Wanted { scopes: challenge.scopes, resource_metadata: challenge.resource_metadata }),
        );
        let before = stored.login.as_ref().map(|login| login.issuer.as_str());
        let found = match self.discovered(&wanted, before).await {
            Err(LoginError::Metadata { .. }) if !is_asked => return Err(LoginError::NotAsked),
            found => found?,
        };
        check_issuer(&found, before, asked.accept_issuer.as_deref())?;
        let scopes = self.scopes(&found, &wanted, &stored, &asked.scopes);
        if self.config.grant == Grant::ClientCredentials {
            let held = self.slot.hold().await?;
            let login = self.issued(&found, scopes).await?;
            self.slot.save(&held, Stored { login: Some(login.clone()), wanted: None })?;
            return Ok(StartedLogin::Done(summary(&login)));
        }
        let page = self.web.judge(AUTHORIZATION, found.issuer.check_code_flow()?).await?;
        let redirect = Redirect::listen(self.config.redirect_port).await?;
        let client = self.client(&found, &redirect.url(), &scopes).await?;
        let (state, verifier) = (unguessable()?, unguessable()?);
        let url = address(page, &client.id, &redirect.url(), &found.resource, &scopes, &state, &pkce(&verifier));
        let expected = Expected {
            state,
            issuer: found.issuer.name.clone(),
            names_issuer: found.issuer.authorization_response_iss_parameter_supported,
        };
        let login = Arc::clone(self);
        Ok(StartedLogin::Open(Box::new(PendingLogin {
            login,
            found,
            client,
            scopes,
            redirect,
            expected,
            verifier,
            url,
        })))
    }

    /// Deletes the login, and revokes it if the authorization server supports that; returns whether
    /// there was one.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub async fn logout(&self) -> Result<bool, LoginError> {
        let held = self.slot.hold().await?;
        let stored = self.slot.load();
        let is_removed = self.slot.remove(&held)?;
        match stored {
            Ok(Stored { login: Some(login), .. }) => {
                if let Err(error) = self.revoked(&login).await {
                    tracing::debug!(%error, "the authorization server was not told of a logout");
                }
                Ok(true)
            }
            Ok(Stored { login: None, .. }) => Ok(false),
            // An unreadable file may have been a login.
            Err(_) => Ok(is_removed),
        }
    }

    async fn revoked(&self, login: &Login) -> Result<(), LoginError> {
        let (Some(endpoint), Some(tokens)) = (&login.revocation_endpoint, &login.tokens) else { return Ok(()) };
        let (token, kind) = match &tokens.refresh {
            Some(refresh) => (refresh, "refresh_token"),
            None => (&tokens.access, "access_token"),
        };
        let fields = [("token", token.as_str()), ("token_type_hint", kind)];
        let proven = login.client.authenticate(&fields, &login.issuer, &self.keys, self.now())?;
        let ask = Ask { authorization: proven.authorization, ..Ask::post(REVOCATION, endpoint, FORM, proven.body) };
        self.web.ask(ask).await.map(drop)
    }

    pub(super) async fn discovered(&self, wanted: &Wanted, before: Option<&str>) -> Result<Found, LoginError> {
        discovery::discover(&self.web, &self.url, Known { wanted, issuer: &self.config.issuer, before }).await
    }

    /// The scopes to request.
    pub(super) fn scopes(&self, found: &Found, wanted: &Wanted, stored: &Stored, typed: &Scopes) -> Scopes {
        let typed = self.config.scopes.iter().collect::<Scopes>().and(typed);
        // Scopes from another authorization server do not count.
        let earlier = stored.login.as_ref().filter(|login| is_same_issuer(&login.issuer, &found.issuer.name));
        let issuable = (self.config.grant == Grant::AuthorizationCode).then(|| found.issuer.scopes()).flatten();
        scopes::selected(Sources {
            typed: Some(&typed),
            challenged: Some(&wanted.scopes),
            supported: found.scopes.as_ref(),
            earlier: earlier.map(|login| &login.asked),
            issuable: issuable.as_ref(),
        })
    }

    /// The client: the operator's, one with its own metadata document, or one that is registered
    /// now.
    async fn client(&self, found: &Found, redirect: &str, scopes: &Scopes) -> Result<Client, LoginError> {
        if !self.config.client_id.is_empty() {
            return Ok(client::configured(&self.config.client_id, &self.keys, &found.issuer));
        }
        let document = &self.config.client_metadata_url;
        if !document.is_empty() && found.issuer.client_id_metadata_document_supported {
            return Ok(client::configured(document, &ClientKeys::default(), &found.issuer));
        }
        let Some(endpoint) = &found.issuer.registration_endpoint else { return Err(LoginError::NoClient) };
        let wanted = client::registration(&found.issuer, redirect, scopes).to_string();
        let answer = self.web.ask(Ask::post(REGISTRATION, endpoint, JSON, wanted)).await?;
        if !answer.is_success() {
            let named = answer.json.as_ref().and_then(|json| json.get("error")?.as_str());
            return Err(match named {
                Some(named) if answer.status < 500 => LoginError::Refused { what: REGISTRATION, code: code(named) },
                _ => LoginError::Answer { what: REGISTRATION, problem: format!("HTTP status {}", answer.status) },
            });
        }
        client::registered(&answer.json.unwrap_or_default(), &found.issuer)
    }

    /// Logs the client in by itself (client credentials).
    pub(super) async fn issued(&self, found: &Found, asked: Scopes) -> Result<Login, LoginError> {
        let client = client::configured(&self.config.client_id, &self.keys, &found.issuer);
        let scope = asked.to_string();
        let mut fields = vec![("grant_type", "client_credentials"), ("resource", found.resource.as_str())];
        if !asked.is_empty() {
            fields.push(("scope", &scope));
        }
        let endpoint = &found.issuer.token_endpoint;
        let (tokens, granted) = self.tokens(endpoint, &client, &found.issuer.name, &fields).await?;
        Ok(kept(found, client, asked, tokens, granted))
    }

    /// Sends a request to a token endpoint.
    pub(super) async fn tokens(
        &self,
        endpoint: &str,
        client: &Client,
        issuer: &str,
        fields: &[(&str, &str)],
    ) -> Result<(Tokens, Option<Scopes>), LoginError> {
        let proven = client.authenticate(fields, issuer, &self.keys, self.now())?;
        let ask = Ask { authorization: proven.authorization, ..Ask::post(TOKEN, endpoint, FORM, proven.body) };
        let answer = self.web.ask(ask).await?;
        token::read(answer.status, answer.json.as_ref(), self.now())
    }
}

impl PendingLogin {
    /// The address that the person opens in a browser.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The authorization server.
    pub fn issuer(&self) -> &str {
        &self.found.issuer.name
    }

    /// Waits until the browser returns, and stores the login.
    ///
    /// # Errors
    /// If the browser does not return in time, the answer belongs to another login, or the code is
    /// rejected.
    pub async fn finish(self, patience: Duration) -> Result<LoginSummary, LoginError> {
        let redirect = self.redirect.url();
        let code = self.redirect.code(&self.expected, patience).await?;
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &redirect),
            ("code_verifier", &self.verifier),
            ("resource", &self.found.resource),
        ];
        let (login, issuer) = (&self.login, &self.found.issuer);
        let (tokens, granted) = login.tokens(&issuer.token_endpoint, &self.client, &issuer.name, &fields).await?;
        let made = kept(&self.found, self.client, self.scopes, tokens, granted);
        let held = login.slot.hold().await?;
        login.slot.save(&held, Stored { login: Some(made.clone()), wanted: None })?;
        Ok(summary(&made))
    }
}

/// Merges challenges: the latest values, at the latest metadata address.
fn merged(before: Option<Wanted>, now: Option<Wanted>) -> Wanted {
    let (before, now) = (before.unwrap_or_default(), now.unwrap_or_default());
    Wanted {
        scopes: if before.scopes.is_empty() { now.scopes } else { before.scopes },
        resource_metadata: now.resource_metadata.or(before.resource_metadata),
    }
}

/// Checks whether this authorization server may replace the one of the last login.
pub(super) fn check_issuer(found: &Found, before: Option<&str>, accepted: Option<&str>) -> Result<(), LoginError> {
    let now = &found.issuer.name;
    match before {
        Some(before)
            if !is_same_issuer(before, now) && !accepted.is_some_and(|accepted| is_same_issuer(accepted, now)) =>
        {
            Err(LoginError::IssuerChanged { before: super::fault::address(before), now: super::fault::address(now) })
        }
        _ => Ok(()),
    }
}

fn kept(found: &Found, client: Client, asked: Scopes, tokens: Tokens, granted: Option<Scopes>) -> Login {
    Login {
        issuer: found.issuer.name.clone(),
        token_endpoint: found.issuer.token_endpoint.clone(),
        revocation_endpoint: found.issuer.revocation_endpoint.clone(),
        resource: found.resource.clone(),
        client,
        granted: granted.unwrap_or_else(|| asked.clone()),
        asked,
        tokens: Some(tokens),
    }
}

fn summary(login: &Login) -> LoginSummary {
    LoginSummary {
        issuer: super::fault::address(&login.issuer),
        scopes: login.granted.clone(),
        is_renewable: login.tokens.as_ref().is_some_and(|tokens| tokens.refresh.is_some()),
    }
}

/// The address of the login page with the request's parameters.
fn address(
    mut page: Url,
    client: &str,
    redirect: &str,
    resource: &str,
    scopes: &Scopes,
    state: &str,
    challenge: &str,
) -> Url {
    let mut fields = page.query_pairs_mut();
    fields.append_pair("response_type", "code").append_pair("client_id", client).append_pair("redirect_uri", redirect);
    fields.append_pair("code_challenge", challenge).append_pair("code_challenge_method", "S256");
    fields.append_pair("state", state).append_pair("resource", resource);
    if !scopes.is_empty() {
        fields.append_pair("scope", &scopes.to_string());
    }
    drop(fields);
    page
}
