//! TLS by rustls with ring and the roots that this machine trusts.

use std::sync::{Arc, OnceLock};

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, Error, RootCertStore};

use crate::error::WebError;
use crate::guard::Host;

/// The configuration that all connections share, sessions included; made at the first one.
#[derive(Default)]
pub(super) struct Tls {
    config: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl Tls {
    /// TLS that trusts these roots alone.
    #[cfg(any(test, feature = "test-support"))]
    pub(super) fn trusting(roots: RootCertStore) -> Self {
        Self { config: OnceLock::from(config(roots)) }
    }

    /// The encrypted stream over a connection, once the other side has proved to be `host`.
    pub(super) async fn connect(&self, host: &Host, stream: TcpStream) -> Result<TlsStream<TcpStream>, WebError> {
        let failed = |problem: String| WebError::Tls { host: host.to_string(), problem };
        let config = self.config.get_or_init(from_system).clone().map_err(failed)?;
        let name = match host {
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|error| failed(error.to_string()))?,
            Host::Address(address) => ServerName::IpAddress((*address).into()),
        };
        TlsConnector::from(config).connect(name, stream).await.map_err(|error| {
            match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
                Some(inner @ Error::InvalidCertificate(_)) => {
                    WebError::Certificate { host: host.to_string(), problem: inner.to_string() }
                }
                Some(inner) => failed(inner.to_string()),
                None => failed(error.to_string()),
            }
        })
    }
}

fn from_system() -> Result<Arc<ClientConfig>, String> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err("this machine has no list of trusted certificates".to_owned());
    }
    config(roots)
}

fn config(roots: RootCertStore) -> Result<Arc<ClientConfig>, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
