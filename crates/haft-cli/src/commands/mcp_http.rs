//! `haft mcp serve --http`: the tools, to MCP clients over HTTP.

use std::net::SocketAddr;

use haft::{
    HttpGuest,
    mcp_http::{HttpSettings, Tls, new_token},
    serve_mcp_http,
};
use serde_json::json;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::{
    args::{Common, Http, Offer},
    commands::open::open_to_serve,
    exit::Exit,
    output,
};

/// Who may call where no file names guests.
const ALONE: &str = "local";

/// Serves until the process is asked to end. The address, and a token that was made for this run,
/// are printed first.
pub(crate) async fn serve(common: &Common, offer: &Offer, http: &Http, address: SocketAddr) -> Result<Exit, String> {
    let made = http.guests.is_none().then(new_token);
    let guests = match (&http.guests, &made) {
        (Some(file), _) => HttpGuest::read(file).map_err(|error| error.to_string())?,
        (None, token) => {
            let token = token.clone().unwrap_or_default();
            vec![HttpGuest { name: ALONE.to_owned(), token, workdir: None, config: None }]
        }
    };
    let tls = match (&http.tls_cert, &http.tls_key) {
        (Some(certificate), Some(key)) => Some(Tls::from_files(certificate, key).map_err(|error| error.to_string())?),
        _ => None,
    };
    let mut opened = Vec::new();
    for guest in guests {
        let mut common = common.clone();
        common.workdir = guest.workdir.clone().or(common.workdir);
        common.config = guest.config.clone().or(common.config);
        let toolbox = open_to_serve(&common, offer).map_err(|error| format!("guest `{}`: {error}", guest.name))?;
        opened.push((guest, toolbox));
    }
    let settings = HttpSettings { hosts: http.host.clone(), tls, ..HttpSettings::default() };
    let stop = CancellationToken::new();
    stop_at_a_signal(&stop).map_err(|error| error.to_string())?;
    let listening = |url: &str| match (common.json, &made) {
        (true, token) => output::json(&json!({"url": url, "token": token})),
        (false, Some(token)) => {
            output::line(&format!("serving MCP at {url}\ntoken (header `Authorization: Bearer TOKEN`): {token}"));
        }
        (false, None) => output::line(&format!("serving MCP at {url}")),
    };
    serve_mcp_http(address, opened, settings, stop, listening).await.map_err(|error| error.to_string())?;
    Ok(Exit::Ok)
}

/// Cancels `stop` when the process is asked to end.
fn stop_at_a_signal(stop: &CancellationToken) -> std::io::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let (mut heard, stop) = (signal(kind)?, stop.clone());
        tokio::spawn(async move {
            if heard.recv().await.is_some() {
                stop.cancel();
            }
        });
    }
    Ok(())
}
