//! The decision about a connection is that of the rules and the guard, whatever protocol it comes
//! by and however its target is spelt: thousands of generated requests, each compared with what the
//! rule engine says. And what a client may hide in a request that is forwarded.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinSet;
use tools_core::Verdict::{self, Allow, Ask, Deny};
use tools_egress::guard::Host;
use tools_egress::rules::{HostRules, RuleText};

use crate::world::{World, hello, read_all, read_head};

/// Hosts as clients spell them: names with odd bytes, IDNA, numbers, IPv6 with and without a zone.
const HOSTS: &[&str] = &[
    "example.org",
    "EXAMPLE.org.",
    "www.example.org",
    "example.org..",
    ".example.org",
    "notexample.org",
    "example.org.evil.com",
    "evil.com",
    "xn--exmple-cua.org",
    "ex\u{e1}mple.org",
    "\u{ff45}xample.org",
    "example\u{3002}org",
    "example.org\u{ad}",
    "e\u{200b}xample.org",
    "xn--a",
    "xn--\u{fc}.org",
    "%65xample.org",
    "example%2eorg",
    "example%00.org",
    "example.org%2fevil.com",
    "-example.org",
    "a_b.example.org",
    "*.example.org",
    "exa mple.org",
    "example.org\t",
    "inside.org",
    "mixed.org",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "localhost.localdomain",
    "db",
    "printer.local",
    "metadata.google.internal",
    "127.0.0.1",
    "127.1",
    "0177.0.0.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "127.0.0.1.",
    "\u{ff11}27.0.0.1",
    "%31%32%37.0.0.1",
    "0",
    "0.0.0.0",
    "10.1.2.3",
    "169.254.169.254",
    "0xa9fea9fe",
    "100.100.100.200",
    "168.63.129.16",
    "93.184.215.14",
    "1572395534",
    "256.1.1.1",
    "1.2.3.4.5",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[64:ff9b::5db8:d70e]",
    "[2002:7f00:1::]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
    "[fe80::1]",
    "[::1%25lo]",
    "[fd00:ec2::254]",
    "[2606:4700::1111]",
    "[::1",
    "::1",
    "[127.0.0.1]",
    "user@example.org",
    "example.org:443",
    "example.org/",
    "example.org#",
    "example.org?",
    "example.org\\",
    "",
];

const PORTS: &[&str] =
    &["443", "80", "80", "8080", "8080", "22", "22", "0", "00080", "65535", "65536", "+80", "-1", "8O", " 80", ""];

const PATTERNS: &[&str] = &[
    "example.org",
    "*.example.org:*",
    "example.org:8080",
    "evil.com:*",
    "xn--exmple-cua.org:*",
    "localhost:8080",
    "127.0.0.1:80",
    "[::1]:22",
    "10.1.2.3:22",
    "inside.org:*",
    "169.254.169.254:80",
    "*",
    "*:8080",
    "*:*",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Connect,
    Forward,
    SocksName,
}

/// A request, and headers that must not matter.
#[derive(Debug, Clone)]
struct Case {
    way: Way,
    host: &'static str,
    port: &'static str,
    junk: &'static str,
}

fn case() -> impl Strategy<Value = Case> {
    let way = select(&[Way::Connect, Way::Forward, Way::SocksName][..]);
    let junk = select(
        &[
            "",
            "Host: example.org\r\n",
            "Host: example.org:443\r\nHost: evil.com\r\n",
            "Proxy-Authorization: Basic eDp5\r\n",
            "Forwarded: host=example.org\r\nX-Forwarded-Host: example.org\r\n",
            "Upgrade: websocket\r\nConnection: Upgrade\r\n",
            "Connection: Host, Content-Length\r\n",
        ][..],
    );
    (way, select(HOSTS), select(PORTS), junk).prop_map(|(way, host, port, junk)| Case { way, host, port, junk })
}

