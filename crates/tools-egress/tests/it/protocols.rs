//! Each protocol leads to the same decision and the same bytes.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tools_core::Verdict::{Allow, Deny};
use tools_egress::endpoint::Permit;

use crate::world::{PUBLIC, World, hello, read_all, read_head};

#[tokio::test]
async fn bytes_pass_both_ways_unchanged_and_are_counted() {
    let world = World::new(&[("example.org:*", Allow)]).await;
    let (status, back) = world.connect("example.org:8443", b"\x00any bytes\xff").await;
    assert_eq!(
        (status.as_str(), back.as_slice()),
        ("HTTP/1.1 200 Connection established", &b"<\x00any bytes\xff>"[..])
    );
    let ended = world.ended(1).await.remove(0);
    assert_eq!((ended.sent, ended.received, ended.target.to_string().as_str()), (11, 13, "example.org:8443"));
    assert_eq!(ended.address.unwrap().to_string(), format!("{PUBLIC}:8443"));
    assert_eq!(ended.permit, Permit::Allowed { by: "network[0] \"example.org:*\"".to_owned() });
    assert_eq!((ended.caller.program.as_deref(), ended.problem), (Some("curl"), None));
}

#[tokio::test]
async fn a_request_with_a_url_is_forwarded_and_nothing_behind_it() {
    let world = World::new(&[("example.org", Allow), ("evil.org", Deny)]).await;
    let back = world
        .say(b"POST http://example.org/a HTTP/1.1\r\nHost: evil.org\r\nContent-Length: 2\r\n\r\nhiGET http://evil.org/ HTTP/1.1\r\n\r\n")
        .await;
    let back = String::from_utf8(back).unwrap();
    assert_eq!(back, "<POST /a HTTP/1.1\r\nHost: example.org\r\ncontent-length: 2\r\nConnection: close\r\n\r\nhi");
    // The same when the second request comes later.
    let mut client = world.client().await;
    client.write_all(b"GET http://example.org/ HTTP/1.1\r\n\r\n").await.unwrap();
    let first = read_all(&mut client).await;
    let _ = client.write_all(b"GET http://evil.org/ HTTP/1.1\r\n\r\n").await;
    assert!(String::from_utf8(first).unwrap().starts_with("<GET / HTTP/1.1\r\nHost: example.org\r\n"));
    assert_eq!(read_all(&mut client).await, b"");
    assert_eq!(world.dialled().len(), 2);
}

#[tokio::test]
async fn socks_takes_names_and_answers_in_its_own_words() {
    let world = World::new(&[("example.org", Allow), ("evil.org", Deny)]).await;
    let request = |name: &str| {
        let length = u8::try_from(name.len()).unwrap();
        [&[5, 1, 0, 3, length], name.as_bytes(), &[0, 80]].concat()
    };
    let mut client = world.client().await;
    client.write_all(&[5, 1, 0]).await.unwrap();
    let mut two = [0; 2];
    client.read_exact(&mut two).await.unwrap();
    assert_eq!(two, [5, 0]);
    client.write_all(&request("example.org")).await.unwrap();
    let mut ten = [0; 10];
    client.read_exact(&mut ten).await.unwrap();
    assert_eq!(ten[..2], [5, 0]);
    client.write_all(b"x").await.unwrap();
    client.shutdown().await.unwrap();
    assert_eq!(read_all(&mut client).await, b"<x>");
    let refused = world.say(&[&[5, 2, 0, 2][..], &request("evil.org")].concat()).await;
    assert_eq!(refused[..4], [5, 0, 5, 2]);
    // Without a password or not at all.
    assert_eq!(world.say(&[5, 1, 2]).await, [5, 0xff]);
    assert_eq!(world.dialled().len(), 1);
}

#[tokio::test]
async fn on_port_443_tls_names_the_host_of_the_connection() {
    let world = World::new(&[("example.org", Allow)]).await;
    let good = [hello("EXAMPLE.org"), b"rest".to_vec()].concat();
    let (_, back) = world.connect("example.org:443", &good).await;
    assert_eq!(back, [b"<".as_slice(), &good, b">"].concat());
    for bad in
        [hello("evil.org"), hello("www.example.org"), b"GET / HTTP/1.1\r\n\r\n".to_vec(), b"SSH-2.0-x\r\n".to_vec()]
    {
        let before = world.ended(0).await.len();
        let (_, back) = world.connect("example.org:443", &bad).await;
        assert_eq!(back, b"", "{bad:?}");
        let ended = world.ended(before + 1).await.pop().unwrap();
        assert_eq!(ended.sent, 0);
        assert!(ended.problem.is_some_and(|problem| problem.contains("TLS")), "{bad:?}");
    }
    // Without CONNECT there is no TLS.
    let refused = world.say(b"GET http://example.org:443/ HTTP/1.1\r\n\r\n").await;
    assert!(refused.starts_with(b"HTTP/1.1 403 Forbidden\r\n"));
}

#[tokio::test]
async fn a_relay_through_the_endpoint_decides_like_a_direct_request() {
    let world = World::new(&[("example.org:*", Allow), ("*", Deny)]).await;
    // A proxy that was allowed does not lend its leave: what goes through it is its own, and ours
    // is not reached.
    let own = world.address.to_string();
    for target in [own.as_str(), "evil.org:443", "localhost:80", "[::ffff:127.0.0.1]:80"] {
        let (status, _) = world.connect(target, b"").await;
        assert_eq!(status, "HTTP/1.1 403 Forbidden", "{target}");
        let forwarded =
            world.say(format!("GET http://{target}/ HTTP/1.1\r\nHost: example.org\r\n\r\n").as_bytes()).await;
        assert!(forwarded.starts_with(b"HTTP/1.1 403"), "{target}");
    }
    // Credentials and headers change nothing.
    let mut client = world.client().await;
    client
        .write_all(b"CONNECT evil.org:443 HTTP/1.1\r\nHost: example.org\r\nProxy-Authorization: Basic eDp5\r\nX-Forwarded-Host: example.org\r\n\r\n")
        .await
        .unwrap();
    assert!(read_head(&mut client).await.starts_with("HTTP/1.1 403"));
    assert_eq!(world.dialled(), []);
}
