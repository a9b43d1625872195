//! A network of one machine.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tools_core::Verdict;
use tools_egress::dial::Dialer;
use tools_egress::endpoint::{Caller, Connection, Door, Endpoint, Gate, Keeper, Permit, UndecidedConnection};
use tools_egress::guard::{Answer, Guard, HostResolver, LookupError, VettedAddress};
use tools_egress::rules::{HostRules, RuleText};

/// The address that every name has unless told otherwise.
pub(crate) const PUBLIC: &str = "93.184.215.14";

#[derive(Default)]
pub(crate) struct Shared {
    answers: Mutex<BTreeMap<String, Vec<Vec<IpAddr>>>>,
    turn: AtomicUsize,
    dialled: Mutex<Vec<SocketAddr>>,
    rules: Mutex<Arc<HostRules>>,
    allowed_by_person: Mutex<Vec<String>>,
    questions: Mutex<Vec<UndecidedConnection>>,
    ended: Mutex<Vec<Connection>>,
    most_sent: AtomicU64,
}

/// An endpoint, a server behind every public address, and what was seen of both.
pub(crate) struct World {
    pub(crate) shared: Arc<Shared>,
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) address: SocketAddr,
    /// The server.
    pub(crate) behind: SocketAddr,
    server: JoinHandle<()>,
}

struct Parts(Arc<Shared>, SocketAddr);

#[async_trait]
impl HostResolver for Parts {
    async fn lookup(&self, name: &str) -> Result<Answer, LookupError> {
        let turn = self.0.turn.fetch_add(1, Ordering::Relaxed);
        let answers = self.0.answers.lock().unwrap();
        let answer = answers.get(name).map(|list| list[turn % list.len()].clone());
        Ok(Answer::from(answer.unwrap_or_else(|| vec![PUBLIC.parse().unwrap()])))
    }
}

#[async_trait]
impl Dialer for Parts {
    async fn connect(&self, address: VettedAddress) -> io::Result<(TcpStream, SocketAddr)> {
        self.0.dialled.lock().unwrap().push(address.socket());
        Ok((TcpStream::connect(self.1).await?, address.socket()))
    }
}

#[async_trait]
impl Keeper for Parts {
    fn caller(&self, _: SocketAddr) -> Caller {
        Caller { program: Some("curl".to_owned()), command: Some(1) }
    }

    fn rules(&self) -> Arc<HostRules> {
        Arc::clone(&self.0.rules.lock().unwrap())
    }

    fn most_sent(&self) -> Option<u64> {
        Some(self.0.most_sent.load(Ordering::Relaxed))
    }

    async fn ask(&self, wanted: &UndecidedConnection) -> Permit {
        self.0.questions.lock().unwrap().push(wanted.clone());
        tokio::task::yield_now().await;
        let is_allowed = self.0.allowed_by_person.lock().unwrap().contains(&wanted.target.host.to_string());
        let by = if is_allowed { "a person" } else { "nobody to ask" }.to_owned();
        if is_allowed { Permit::Allowed { by } } else { Permit::Refused { by } }
    }

    fn ended(&self, connection: &Connection) {
        self.0.ended.lock().unwrap().push(connection.clone());
    }
}