fn rules() -> impl Strategy<Value = Vec<(&'static str, Verdict)>> {
    let any = prop::collection::vec((select(PATTERNS), select(&[Allow, Allow, Ask, Deny][..])), 0..4);
    prop_oneof![any, Just(vec![("evil.com:*", Deny), ("*:*", Allow)])]
}

fn compiled(rules: &[(&str, Verdict)]) -> HostRules {
    let text = |(pattern, action): &(&str, Verdict)| RuleText {
        pattern: (*pattern).to_owned(),
        program: None,
        action: *action,
        private: false,
    };
    HostRules::compile("network", &rules.iter().map(text).collect::<Vec<_>>()).unwrap()
}

/// The target that the rule engine reads; `None` for what is no target.
fn target(case: &Case) -> Option<(Host, u16)> {
    // In a URL the host ends where a path or a query begins, and then the port is the usual one.
    if case.way == Way::Forward
        && let Some(end) = case.host.find(['/', '?'])
    {
        return Some((Host::parse(&case.host[..end]).ok()?, 80)).filter(|_| !case.port.contains(' '));
    }
    let port: u16 = match (case.way, case.port) {
        // Without a colon there is the usual port of the scheme; the test always writes one.
        (Way::SocksName, port) => port.parse().ok()?,
        (_, port) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => port.parse().ok()?,
        _ => return None,
    };
    let is_address = case.way == Way::SocksName && case.host.parse::<std::net::Ipv6Addr>().is_ok();
    let host = if is_address { Host::parse(&format!("[{}]", case.host)) } else { Host::parse(case.host) };
    // What ends the host in a URL, and what the first line of a request cannot hold.
    let breaks = match case.way {
        Way::Forward => ['@', '#', ' ', '\t'].as_slice(),
        Way::Connect => [' ', '\t'].as_slice(),
        Way::SocksName => [].as_slice(),
    };
    (port != 0 && !case.host.contains(breaks)).then_some(())?;
    Some((host.ok()?, port))
}

/// Whether a connection may be opened: what rules, guard and the scripted names say together.
fn is_open(rules: &HostRules, case: &Case) -> bool {
    let Some((host, port)) = target(case) else { return false };
    let Some(rule) = rules.about(&host, port, Some("curl")).filter(|rule| rule.action() == Allow) else { return false };
    let granted = rule.grant(port).is_some();
    let is_metadata =
        ["169.254.169.254", "100.100.100.200", "168.63.129.16", "[fd00:ec2::254]"].contains(&host.to_string().as_str());
    let is_private_name = ["inside.org", "mixed.org"].contains(&host.to_string().as_str());
    let leads_outside = host.check().is_ok() && !is_private_name;
    (leads_outside || (granted && !is_metadata)) && !(case.way == Way::Forward && port == 443)
}

/// Asks the endpoint; the first bytes of its answer.
async fn answer(world: &World, case: &Case) -> Vec<u8> {
    let mut client = world.client().await;
    let request = match case.way {
        Way::Connect => format!("CONNECT {}:{} HTTP/1.1\r\n{}\r\n", case.host, case.port, case.junk).into_bytes(),
        Way::Forward => format!("GET http://{}:{}/ HTTP/1.1\r\n{}\r\n", case.host, case.port, case.junk).into_bytes(),
        Way::SocksName => {
            let port: u16 = case.port.parse().unwrap_or(0);
            let length = u8::try_from(case.host.len()).unwrap();
            [&[5, 1, 0, 5, 1, 0, 3, length], case.host.as_bytes(), &port.to_be_bytes()].concat()
        }
    };
    let _ = client.write_all(&request).await;
    let mut said = vec![0; 512];
    let mut length = 0;
    // The answer comes in one piece, but for the greeting of SOCKS before it.
    let enough = if case.way == Way::SocksName { 4 } else { 12 };
    while length < enough {
        match client.read(&mut said[length..]).await {
            Ok(count @ 1..) => length += count,
            Ok(0) | Err(_) => break,
        }
    }
    said.truncate(length);
    said
}

