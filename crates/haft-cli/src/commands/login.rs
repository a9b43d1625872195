//! `haft mcp login|logout`: this user's login at an MCP server over HTTP. The address is only
//! printed, never opened, so that the user sees where it leads.

use haft::mcp_client::McpServerConfig;

use crate::args::{CommonArgs, LoginToServer};
use crate::exit::Exit;

/// Text after "added": reports at once if the server requires a login.
pub(super) async fn next_step(server: &McpServerConfig) -> String {
    if wants_login(server).await {
        format!("it wants a login: `haft mcp login {}`", server.id)
    } else {
        format!("test it with `haft mcp test {}`", server.id)
    }
}

#[cfg(feature = "http")]
use with_http::wants_login;
#[cfg(feature = "http")]
pub(crate) use with_http::{forget, is_logged_in, login, logout};
#[cfg(not(feature = "http"))]
use without_http::wants_login;
#[cfg(not(feature = "http"))]
pub(crate) use without_http::{forget, is_logged_in, login, logout};

#[cfg(feature = "http")]
mod with_http {
    use std::{sync::Arc, time::Duration};

    use haft::config::places;
    use haft::core::VisibleText;
    use haft::mcp_client::{
        LoginError, LoginRequest, LoginSummary, McpServerConfig, Scopes, Server, ServerLogin, StartedLogin, compile,
    };
    use serde_json::json;

    use super::{CommonArgs, Exit, LoginToServer};
    use crate::{commands::open::open, output};

    /// Time limit for the first contact with a newly added server.
    const FIRST_LOOK: Duration = Duration::from_secs(5);

    /// Logs in: prints the address, and waits for the browser to come back.
    pub(crate) async fn login(common: &CommonArgs, asked: &LoginToServer) -> Result<Exit, String> {
        let server = remote(common, &asked.id)?;
        let login = server_login(&server).map_err(|error| said(&server, &error))?;
        let scopes: Scopes = asked.scope.iter().flat_map(|scope| scope.split(' ')).collect();
        let request = LoginRequest { scopes, accept_issuer: asked.accept_issuer.clone() };
        let made = match login.begin(&request).await.map_err(|error| said(&server, &error))? {
            StartedLogin::Done(made) => made,
            StartedLogin::Open(pending) => {
                let issuer = VisibleText::of(pending.issuer()).shortened(200).to_string();
                if common.json {
                    output::json(&json!({"id": server.id(), "issuer": issuer, "url": pending.url()}));
                } else {
                    output::line(&format!(
                        "Open this address in a browser, to log in at `{issuer}`:\n{}",
                        pending.url()
                    ));
                }
                let patience = Duration::from_secs(asked.timeout);
                pending.finish(patience).await.map_err(|error| said(&server, &error))?
            }
        };
        told(common, &server, &made);
        Ok(Exit::Ok)
    }

    fn told(common: &CommonArgs, server: &Server, made: &LoginSummary) {
        let object = json!({
            "id": server.id(), "ok": true, "issuer": made.issuer, "scopes": made.scopes.to_string(),
            "renewable": made.is_renewable,
        });
        let scopes = if made.scopes.is_empty() { String::new() } else { format!(", scopes: {}", made.scopes) };
        let text = format!("logged in to `{}` at `{}`{scopes}", server.id(), made.issuer);
        output::done(common, &object, &output::printable(&text));
    }

    /// Logs out.
    pub(crate) async fn logout(common: &CommonArgs, id: &str) -> Result<Exit, String> {
        let server = remote(common, id)?;
        let was_in = server_login(&server).map_err(|error| said(&server, &error))?.logout().await;
        let was_in = was_in.map_err(|error| said(&server, &error))?;
        let text = if was_in { format!("logged out of `{id}`") } else { format!("there is no login at `{id}`") };
        output::done(common, &json!({"ok": true, "logged_out": was_in, "message": text}), &text);
        Ok(Exit::Ok)
    }

    /// Forgets the login at a server that is being removed.
    pub(crate) async fn forget(server: &McpServerConfig) {
        if let Some(login) = login_of(server)
            && let Err(error) = login.logout().await
        {
            output::note(&format!("warning: the login at `{}` is still there: {error}", server.id));
        }
    }

    /// Whether there is a login at this server.
    pub(crate) fn is_logged_in(server: &McpServerConfig) -> bool {
        login_of(server).is_some_and(|login| login.is_logged_in())
    }

    pub(super) async fn wants_login(server: &McpServerConfig) -> bool {
        let Some(login) = login_of(server) else { return false };
        matches!(tokio::time::timeout(FIRST_LOOK, login.is_asked_for()).await, Ok(Ok(true)))
    }

    fn server_login(server: &Server) -> Result<Arc<ServerLogin>, LoginError> {
        ServerLogin::of_user(server, &places::logins())
    }

    fn login_of(server: &McpServerConfig) -> Option<Arc<ServerLogin>> {
        let server = server.takes_login().then(|| compile(std::slice::from_ref(server)).ok()?.pop()).flatten()?;
        server_login(&server).ok()
    }

    /// The server with this name, if a login can provide its token.
    fn remote(common: &CommonArgs, id: &str) -> Result<Arc<Server>, String> {
        let toolbox = open(common)?;
        let server = toolbox.parts().servers.get(id).cloned().ok_or_else(|| format!("there is no server `{id}`"))?;
        if !server.is_remote() {
            return Err(format!("`{id}` is a program, which needs no login"));
        }
        if !server.config.takes_login() {
            return Err(format!("the token of `{id}` comes from its section in `[[mcp.servers]]`, not from a login"));
        }
        Ok(server)
    }

    fn said(server: &Server, error: &LoginError) -> String {
        format!("`{}`: {error}", server.id())
    }
}

#[cfg(not(feature = "http"))]
mod without_http {
    use haft::mcp_client::McpServerConfig;

    use super::{CommonArgs, Exit, LoginToServer};

    const NOT_BUILT: &str = "this build reaches no servers over HTTP";

    pub(crate) async fn login(_: &CommonArgs, _: &LoginToServer) -> Result<Exit, String> {
        Err(NOT_BUILT.to_owned())
    }

    pub(crate) async fn logout(_: &CommonArgs, _: &str) -> Result<Exit, String> {
        Err(NOT_BUILT.to_owned())
    }

    pub(crate) async fn forget(_: &McpServerConfig) {}

    pub(crate) fn is_logged_in(_: &McpServerConfig) -> bool {
        false
    }

    pub(super) async fn wants_login(_: &McpServerConfig) -> bool {
        false
    }
}
