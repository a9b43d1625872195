//! Provides the token of a request: the stored one, renewed if it has expired or the server refuses
//! it.

use std::sync::Arc;

use hyper::StatusCode;

use super::challenge::Challenge;
use super::fault::LoginError;
use super::login::{ServerLogin, check_issuer};
use super::scopes::Scopes;
use super::store::{Login, LoginLock, Stored, Wanted};
use super::token::Tokens;
use crate::{config::Grant, credential::Secret, error::shown, http::HttpFault};

/// Seconds before its expiry at which a token is renewed.
const MARGIN: i64 = 10;

/// Why a new token is needed.
#[derive(Debug, Clone, Default)]
struct Refusal {
    /// The token that was refused.
    sent: Option<String>,
    /// What the server requires.
    wanted: Option<Wanted>,
    /// Whether it requires other scopes, rather than another token.
    is_step_up: bool,
}

impl ServerLogin {
    fn acts_alone(&self) -> bool {
        self.config.grant == Grant::ClientCredentials
    }

    /// The token to send; `None` if there is no login, and the server may not require one.
    pub(crate) async fn token(self: &Arc<Self>) -> Result<Option<Secret>, HttpFault> {
        let Some(login) = self.slot.load().map_err(|error| faulty(&error))?.login else { return Ok(None) };
        let Some(tokens) = &login.tokens else { return Err(over()) };
        let now = self.now();
        if tokens.expires.is_none_or(|expires| now + MARGIN < expires) {
            return secret(tokens).map(Some);
        }
        match self.renewed(Refusal::default()).await {
            // A token that is still valid is used while no new one can be obtained.
            Err(HttpFault::Unreachable(_)) if tokens.expires.is_some_and(|expires| now < expires) => {
                secret(tokens).map(Some)
            }
            renewed => renewed.map(Some),
        }
    }

    /// A new token after a refusal; `None` if none would help, and the refusal stands.
    pub(crate) async fn refused(
        self: &Arc<Self>,
        sent: Option<&Secret>,
        status: StatusCode,
        challenge: Option<Challenge>,
    ) -> Result<Option<Secret>, HttpFault> {
        let is_step_up = status == StatusCode::FORBIDDEN;
        if is_step_up && !challenge.as_ref().is_some_and(Challenge::is_insufficient_scope) {
            return Ok(None);
        }
        let wanted = challenge
            .map(|challenge| Wanted { scopes: challenge.scopes, resource_metadata: challenge.resource_metadata });
        if is_step_up {
            let login = self.slot.load().map_err(|error| faulty(&error))?.login;
            let scopes = wanted.as_ref().map(|wanted| &wanted.scopes);
            // Requesting the same scopes again gives the same result.
            if login.is_none_or(|login| scopes.is_none_or(|scopes| login.asked.covers(scopes))) {
                return Ok(None);
            }
        }
        let sent = sent.map(|sent| sent.text().to_owned());
        self.renewed(Refusal { sent, wanted, is_step_up }).await.map(Some)
    }

    /// Renews the login. This continues even if nobody waits any more: a rotated token that is not
    /// stored is lost.
    async fn renewed(self: &Arc<Self>, refusal: Refusal) -> Result<Secret, HttpFault> {
        let login = Arc::clone(self);
        let renewing = tokio::spawn(async move { login.renew(&refusal).await });
        renewing.await.unwrap_or_else(|_| Err(HttpFault::Unreachable("the login could not be renewed".to_owned())))
    }

    async fn renew(&self, refusal: &Refusal) -> Result<Secret, HttpFault> {
        let held = self.slot.hold().await.map_err(|error| faulty(&error))?;
        let stored = self.slot.load().map_err(|error| faulty(&error))?;
        if let Some(tokens) = stored.login.as_ref().and_then(|login| login.tokens.as_ref())
            && !refusal.is_step_up
            && refusal.sent.as_ref() != Some(&tokens.access)
            && tokens.expires.is_none_or(|expires| self.now() + MARGIN < expires)
        {
            // Somebody else renewed it in the meantime.
            return secret(tokens);
        }
        if self.acts_alone() {
            return self.issued_anew(&held, stored, refusal).await;
        }
        match stored.login.clone() {
            Some(login) if !refusal.is_step_up => self.refreshed(&held, stored, login, refusal).await,
            login => {
                self.note(&held, stored, refusal);
                Err(HttpFault::Login(match (login, &refusal.wanted) {
                    (Some(_), Some(wanted)) => {
                        format!("it wants the scopes `{}` as well", shown(&wanted.scopes.to_string()))
                    }
                    _ => "there is none yet".to_owned(),
                }))
            }
        }
    }