#[test]
fn every_request_is_decided_as_the_rules_and_the_guard_say() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let open = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let cases = (rules(), prop::collection::vec(case(), 50));
    runner
        .run(&cases, |(texts, cases)| {
            // A rule that names no port for what is not public is no rule.
            let engine = compiled(&texts);
            runtime.block_on(async {
                let world = World::new(&texts).await;
                world.resolve("inside.org", &[&["10.0.0.1"]]);
                world.resolve("mixed.org", &[&[crate::world::PUBLIC, "127.0.0.1"]]);
                for case in &cases {
                    let before = world.dialled().len();
                    let said = answer(&world, case).await;
                    let expected = is_open(&engine, case);
                    let was_dialled = world.dialled().len() > before;
                    prop_assert_eq!(was_dialled, expected, "{:?} under {:?}: {:?}", case, texts, said);
                    let is_granted = match case.way {
                        Way::Connect => said.starts_with(b"HTTP/1.1 200 "),
                        Way::Forward => said.starts_with(b"<GET /"),
                        Way::SocksName => said.starts_with(&[5, 0, 5, 0]),
                    };
                    prop_assert_eq!(is_granted, expected, "{:?} under {:?}: {:?}", case, texts, said);
                }
                open.set(open.get() + world.dialled().len());
                Ok(())
            })
        })
        .unwrap();
    assert!(open.get() > 50, "only {open:?} were allowed: the cases show little");
}