impl World {
    /// An endpoint under rules `(pattern, action)`. The server sends back what it gets, between `<`
    /// and `>`.
    pub(crate) async fn new(rules: &[(&str, Verdict)]) -> Self {
        let texts: Vec<RuleText> = rules
            .iter()
            .map(|(pattern, action)| RuleText {
                pattern: (*pattern).to_owned(),
                program: None,
                action: *action,
                private: false,
            })
            .collect();
        let shared = Arc::new(Shared::default());
        *shared.rules.lock().unwrap() = Arc::new(HostRules::compile("network", &texts).unwrap());
        shared.most_sent.store(u64::MAX, Ordering::Relaxed);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let behind = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(echo(stream));
            }
        });
        let parts = || Parts(Arc::clone(&shared), behind);
        let gate = Gate::new(Guard::new(Arc::new(parts())), Arc::new(parts())).dialling(Arc::new(parts()));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = Endpoint::start(listener, Door::Proxy, Arc::new(gate)).unwrap();
        Self { shared, endpoint: Some(endpoint), address, behind, server }
    }

    pub(crate) fn keeper(&self) -> Arc<dyn Keeper> {
        Arc::new(Parts(Arc::clone(&self.shared), self.behind))
    }

    pub(crate) fn resolve(&self, name: &str, turns: &[&[&str]]) -> &Self {
        let turns = turns.iter().map(|turn| turn.iter().map(|one| one.parse().unwrap()).collect()).collect();
        self.shared.answers.lock().unwrap().insert(name.to_owned(), turns);
        self
    }

    pub(crate) fn person_allows(&self, host: &str) -> &Self {
        self.shared.allowed_by_person.lock().unwrap().push(host.to_owned());
        self
    }

    pub(crate) fn budget(&self, bytes: u64) {
        self.shared.most_sent.store(bytes, Ordering::Relaxed);
    }

    pub(crate) fn dialled(&self) -> Vec<SocketAddr> {
        self.shared.dialled.lock().unwrap().clone()
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        self.shared.questions.lock().unwrap().iter().map(|wanted| wanted.target.to_string()).collect()
    }

    /// Waits until so many connections have been told of.
    pub(crate) async fn ended(&self, count: usize) -> Vec<Connection> {
        for _ in 0..1000 {
            if self.shared.ended.lock().unwrap().len() >= count {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.shared.ended.lock().unwrap().clone()
    }

    pub(crate) async fn client(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends bytes and reads to the end, or until the endpoint is silent.
    pub(crate) async fn say(&self, bytes: &[u8]) -> Vec<u8> {
        let mut client = self.client().await;
        // The endpoint may close before it has read all.
        let _ = client.write_all(bytes).await;
        read_all(&mut client).await
    }

    /// Asks for a connection by `CONNECT` and sends `bytes` through it; the status line and what
    /// came back.
    pub(crate) async fn connect(&self, target: &str, bytes: &[u8]) -> (String, Vec<u8>) {
        let mut client = self.client().await;
        client.write_all(format!("CONNECT {target} HTTP/1.1\r\n\r\n").as_bytes()).await.unwrap();
        let head = read_head(&mut client).await;
        let _ = client.write_all(bytes).await;
        let _ = client.shutdown().await;
        let rest = read_all(&mut client).await;
        (head.lines().next().unwrap_or_default().to_owned(), rest)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn echo(mut stream: TcpStream) {
    let mut buffer = vec![0; 64 * 1024];
    let _ = stream.write_all(b"<").await;
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        if stream.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
    let _ = stream.write_all(b">").await;
}

/// Reads up to an empty line.
pub(crate) async fn read_head(client: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match client.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// Reads until the end, or until nothing comes for a moment.
pub(crate) async fn read_all(client: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    while let Ok(Ok(1..)) = timeout(Duration::from_millis(700), client.read_buf(&mut all)).await {}
    all
}

/// The first message of a TLS client that asks for a host.
pub(crate) fn hello(name: &str) -> Vec<u8> {
    let sized = |size: usize, bytes: &[u8]| {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        [&length[4 - size..], bytes].concat()
    };
    let entry = [vec![0], sized(2, name.as_bytes())].concat();
    let extension = [vec![0, 0], sized(2, &sized(2, &entry))].concat();
    let body = [vec![3, 3], vec![7; 32], sized(1, &[]), sized(2, &[0x13, 1]), sized(1, &[0]), sized(2, &extension)];
    let message = [vec![1], sized(3, &body.concat())].concat();
    [vec![22, 3, 1], sized(2, &message)].concat()
}
