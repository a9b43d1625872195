//! TLS by rustls with ring and the roots that this machine trusts.

use std::sync::{Arc, OnceLock};

use tokio::net::TcpStream;
use tokio_rustls::{
    TlsConnector,
    client::TlsStream,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};
use tools_egress::guard::Host;

/// The configuration that all connections share, sessions included; made at the first one.
#[derive(Default)]
pub(super) struct Tls(OnceLock<Result<Arc<ClientConfig>, String>>);

impl Tls {
    /// The encrypted stream, once the other side has proved to be `host`.
    pub(super) async fn connect(&self, host: &Host, stream: TcpStream) -> Result<TlsStream<TcpStream>, String> {
        let config = self.0.get_or_init(config).clone()?;
        let name = match host {
            Host::Name(name) => ServerName::try_from(name.clone()).map_err(|error| error.to_string())?,
            Host::Address(address) => ServerName::IpAddress((*address).into()),
        };
        TlsConnector::from(config).connect(name, stream).await.map_err(|error| format!("no TLS with `{host}`: {error}"))
    }
}

fn config() -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if added == 0 {
        return Err("this machine has no list of trusted certificates".to_owned());
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
