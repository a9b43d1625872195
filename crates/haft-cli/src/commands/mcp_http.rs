//! `haft mcp serve --http`: serves the tools to MCP clients over HTTP.

use std::{net::SocketAddr, time::Duration};

use haft::core::{ServerName, ServerNameError};
use haft_serve::mcp_http::{HttpGuest, HttpSettings, Tls, new_token};
use haft_serve::{HttpGuests, serve_mcp_http};
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::args::{CommonArgs, Http, Offer};
use crate::commands::mcp_http_reload::{Reload, open};
use crate::exit::Exit;
use crate::output;

/// Name of the only guest if no file names guests.
const ALONE: &str = "local";

/// Serves until the process is asked to end. First prints the address, and the token if one was
/// made for this run.
pub(crate) async fn serve(
    common: &CommonArgs,
    offer: &Offer,
    http: &Http,
    address: SocketAddr,
) -> Result<Exit, String> {
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
    let name = http.name.as_deref().map(str::parse::<ServerName>);
    let name = name.transpose().map_err(|error: ServerNameError| format!("`--name`: {error}"))?;
    let opened = open(guests.clone(), common, offer, name.as_ref())?;
    let settings = HttpSettings {
        hosts: http.host.clone(),
        name: name.clone(),
        tls: tls.clone(),
        max_body: http.max_body,
        max_sessions: http.max_sessions,
        idle: Duration::from_secs(http.idle),
        ..HttpSettings::default()
    };
    let stop = CancellationToken::new();
    stop_at_a_signal(&stop).map_err(|error| error.to_string())?;
    let hangup = signal(SignalKind::hangup()).map_err(|error| error.to_string())?;
    let reload = Reload { common: common.clone(), offer: offer.clone(), file: http.guests.clone(), tls, name, guests };
    let listening = |url: &str, serving: HttpGuests| {
        tokio::spawn(reload_at_hangup(hangup, reload, serving, stop.clone()));
        match (common.json, &made) {
            (true, token) => output::json(&json!({"url": url, "token": token})),
            (false, Some(token)) => {
                output::line(&format!("serving MCP at {url}\ntoken (header `Authorization: Bearer TOKEN`): {token}"));
            }
            (false, None) => output::line(&format!("serving MCP at {url}")),
        }
    };
    serve_mcp_http(address, opened, settings, stop.clone(), listening).await.map_err(|error| error.to_string())?;
    Ok(Exit::Ok)
}

/// Reads the files again at each `SIGHUP`. Without files `SIGHUP` ends the server: the terminal is
/// gone.
async fn reload_at_hangup(mut hangup: Signal, mut reload: Reload, serving: HttpGuests, stop: CancellationToken) {
    while hangup.recv().await.is_some() {
        if !reload.has_files() {
            return stop.cancel();
        }
        for line in reload.run(&serving).await {
            output::note(&format!("haft: {line}"));
        }
    }
}

/// Cancels `stop` when the process is asked to end.
fn stop_at_a_signal(stop: &CancellationToken) -> std::io::Result<()> {
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let (mut heard, stop) = (signal(kind)?, stop.clone());
        tokio::spawn(async move {
            if heard.recv().await.is_some() {
                stop.cancel();
            }
        });
    }
    Ok(())
}
