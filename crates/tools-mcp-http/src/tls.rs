//! A certificate and its key, from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use tools_core::Shared;

use crate::HttpError;

/// A certificate and its key. Clones share them.
#[derive(Clone)]
pub struct Tls {
    certificates: PathBuf,
    key: PathBuf,
    acceptor: Shared<TlsAcceptor>,
}

impl Tls {
    /// Reads a certificate chain, the server's own first, and its private key, both in PEM.
    ///
    /// # Errors
    /// [`HttpError::Tls`] with the file that cannot be read, has no such content, or does not match
    /// the other.
    pub fn from_files(certificates: &Path, key: &Path) -> Result<Self, HttpError> {
        let acceptor = Shared::new(Self::read(certificates, key)?);
        Ok(Self { certificates: certificates.to_owned(), key: key.to_owned(), acceptor })
    }

    /// Reads the files again, for a renewed certificate. Existing connections keep the old one.
    ///
    /// # Errors
    /// As [`Tls::from_files`]; then the old certificate stays.
    pub fn reload(&self) -> Result<(), HttpError> {
        self.acceptor.store(Self::read(&self.certificates, &self.key)?);
        Ok(())
    }

    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        self.acceptor.load().as_ref().clone()
    }

    fn read(certificates: &Path, key: &Path) -> Result<TlsAcceptor, HttpError> {
        let failed = |file: &Path, problem: String| HttpError::Tls { file: file.to_owned(), problem };
        let chain = CertificateDer::pem_file_iter(certificates).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let chain = chain.map_err(|error| failed(certificates, error.to_string()))?;
        if chain.is_empty() {
            return Err(failed(certificates, "it holds no certificate in PEM".to_owned()));
        }
        let private = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, error.to_string()))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, private))
            .map_err(|error| failed(certificates, error.to_string()))?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

tools_core::partial_debug!(Tls {});
