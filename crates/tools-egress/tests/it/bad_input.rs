//! Whatever is sent to the endpoint: bounded, answered or closed, nothing left behind.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tools_core::Verdict::Allow;

use crate::world::{World, read_all};

#[tokio::test]
async fn garbage_is_refused_and_opens_nothing() {
    let world = World::new(&[("*:*", Allow)]).await;
    let endless = [b"CONNECT a.org:80 HTTP/1.1\r\n".to_vec(), b"x: y\r\n".repeat(100_000)].concat();
    let long = [b"CONNECT ".to_vec(), vec![b'a'; 1 << 20]].concat();
    let host = format!("CONNECT {}:80 HTTP/1.1\r\n\r\n", "a".repeat(10_000)).into_bytes();
    let cases: [&[u8]; 11] = [
        b"\x00\x01\x02\x03",
        b"\x16\x03\x01\x00\x05hello\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"CONNECT HTTP/1.1\r\n\r\n",
        b"CONNECT a.org HTTP/1.1\r\n\r\n",
        b"\x05\x01\x00\x05\x02\x00\x01\x01\x01\x01\x01\x00\x50",
        b"\x04\x01\x00\x50\x01\x02\x03\x04\x00",
        b"SSH-2.0-x\r\n\r\n",
        &endless,
        &long,
        &host,
    ];
    for case in cases {
        let said = world.say(case).await;
        let shown = String::from_utf8_lossy(&case[..case.len().min(40)]).into_owned();
        assert!(said.is_empty() || said.starts_with(b"HTTP/1.1 400") || said.starts_with(&[5]), "{shown}: {said:?}");
    }
    assert_eq!(world.dialled(), []);
    // It still serves.
    assert_eq!(world.connect("a.org:80", b"x").await.1, b"<x>");
}

#[tokio::test]
async fn ten_thousand_connections_do_not_stop_it() {
    let world = World::new(&[("*:*", Allow)]).await;
    for _ in 0..100 {
        let mut clients = Vec::new();
        for turn in 0..100 {
            let mut client = world.client().await;
            match turn % 4 {
                0 => client.write_all(b"CONNECT a.org:80 HTT").await.unwrap(),
                1 => client.write_all(b"\x05").await.unwrap(),
                2 => client.write_all(&[0xff; 100]).await.unwrap(),
                _ => {}
            }
            clients.push(client);
        }
    }
    assert_eq!(world.connect("a.org:80", b"x").await.1, b"<x>");
    assert_eq!(world.dialled().len(), 1);
}

#[tokio::test]
async fn with_the_endpoint_go_its_connections() {
    let mut world = World::new(&[("*:*", Allow)]).await;
    let mut client = world.client().await;
    client.write_all(b"CONNECT a.org:80 HTTP/1.1\r\n\r\n").await.unwrap();
    assert!(read_all(&mut client).await.ends_with(b"<"));
    drop(world.endpoint.take());
    assert_eq!(world.ended(1).await.len(), 1, "it is told of all the same");
    assert_eq!(read_all(&mut client).await, b"");
    let mut refused = false;
    for _ in 0..100 {
        refused |= TcpStream::connect(world.address).await.is_err();
        if refused {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(refused, "nobody listens any more");
}
