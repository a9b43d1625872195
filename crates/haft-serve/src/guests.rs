//! Serves MCP over HTTP, with a toolbox for each guest.

use std::net::SocketAddr;

use haft::Toolbox;
use tokio_util::sync::CancellationToken;
use tools_mcp_http::{Guest, GuestList, HttpError, HttpGuest, HttpServer, HttpSettings};

use crate::mcp::ServeOptions;

/// Guests of a running server.
#[derive(Debug, Clone)]
pub struct HttpGuests {
    list: GuestList,
    /// Whether roots of clients narrow the workspace. Paths of a client on another machine mean
    /// nothing here.
    heeds_roots: bool,
}

impl HttpGuests {
    /// Admits the guests of `new`, and keeps those named in `kept` with their sessions; the
    /// sessions of all others end.
    ///
    /// # Errors
    /// As [`GuestList::replace`]; then everything stays as it was.
    pub async fn replace(&self, kept: &[&str], new: &[(HttpGuest, Toolbox)]) -> Result<(), HttpError> {
        self.list.replace(kept, welcome(new, self.heeds_roots).await?)
    }
}

/// Creates the servers of guests.
async fn welcome(guests: &[(HttpGuest, Toolbox)], heeds_roots: bool) -> Result<Vec<Guest>, HttpError> {
    for (_, toolbox) in guests {
        crate::introduce::introduce(toolbox).await;
    }
    let of = |(guest, toolbox): &(HttpGuest, Toolbox)| {
        let watch = toolbox.watch(|name| std::env::var(name).ok());
        let served = ServeOptions { watch, caller: guest.caller(), heeds_roots };
        Guest::new(&guest.name, &guest.token, crate::mcp::serving(toolbox, served))
    };
    guests.iter().map(of).collect()
}

/// Serves the tools over HTTP until `stop` is cancelled: to each guest those of its own toolbox.
/// `listening` is called with the address once connections are accepted, and with the guests, so
/// that they can be replaced later.
///
/// # Errors
/// As [`HttpServer::bind`].
pub async fn serve_mcp_http(
    address: SocketAddr,
    guests: Vec<(HttpGuest, Toolbox)>,
    settings: HttpSettings,
    stop: CancellationToken,
    listening: impl FnOnce(&str, HttpGuests),
) -> Result<(), HttpError> {
    let heeds_roots = address.ip().is_loopback();
    let server = HttpServer::bind(address, welcome(&guests, heeds_roots).await?, settings)?;
    drop(guests);
    listening(&server.url(), HttpGuests { list: server.guests(), heeds_roots });
    server.serve_until(stop).await;
    Ok(())
}
