//! The TLS configuration that all connections of a client share, and the handshake.

use std::fmt;
use std::sync::{Arc, OnceLock};

use thiserror::Error;
use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{self, ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// TLS of a client. All its connections share one configuration, which the first one creates, so
/// TLS sessions are resumed.
#[derive(Default)]
pub struct TlsClient(OnceLock<Result<Arc<ClientConfig>, String>>);

/// Reason why a connection is not encrypted. The texts are those of rustls.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TlsError {
    /// The machine has no certificates to trust, the name cannot be one of a server, or the
    /// handshake failed.
    #[error("{0}")]
    Failed(String),
    /// The certificate of the server is not trusted, has expired or belongs to another name.
    #[error("{0}")]
    Certificate(String),
}

impl TlsClient {
    /// A client that trusts only these roots, instead of those of this machine.
    pub fn trusting(roots: RootCertStore) -> Self {
        Self(OnceLock::from(config(roots)))
    }

    /// Encrypts a connection and checks that the certificate of the other side is for `host`: a DNS
    /// name or an address, with or without the brackets of IPv6.
    ///
    /// # Errors
    /// [`TlsError`]; the connection is then closed.
    pub async fn connect(&self, host: &str, stream: TcpStream) -> Result<TlsStream<TcpStream>, TlsError> {
        let config = self.0.get_or_init(of_machine).clone().map_err(TlsError::Failed)?;
        let host = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        let name = ServerName::try_from(host.to_owned()).map_err(|error| TlsError::Failed(error.to_string()))?;
        TlsConnector::from(config).connect(name, stream).await.map_err(|error| {
            match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(inner @ rustls::Error::InvalidCertificate(_)) => TlsError::Certificate(inner.to_string()),
                Some(inner) => TlsError::Failed(inner.to_string()),
                None => TlsError::Failed(error.to_string()),
            }
        })
    }
}

impl fmt::Debug for TlsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TlsClient")
    }
}

fn of_machine() -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
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

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;
    use tokio_rustls::{TlsAcceptor, rustls::ServerConfig, rustls::pki_types::PrivateKeyDer};

    use super::*;

    #[tokio::test]
    async fn only_a_server_that_proves_its_name_is_connected_to() {
        let made =
            rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()])
                .unwrap();
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let server = builder.with_single_cert(vec![certificate.clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = acceptor.accept(stream).await;
            }
        });
        let mut roots = RootCertStore::empty();
        roots.add(certificate).unwrap();
        let (trusting, stranger) = (TlsClient::trusting(roots), TlsClient::trusting(RootCertStore::empty()));
        for name in ["localhost", "127.0.0.1", "::1", "[::1]"] {
            let stream = TcpStream::connect(address).await.unwrap();
            assert!(trusting.connect(name, stream).await.is_ok(), "{name}");
        }
        let stream = TcpStream::connect(address).await.unwrap();
        assert!(matches!(trusting.connect("other.example", stream).await, Err(TlsError::Certificate(_))));
        let stream = TcpStream::connect(address).await.unwrap();
        assert!(matches!(stranger.connect("localhost", stream).await, Err(TlsError::Certificate(_))));
        let stream = TcpStream::connect(address).await.unwrap();
        assert!(matches!(trusting.connect("no name", stream).await, Err(TlsError::Failed(_))));
    }
}
