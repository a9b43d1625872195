//! A network that several commands share: they reach each other and what is opened for them, and
//! nothing else.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use tools_sandbox::kernel::{Confinement, IpFamily, Level, Network, NetworkNamespace, SandboxMode};
use tools_sandbox::process::{ProcessTree, caller};

use crate::support::{Place, run, sandbox, sandboxes, shell};

fn network() -> Option<Arc<NetworkNamespace>> {
    match NetworkNamespace::create() {
        Ok(network) => Some(Arc::new(network)),
        Err(error) => {
            eprintln!("SKIPPED: no network namespaces: {error}");
            None
        }
    }
}

/// A line that says what a port of 127.0.0.1 sends, or `none`.
fn ask(port: u16) -> String {
    format!("(exec 3<>/dev/tcp/127.0.0.1/{port} && head -c 5 <&3) 2>/dev/null || echo none")
}

#[tokio::test]
async fn commands_of_one_network_meet_and_the_machine_is_out_of_reach() {
    let (place, Some(network)) = (Place::new(), network()) else { return };
    let ask_for = |joins: &Arc<NetworkNamespace>| Confinement {
        network: Network::Gate,
        joins: Some(Arc::clone(joins)),
        ..place.ask(SandboxMode::Namespaces)
    };
    let Some(sandboxed) = sandbox(&ask_for(&network)) else { return };
    assert_eq!(sandboxed.strength().network, Network::Gate);
    // A server that one command starts is there for the next.
    let serve = "exec python3 -c 'import socket; s = socket.create_server((\"127.0.0.1\", 8123)); print(1, flush=True); s.accept()[0].send(b\"hello\"); s.accept()'";
    let mut job = ProcessTree::spawn(&shell(serve, &place.work), &sandboxed).await.unwrap();
    let mut started = [0];
    tokio::io::AsyncReadExt::read_exact(&mut job.take_stdout().unwrap(), &mut started).await.unwrap();
    assert_eq!(run(&ask(8123), &place.work, &sandboxed).await.stdout, "hello");
    // For a command of another network it is not, nor is what listens outside.
    let other = network_of_its_own(&place);
    assert_eq!(run(&ask(8123), &place.work, &other).await.stdout, "none\n");
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = outside.local_addr().unwrap().port();
    assert_eq!(run(&ask(port), &place.work, &sandboxed).await.stdout, "none\n");
    outside.set_nonblocking(true).unwrap();
    assert!(outside.accept().is_err(), "nobody came");
    // Names, other addresses and raw sockets lead nowhere.
    let away = "for a in 169.254.169.254 192.0.2.1 10.0.0.1; do (exec 3<>/dev/tcp/$a/80) 2>/dev/null && echo $a; done; \
                (exec 3<>/dev/udp/192.0.2.1/53) 2>/dev/null && echo udp; ping -c1 -W1 127.0.0.1 >/dev/null 2>&1 && echo ping; \
                unshare -n true 2>/dev/null && echo left; ip link add x type dummy 2>/dev/null && echo link; echo end";
    assert_eq!(run(away, &place.work, &sandboxed).await.stdout, "end\n");
    job.finish().await;
}

fn network_of_its_own(place: &Place) -> tools_sandbox::kernel::Sandbox {
    let ask = Confinement { network: Network::Gate, joins: network(), ..place.ask(SandboxMode::Namespaces) };
    sandbox(&ask).unwrap()
}

#[tokio::test]
async fn a_listener_is_opened_in_it_and_tells_who_connects() {
    let (place, Some(network)) = (Place::new(), network()) else { return };
    let joins = Some(Arc::clone(&network));
    let ask_for = Confinement { network: Network::Gate, joins, ..place.ask(SandboxMode::Namespaces) };
    let Some(sandboxed) = sandbox(&ask_for) else { return };
    let listener = network.listen(0).unwrap();
    let port = listener.local_addr().unwrap().port();
    assert!(network.listen(port).is_err(), "it is taken");
    let mut tree = ProcessTree::spawn(&shell(&ask(port), &place.work), &sandboxed).await.unwrap();
    let (id, mut stdout) = (tree.id(), tree.take_stdout().unwrap());
    let found = tokio::task::spawn_blocking(move || {
        let (mut stream, peer) = listener.accept().unwrap();
        let found = caller(&[i32::MAX, id], peer.port());
        stream.write_all(b"hello").unwrap();
        let mut rest = String::new();
        let _ = stream.read_to_string(&mut rest);
        found
    });
    let found = found.await.unwrap().expect("it is the one command there is");
    let mut text = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut stdout, &mut text).await.unwrap();
    assert_eq!(text, "hello");
    assert_eq!(found.tree, 1);
    let program = found.program.unwrap();
    assert_eq!(program.file_name().unwrap(), "bash", "{}", program.display());
    tree.finish().await;
}

#[tokio::test]
async fn where_it_cannot_be_joined_there_is_no_network() {
    let place = Place::new();
    let ask_for = Confinement { network: Network::Gate, joins: network(), ..place.ask(SandboxMode::Off) };
    for (level, sandboxed) in sandboxes(&ask_for) {
        let expected = match level {
            Level::Namespaces => Network::Gate,
            Level::Landlock => Network::Closed,
            Level::Off => Network::Open,
        };
        let expected = if ask_for.joins.is_none() && level == Level::Namespaces { Network::Closed } else { expected };
        assert_eq!(sandboxed.strength().network, expected, "{level:?}");
        assert_eq!(run("echo ran", &place.work, &sandboxed).await.stdout, "ran\n", "{level:?}");
    }
}

#[test]
fn a_socket_of_it_reaches_what_listens_in_it_and_nothing_outside() {
    let (Some(network), Some(other)) = (network(), network()) else { return };
    let listener = network.listen(0).unwrap();
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let reaches = |network: &NetworkNamespace, address: SocketAddr| {
        let family = if address.is_ipv4() { IpFamily::V4 } else { IpFamily::V6 };
        let socket = network.socket(family).unwrap();
        runtime.block_on(async { tokio::net::TcpSocket::from_std_stream(socket.into()).connect(address).await.is_ok() })
    };
    let inside = listener.local_addr().unwrap();
    assert!(reaches(&network, inside));
    assert!(!reaches(&other, inside), "another network has another loopback interface");
    assert!(!reaches(&network, outside.local_addr().unwrap()), "and so has the machine");
    assert!(
        !reaches(&network, SocketAddr::new("::1".parse().unwrap(), inside.port())),
        "it listens on 127.0.0.1 alone"
    );
}