    /// Stores what the server requires for the next login.
    fn note(&self, held: &LoginLock, stored: Stored, refusal: &Refusal) {
        if refusal.wanted.is_none() || stored.wanted == refusal.wanted {
            return;
        }
        let noted = Stored { wanted: refusal.wanted.clone(), ..stored };
        if let Err(error) = self.slot.save(held, noted) {
            tracing::debug!(%error, "what a server wants of a login was not kept");
        }
    }

    /// Gets tokens with the refresh token.
    async fn refreshed(
        &self,
        held: &LoginLock,
        stored: Stored,
        login: Login,
        refusal: &Refusal,
    ) -> Result<Secret, HttpFault> {
        let Some(refresh) = login.tokens.as_ref().and_then(|tokens| tokens.refresh.clone()) else {
            self.note(held, stored, refusal);
            return Err(over());
        };
        let fields = [("grant_type", "refresh_token"), ("refresh_token", &refresh), ("resource", &login.resource)];
        let answer = self.tokens(&login.token_endpoint, &login.client, &login.issuer, &fields).await;
        let (tokens, granted) = match answer {
            Ok(given) => given,
            Err(LoginError::Refused {
                code: code @ ("invalid_grant" | "invalid_client" | "unauthorized_client"),
                ..
            }) => {
                let ended = Stored { login: Some(Login { tokens: None, ..login }), wanted: refusal.wanted.clone() };
                self.slot.save(held, ended).map_err(|error| faulty(&error))?;
                return Err(HttpFault::Login(format!("the authorization server renews it no more ({code})")));
            }
            Err(error) => return Err(faulty(&error)),
        };
        let tokens = Tokens { refresh: tokens.refresh.clone().or(Some(refresh)), ..tokens };
        let token = secret(&tokens)?;
        let renewed =
            Login { granted: granted.unwrap_or_else(|| login.granted.clone()), tokens: Some(tokens), ..login };
        self.slot.save(held, Stored { login: Some(renewed), ..stored }).map_err(|error| faulty(&error))?;
        Ok(token)
    }

    /// Gets tokens with the client's own credentials.
    async fn issued_anew(&self, held: &LoginLock, stored: Stored, refusal: &Refusal) -> Result<Secret, HttpFault> {
        let wanted = refusal.wanted.clone().or_else(|| stored.wanted.clone()).unwrap_or_default();
        let before = stored.login.as_ref().map(|login| login.issuer.clone());
        let issued = async {
            let found = self.discovered(&wanted, before.as_deref()).await?;
            check_issuer(&found, before.as_deref(), None)?;
            let scopes = self.scopes(&found, &wanted, &stored, &Scopes::default());
            self.issued(&found, scopes).await
        };
        let login = issued.await.map_err(|error| faulty(&error))?;
        let token = login.tokens.as_ref().map_or_else(|| Err(over()), secret)?;
        self.slot.save(held, Stored { login: Some(login), wanted: None }).map_err(|error| faulty(&error))?;
        Ok(token)
    }
}

fn secret(tokens: &Tokens) -> Result<Secret, HttpFault> {
    Secret::new(&tokens.access).ok_or_else(over)
}

fn over() -> HttpFault {
    HttpFault::Login("it has run out".to_owned())
}

/// The failure of a request for which no token could be obtained.
fn faulty(error: &LoginError) -> HttpFault {
    if error.may_pass() {
        HttpFault::Unreachable(format!("its login cannot be renewed now: {error}"))
    } else {
        HttpFault::Login(error.to_string())
    }
}