#[tokio::test]
async fn raw_addresses_of_socks_are_judged_like_names() {
    let world = World::new(&[("*:*", Allow)]).await;
    for (address, expected) in [
        (&[1, 127, 0, 0, 1][..], 2),
        (&[1, 10, 0, 0, 1], 2),
        (&[1, 169, 254, 169, 254], 2),
        (&[1, 0, 0, 0, 0], 2),
        (&[1, 255, 255, 255, 255], 2),
        (&[1, 93, 184, 215, 14], 0),
        (&[4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 2),
        (&[4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1], 2),
        (&[4, 0x20, 0x02, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 2),
        (&[4, 0x26, 0x06, 0x47, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x11], 0),
    ] {
        let mut client = world.client().await;
        client.write_all(&[&[5, 1, 0, 5, 1, 0], address, &[0, 80]].concat()).await.unwrap();
        let mut reply = [0; 4];
        client.read_exact(&mut reply).await.unwrap();
        assert_eq!(reply, [5, 0, 5, expected], "{address:?}");
    }
    assert_eq!(world.dialled().len(), 2);
    // Neither a listener nor datagrams.
    for command in [2, 3] {
        let said = world.say(&[&[5, 1, 0, 5, command, 0, 1], &[93, 184, 215, 14, 0, 80][..]].concat()).await;
        assert!(said == [5, 0] || said.starts_with(&[5, 0, 5, 2]), "{command}: {said:?}");
    }
    assert_eq!(world.dialled().len(), 2);
}

/// What the server gets from a request that is forwarded, without the mark in front.
async fn forwarded(world: &World, request: &[u8]) -> String {
    let said = world.say(request).await;
    String::from_utf8_lossy(said.strip_prefix(b"<").unwrap_or(&said)).into_owned()
}

#[tokio::test]
async fn a_second_request_is_smuggled_by_no_framing() {
    let evil = "GET http://evil.com/stolen HTTP/1.1\r\nHost: evil.com\r\n\r\n";
    let framings = [
        "",
        "Content-Length: 0\r\n",
        "Content-Length: 3\r\n",
        "Content-Length: 03\r\n",
        "Content-Length: +3\r\n",
        "Content-Length: 3, 3\r\n",
        "Content-Length: 3\r\nContent-Length: 3\r\n",
        "Content-Length: 3\r\nContent-Length: 60\r\n",
        "Content-Length: 0x3\r\n",
        "Content-Length: 18446744073709551616\r\n",
        "Content-Length : 3\r\n",
        "Content-Length\t: 3\r\n",
        " Content-Length: 3\r\n",
        "A: b\r\n Content-Length: 3\r\n",
        "A: b\nContent-Length: 60\r\n",
        "A: b\rContent-Length: 60\r\n",
        "A: b\0Content-Length: 60\r\n",
        "Content_Length: 60\r\n",
        "Transfer-Encoding: chunked\r\n",
        "Transfer-Encoding: CHUNKED\r\n",
        "Transfer-Encoding:\tchunked\r\n",
        "Transfer-Encoding: chunked \r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: identity\r\n",
        "Transfer-Encoding: identity, chunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: \"chunked\"\r\n",
        "Transfer-Encoding: \u{b}chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 60\r\n",
        "Content-Length: 60\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Connection: Content-Length\r\nContent-Length: 3\r\n",
        "Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked\r\n",
    ];
    let bodies =
        ["", "abc", "0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n", "3\nabc\n0\n\n", "0\r\nA: b\r\n\r\n", "0;x\ry\r\n\r\n"];
    let mut requests = Vec::new();
    for method in ["GET", "POST", "HEAD"] {
        for framing in framings {
            requests.extend(bodies.map(|body| (method, framing, body)));
        }
    }
    // Each waits for what may still come.
    for some in requests.chunks(100) {
        let world = Arc::new(World::new(&[("example.org:*", Allow), ("*:*", Deny)]).await);
        let mut tasks = JoinSet::new();
        for &(method, framing, body) in some {
            let world = Arc::clone(&world);
            tasks.spawn(async move {
                let request = format!("{method} http://example.org/ HTTP/1.1\r\n{framing}\r\n{body}{evil}");
                let got = forwarded(&world, request.as_bytes()).await;
                // Whoever reads what the server got sees one request, for the host that was
                // allowed.
                let is_one = got.starts_with(&format!("{method} / HTTP/1.1\r\nHost: example.org\r\n"));
                assert!(is_one || got.starts_with("HTTP/1.1 400"), "{method} {framing:?} {body:?}: {got}");
                assert!(!got.contains("stolen") || is_body(&got), "{method} {framing:?} {body:?}: {got}");
            });
        }
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
        assert!(world.dialled().iter().all(|address| address.port() == 80));
    }
}

/// Whether all that stands behind the head is the body that the head announces.
fn is_body(got: &str) -> bool {
    let Some((head, body)) = got.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.and_then(|length| length.parse().ok()) == Some(body.trim_end_matches('>').len())
}

#[tokio::test]
async fn other_protocols_on_the_endpoint_are_no_way_out() {
    let world = World::new(&[("*:*", Allow)]).await;
    for bytes in [
        // HTTP/2 with prior knowledge, WebSocket and TLS to the endpoint itself, a datagram's
        // bytes.
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"[..],
        b"GET /chat HTTP/1.1\r\nHost: example.org\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: example.org\r\n\r\n",
        b"connect example.org:80 HTTP/1.1\r\n\r\n",
        b"CONNECT example.org:80 HTTP/2\r\n\r\n",
        b"GET ws://example.org/ HTTP/1.1\r\n\r\n",
        b"GET //example.org/ HTTP/1.1\r\n\r\n",
        b"GET http:/example.org/ HTTP/1.1\r\n\r\n",
        b"GET http:///example.org/ HTTP/1.1\r\n\r\n",
        b"\xc3\0\0\0\x01\x08\0\0\0\0\0\0\0\0\0\0\r\n\r\n",
    ] {
        let said = world.say(bytes).await;
        assert!(said.starts_with(b"HTTP/1.1 400"), "{}: {said:?}", String::from_utf8_lossy(bytes));
    }
    assert!(world.say(&hello("example.org")).await.is_empty(), "TLS to the endpoint is answered by nothing");
    assert_eq!(world.dialled(), []);
    // An upgrade is a request like any other: its answer is passed on, nothing of the client's.
    let got = forwarded(
        &world,
        b"GET http://example.org/chat HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n\x81\x05hello",
    )
    .await;
    assert!(!got.to_lowercase().contains("upgrade") && !got.contains("hello"), "{got}");
}

#[tokio::test]
async fn the_name_in_tls_is_compared_letter_by_letter_and_only_on_its_port() {
    let world = World::new(&[("example.org:*", Allow), ("93.184.215.14:*", Allow)]).await;
    for (target, name, passes) in [
        ("example.org:443", "example.org", true),
        ("example.org:443", "EXAMPLE.ORG", true),
        ("example.org:443", "example.org.", true),
        ("EXAMPLE.org.:443", "example.org", true),
        ("example.org:443", "example.org..", false),
        ("example.org:443", "example%2eorg", false),
        ("example.org:443", "example.org\0.evil.com", false),
        ("example.org:443", "cloudflare-ech.com", false),
        ("93.184.215.14:443", "evil.com", false),
        ("example.org:8443", "evil.com", true),
    ] {
        let said = hello(name);
        let (status, back) = world.connect(target, &said).await;
        assert_eq!(status, "HTTP/1.1 200 Connection established", "{target}");
        assert_eq!(back == [b"<".as_slice(), &said, b">"].concat(), passes, "{name} to {target}: {back:?}");
    }
}

#[tokio::test]
async fn bulk_passes_unchanged_in_both_ways_and_is_counted() {
    let world = World::new(&[("example.org:*", Allow)]).await;
    let bytes: Vec<u8> = (0..5_000_000_u32).map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    for protocol in ["connect", "forward"] {
        let before = world.ended(0).await.len();
        let mut client = world.client().await;
        let head = match protocol {
            "connect" => "CONNECT example.org:81 HTTP/1.1\r\n\r\n".to_owned(),
            _ => format!("POST http://example.org:81/ HTTP/1.1\r\nContent-Length: {}\r\n\r\n", bytes.len()),
        };
        client.write_all(head.as_bytes()).await.unwrap();
        if protocol == "connect" {
            read_head(&mut client).await;
        }
        let (mut reading, mut writing) = client.split();
        let (sent, mut back) = (bytes.clone(), Vec::new());
        let write = async {
            writing.write_all(&sent).await.unwrap();
            if protocol == "connect" {
                writing.shutdown().await.unwrap();
            }
        };
        let read = async {
            while back.len() <= bytes.len() {
                if reading.read_buf(&mut back).await.unwrap_or(0) == 0 {
                    break;
                }
            }
        };
        tokio::join!(write, read);
        let body = back.iter().rev().skip(usize::from(back.ends_with(b">"))).take(bytes.len()).rev();
        assert!(body.eq(bytes.iter()), "{protocol}");
        drop(client);
        let ended = world.ended(before + 1).await.pop().unwrap();
        assert!(ended.sent >= bytes.len() as u64 && ended.received >= bytes.len() as u64, "{protocol}: {ended:?}");
    }
}

#[tokio::test]
async fn bulk_ends_at_the_budget() {
    let world = World::new(&[("example.org:*", Allow)]).await;
    let budget = 2_000_000;
    world.budget(budget);
    let mut client = world.client().await;
    client.write_all(b"CONNECT example.org:81 HTTP/1.1\r\n\r\n").await.unwrap();
    read_head(&mut client).await;
    let (mut reading, mut writing) = client.split();
    let write = async {
        let piece = vec![b'x'; 100_000];
        for _ in 0..100 {
            if writing.write_all(&piece).await.is_err() {
                break;
            }
        }
    };
    let mut back = Vec::new();
    let read = async { while reading.read_buf(&mut back).await.is_ok_and(|count| count > 0) {} };
    tokio::join!(write, read);
    let ended = world.ended(1).await.pop().unwrap();
    assert!(ended.sent <= budget && ended.sent > budget / 4, "{ended:?}");
    assert!(ended.problem.is_some_and(|problem| problem.contains("sent_per_host")));
    assert!(read_all(&mut client).await.is_empty());
}
