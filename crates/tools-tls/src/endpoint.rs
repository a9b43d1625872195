//! A server that is configured by its base URL, and connections to it.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hyper::{body::Body, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use url::{Host, Url};

use crate::TlsClient;

/// A server to which a key may be sent. Connections use no proxy. With `http`, only this machine is
/// reached, unless its owner allowed more.
pub struct Endpoint {
    is_tls: bool,
    host: String,
    port: u16,
    authority: String,
    prefix: String,
    is_loopback: bool,
    tls: TlsClient,
}

/// Drives an HTTP connection, and closes it when dropped.
#[derive(Debug)]
pub struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { is_tls, authority, prefix, .. } = self;
        write!(f, "Endpoint(http{}://{authority}{prefix})", if *is_tls { "s" } else { "" })
    }
}

impl Endpoint {
    /// Reads a base URL. The host of an `http` URL must be this machine, unless `allow_http`.
    ///
    /// # Errors
    /// What was expected: a URL of `http` or `https` with a host, without name, password and query.
    pub fn parse(text: &str, allow_http: bool) -> Result<Self, String> {
        let url = Url::parse(text).map_err(|error| format!("expected a URL: {error}"))?;
        let is_tls = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return Err(format!("expected `https` or `http`, found `{other}`")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("expected no name and no password in the URL: a key is configured by itself".to_owned());
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("expected no query in the URL".to_owned());
        }
        let (host, is_loopback) = match url.host() {
            Some(Host::Ipv4(address)) => (address.to_string(), address.is_loopback()),
            Some(Host::Ipv6(address)) => (address.to_string(), address.is_loopback()),
            Some(Host::Domain(name)) => (name.to_owned(), name == "localhost" || name.ends_with(".localhost")),
            None => return Err("expected a host in the URL".to_owned()),
        };
        if !is_tls && !is_loopback && !allow_http {
            return Err("by `http` only this machine is reached, unless `allow_http = true`".to_owned());
        }
        let port = url.port_or_known_default().unwrap_or(if is_tls { 443 } else { 80 });
        let shown = url.host_str().unwrap_or(&host);
        let authority = url.port().map_or_else(|| shown.to_owned(), |port| format!("{shown}:{port}"));
        let prefix = url.path().trim_end_matches('/').to_owned();
        Ok(Self { is_tls, host, port, authority, prefix, is_loopback, tls: TlsClient::default() })
    }

    /// Host and port as written in the header `Host` and in messages.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// The prefix of the path of each request, without a slash at its end.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// An HTTP/1.1 connection to the first address of the server that answers, encrypted if the URL
    /// is `https`. Only loopback addresses are used for `localhost` and names below it.
    ///
    /// # Errors
    /// Why there is no connection, also if it took longer than `within`. Connecting to one address
    /// may take a third of that.
    pub async fn connect<B>(&self, within: Duration) -> Result<(http1::SendRequest<B>, Connection), String>
    where
        B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
    {
        let connected = timeout(within, async {
            let stream = self.dial(within / 3).await?;
            if !self.is_tls {
                return handshake(stream).await;
            }
            let encrypted = self.tls.connect(&self.host, stream).await;
            handshake(encrypted.map_err(|error| format!("no TLS with `{}`: {error}", self.host))?).await
        });
        connected.await.map_err(|_| format!("no connection to `{}` in time", self.authority))?
    }

    async fn dial(&self, within: Duration) -> Result<TcpStream, String> {
        let mut last = String::new();
        for address in self.addresses().await? {
            match timeout(within, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => {
                    // A request is sent in one piece: waiting for more to send would only delay it.
                    let _ = stream.set_nodelay(true);
                    return Ok(stream);
                }
                Ok(Err(error)) => last = error.to_string(),
                Err(_) => last = String::from("no answer in time"),
            }
        }
        Err(format!("`{}` cannot be reached: {last}", self.authority))
    }

    async fn addresses(&self) -> Result<Vec<SocketAddr>, String> {
        if let Ok(address) = self.host.parse::<IpAddr>() {
            return Ok(vec![(address, self.port).into()]);
        }
        let found = tokio::net::lookup_host((self.host.as_str(), self.port)).await;
        let found = found.map_err(|_| format!("the name `{}` is not found", self.host))?;
        let found: Vec<SocketAddr> = found.filter(|address| !self.is_loopback || address.ip().is_loopback()).collect();
        if found.is_empty() { Err(format!("the name `{}` has no address", self.host)) } else { Ok(found) }
    }
}

async fn handshake<S, B>(stream: S) -> Result<(http1::SendRequest<B>, Connection), String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    // The request or the body reports errors of the connection.
    Ok((sender, Connection(tokio::spawn(async move { drop(connection.await) }))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_base_url() {
        for local in ["http://127.0.0.1:1", "http://localhost:1/", "http://[::1]:1", "http://127.9.9.9"] {
            assert!(Endpoint::parse(local, false).unwrap().is_loopback, "{local}");
        }
        for refused in [
            "http://a.test",
            "http://127.0.0.1.a.test",
            "http://10.0.0.1",
            "ftp://a.test",
            "a.test",
            "https://u:p@a.test",
            "https://a.test/?k=1",
            "",
        ] {
            assert!(Endpoint::parse(refused, false).is_err(), "{refused}");
        }
        assert!(Endpoint::parse("http://10.0.0.1", true).is_ok());
        assert_eq!(Endpoint::parse("http://[::1]:7", false).unwrap().authority(), "[::1]:7");
        assert_eq!(Endpoint::parse("https://a.test:6333/x/", false).unwrap().prefix(), "/x");
        assert_eq!(format!("{:?}", Endpoint::parse("https://a.test/x/", false).unwrap()), "Endpoint(https://a.test/x)");
    }
}
