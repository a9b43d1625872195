//! A web of one machine: names with scripted answers, a TLS server on loopback, and a dialer that
//! leads judged addresses to it and counts.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto::ring};
use tools_web::WebError;
use tools_web::client::{Dialer, Fetched, Request, WebClient};
use tools_web::guard::{Answer, Guard, HostResolver, LookupError, UrlRules, VettedAddress};

/// The address that every name has unless told otherwise.
pub(crate) const PUBLIC: &str = "93.184.215.14";

/// What the server does with a request.
#[derive(Clone)]
pub(crate) enum Reply {
    /// Sends these bytes and closes.
    Bytes(Vec<u8>),
    /// Sends these bytes, then this piece for ever.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends these bytes and then nothing, without closing.
    Silent(Vec<u8>),
}

/// An answer with headers and a body of known length.
pub(crate) fn page(status: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Reply {
    let body = body.as_ref();
    let mut bytes = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n", body.len());
    for header in headers {
        bytes.extend([header, "\r\n"]);
    }
    bytes.push_str("\r\n");
    Reply::Bytes([bytes.as_bytes(), body].concat())
}

/// A page of HTML.
pub(crate) fn html(body: &str) -> Reply {
    page("200 OK", &["content-type: text/html; charset=utf-8"], body)
}

#[derive(Default)]
struct Shared {
    pages: Mutex<BTreeMap<String, Reply>>,
    requests: Mutex<Vec<String>>,
    answers: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
    looked_up: AtomicUsize,
    dialled: Mutex<Vec<SocketAddr>>,
    is_lying: AtomicBool,
    is_closed: AtomicBool,
}

/// The machine.
pub(crate) struct World {
    shared: Arc<Shared>,
    pub(crate) server: SocketAddr,
    pub(crate) roots: RootCertStore,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for World {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Names(Arc<Shared>);

#[async_trait]
impl HostResolver for Names {
    async fn lookup(&self, name: &str) -> Result<Answer, LookupError> {
        let turn = self.0.looked_up.fetch_add(1, Ordering::Relaxed);
        let answers = self.0.answers.lock().unwrap();
        let answer = answers.get(name).map(|list| list[turn % list.len()].clone());
        Ok(Answer::from(answer.unwrap_or_else(|| vec![PUBLIC.parse().unwrap()])))
    }
}

struct Leading(Arc<Shared>, SocketAddr);

#[async_trait]
impl Dialer for Leading {
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.dialled.lock().unwrap().push(address.socket());
        if self.0.is_closed.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let stream = TcpStream::connect(self.1).await?;
        let peer = if self.0.is_lying.load(Ordering::Relaxed) { stream.peer_addr()? } else { address.socket() };
        Ok((stream, peer))
    }
}

impl World {
    /// A server with a certificate for `a.example.org`, `b.example.org`, `c.example.org` and
    /// `93.184.215.14`.
    pub(crate) async fn new() -> Self {
        let ca_key = KeyPair::generate().unwrap();
        let mut ca = CertificateParams::new(Vec::new()).unwrap();
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let mut roots = RootCertStore::empty();
        roots.add(ca.self_signed(&ca_key).unwrap().der().clone()).unwrap();
        let names = ["a.example.org", "b.example.org", "c.example.org", PUBLIC].map(str::to_owned);
        let key = KeyPair::generate().unwrap();
        let leaf = CertificateParams::new(names.to_vec()).unwrap().signed_by(&key, &Issuer::new(ca, ca_key)).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
        let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let config = config.with_single_cert(vec![leaf.der().clone()], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let pages = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let (acceptor, pages) = (acceptor.clone(), Arc::clone(&pages));
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _ = serve(stream, &pages).await;
                    }
                });
            }
        });
        Self { shared, server, roots, task }
    }

    /// The client of this machine.
    pub(crate) fn client(&self) -> WebClient {
        let guard = Guard::new(Arc::new(Names(Arc::clone(&self.shared))));
        WebClient::with_parts(guard, Arc::new(Leading(Arc::clone(&self.shared), self.server)), self.roots.clone())
    }

    /// What is served at `host/path`.
    pub(crate) fn serve(&self, at: &str, reply: Reply) -> &Self {
        self.shared.pages.lock().unwrap().insert(at.to_owned(), reply);
        self
    }

    /// What a name resolves to, in turn.
    pub(crate) fn resolve(&self, name: &str, answers: &[&[&str]]) -> &Self {
        let answers = answers.iter().map(|one| one.iter().map(|text| text.parse().unwrap()).collect()).collect();
        self.shared.answers.lock().unwrap().insert(name.to_owned(), answers);
        self
    }

    /// Connections report the address they really have.
    pub(crate) fn lie(&self) {
        self.shared.is_lying.store(true, Ordering::Relaxed);
    }

    /// No connection is accepted any more.
    pub(crate) fn close(&self) {
        self.shared.is_closed.store(true, Ordering::Relaxed);
    }

    /// The addresses that were dialled.
    pub(crate) fn dialled(&self) -> Vec<SocketAddr> {
        self.shared.dialled.lock().unwrap().clone()
    }

    /// The requests that came, heads whole.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.shared.requests.lock().unwrap().clone()
    }
}

async fn serve(mut stream: tokio_rustls::server::TlsStream<TcpStream>, shared: &Shared) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().to_owned();
    shared.requests.lock().unwrap().push(head);
    let reply = shared.pages.lock().unwrap().get(&format!("{host}{path}")).cloned();
    match reply.unwrap_or_else(|| page("404 Not Found", &[], "nothing here")) {
        Reply::Bytes(bytes) => stream.write_all(&bytes).await?,
        Reply::Endless(head, piece) => {
            stream.write_all(&head).await?;
            loop {
                stream.write_all(&piece).await?;
            }
        }
        Reply::Silent(head) => {
            stream.write_all(&head).await?;
            stream.flush().await?;
            tokio::time::sleep(Duration::from_mins(1)).await;
        }
    }
    stream.shutdown().await
}

/// Gets a page with the usual bounds.
pub(crate) async fn get(client: &WebClient, url: &str) -> Result<Fetched, WebError> {
    get_within(client, url, Duration::from_secs(15)).await
}

/// Gets a page within this time.
pub(crate) async fn get_within(client: &WebClient, url: &str, time: Duration) -> Result<Fetched, WebError> {
    let rules = UrlRules::default();
    let request = Request {
        rules: &rules,
        may_follow: &|_| Ok(()),
        user_agent: "tests",
        accept: "*/*",
        etag: None,
        modified: None,
        most: 1024 * 1024,
        deadline: Instant::now() + time,
    };
    client.get(rules.admit(url)?, &request).await
}
