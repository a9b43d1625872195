//! What the gate of the network costs: bulk through its endpoint against plain loopback, and a
//! small exchange against the same.
//!
//! The client's sockets are in a network of its own, as those of commands are. Everything that is
//! compared is interleaved round by round; medians and ratios are printed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use tokio::{net::TcpSocket, runtime::Runtime};
use tools_bench::{Times, compare, ratio, timed};
use tools_core::Verdict;
use tools_egress::endpoint::{Caller, Connection, Door, Endpoint, Gate, Keeper, Permit, UndecidedConnection};
use tools_egress::guard::{Guard, SystemResolver};
use tools_egress::rules::{HostRules, RuleText};
use tools_sandbox::kernel::{IpFamily, NetworkNamespace};

const BULK: usize = 512 << 20;
const PIECE: usize = 256 << 10;
const BULK_ROUNDS: usize = 7;
const SMALL_ROUNDS: usize = 400;

/// Allows one target and asks nobody.
struct OneRule(Arc<HostRules>);

#[async_trait::async_trait]
impl Keeper for OneRule {
    fn caller(&self, _: SocketAddr) -> Caller {
        Caller::default()
    }

    fn rules(&self) -> Arc<HostRules> {
        Arc::clone(&self.0)
    }

    fn most_sent(&self) -> Option<u64> {
        None
    }

    async fn ask(&self, _: &UndecidedConnection) -> Permit {
        Permit::Refused { by: "nobody is here".to_owned() }
    }

    fn ended(&self, _: &Connection) {}
}

/// A server that takes what comes and answers one byte (`U`), sends [`BULK`] bytes (`D`), or sends
/// one byte back (`S`), by the first byte of a connection.
fn serve() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || answer(stream));
        }
    });
    port
}

fn answer(mut stream: TcpStream) {
    let (mut what, mut piece) = ([0], vec![0; PIECE]);
    if stream.read_exact(&mut what).is_err() {
        return;
    }
    match what[0] {
        b'D' => (0..BULK / PIECE).for_each(|_| stream.write_all(&piece).expect("the client reads")),
        b'U' => {
            while let Ok(1..) = stream.read(&mut piece) {}
            let _ = stream.write_all(b".");
        }
        _ => {
            let _ = stream.write_all(b".");
        }
    }
}

/// One exchange over an open connection.
fn exchange(mut stream: TcpStream, what: u8) {
    let mut piece = vec![0; PIECE];
    stream.set_nodelay(true).expect("it is TCP");
    stream.write_all(&[what]).expect("the server reads");
    let mut expected = 1;
    match what {
        b'U' => (0..BULK / PIECE).for_each(|_| stream.write_all(&piece).expect("the server reads")),
        b'D' => expected = BULK,
        _ => {}
    }
    stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    let mut got = 0;
    while let Ok(count @ 1..) = stream.read(&mut piece) {
        got += count;
    }
    assert_eq!(got, expected);
}

/// A network with the endpoint of a gate in it.
struct Gated {
    runtime: Runtime,
    network: NetworkNamespace,
    endpoint: SocketAddr,
    target: u16,
    _serving: Endpoint,
}

impl Gated {
    fn before(target: u16) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let text =
            RuleText { pattern: format!("localhost:{target}"), program: None, action: Verdict::Allow, private: false };
        let rules = HostRules::compile("network", &[text]).expect("a rule");
        let gate = Gate::new(Guard::new(Arc::new(SystemResolver::new())), Arc::new(OneRule(Arc::new(rules))));
        let network = NetworkNamespace::create().expect("network namespaces");
        let listener = network.listen(0).expect("a listener");
        let endpoint = listener.local_addr().expect("it is bound");
        let entered = runtime.enter();
        let serving = Endpoint::start(listener, Door::Proxy, Arc::new(gate)).expect("an endpoint");
        drop(entered);
        Self { runtime, network, endpoint, target, _serving: serving }
    }

    /// A connection through the endpoint.
    fn connect(&self) -> TcpStream {
        let socket = self.network.socket(IpFamily::V4).expect("a socket in the network");
        let connecting = async { TcpSocket::from_std_stream(socket.into()).connect(self.endpoint).await?.into_std() };
        let mut stream = self.runtime.block_on(connecting).expect("it is there");
        stream.set_nonblocking(false).expect("it is a socket");
        write!(stream, "CONNECT localhost:{} HTTP/1.1\r\n\r\n", self.target).expect("the endpoint reads");
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("the endpoint answers");
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&head));
        stream
    }
}

fn plain(gated: &Gated) -> TcpStream {
    TcpStream::connect(("127.0.0.1", gated.target)).expect("it listens")
}

fn bulk(gated: &Gated) {
    for (name, what) in [("upload", b'U'), ("download", b'D')] {
        let [mut through, mut bare]: [Times; 2] = std::array::from_fn(|_| Times::default());
        for _ in 0..BULK_ROUNDS {
            bare.push(timed(|| exchange(plain(gated), what)).0);
            through.push(timed(|| exchange(gated.connect(), what)).0);
        }
        #[expect(clippy::cast_precision_loss, reason = "a size far below 2^52")]
        let rate = |times: &Times| BULK as f64 / 1e9 / times.median().as_secs_f64();
        println!(
            "{name} of {} MiB: {:.2} GB/s through the gate, {:.2} GB/s by plain loopback, {:.2} x",
            BULK >> 20,
            rate(&through),
            rate(&bare),
            ratio(bare.median(), through.median())
        );
    }
}

fn small(gated: &Gated) {
    let [mut through, mut bare]: [Times; 2] = std::array::from_fn(|_| Times::default());
    for _ in 0..SMALL_ROUNDS {
        bare.push(timed(|| exchange(plain(gated), b'S')).0);
        through.push(timed(|| exchange(gated.connect(), b'S')).0);
    }
    compare("one byte, connecting included", &through, "plain loopback", &bare);
}

fn main() {
    let target = serve();
    let gated = Gated::before(target);
    bulk(&gated);
    small(&gated);
}
