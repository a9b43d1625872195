//! The real way to a page over TLS: redirects, limits, servers that misbehave, and what was
//! connected to.

use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use tools_web::WebError;
use tools_web::guard::Refusal;

use crate::world::{PUBLIC, Reply, World, get, get_within, html, page};

#[tokio::test]
async fn a_page_comes_from_the_address_that_was_judged() {
    let world = World::new().await;
    world.serve("a.example.org/x?y=1", html("hello"));
    let fetched = get(&world.client(), "https://A.example.org./x?y=1#z").await.unwrap();
    assert_eq!((fetched.status, fetched.body.bytes.as_slice(), fetched.body.truncated), (200, &b"hello"[..], false));
    assert_eq!(world.dialled(), [format!("{PUBLIC}:443").parse::<SocketAddr>().unwrap()]);
    let request = world.requests().remove(0);
    assert!(request.starts_with("GET /x?y=1 HTTP/1.1\r\n") && request.contains("host: a.example.org\r\n"), "{request}");
    assert!(!request.to_lowercase().contains("cookie") && !request.to_lowercase().contains("referer"), "{request}");
}

#[tokio::test]
async fn what_the_guard_refuses_opens_no_connection() {
    let world = World::new().await;
    world.resolve("inside.example.org", &[&["10.0.0.1"]]).resolve("mixed.example.org", &[&[PUBLIC, "127.0.0.1"]]);
    let client = world.client();
    for url in [
        "http://a.example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://localhost/",
        "https://inside.example.org/",
        "https://mixed.example.org/",
        "https://a.example.org:22/",
        "https://u:p@a.example.org/",
        "https://169.254.169.254/latest/",
    ] {
        assert!(matches!(get(&client, url).await, Err(WebError::Refused(_))), "{url}");
    }
    assert_eq!(world.dialled(), []);
}

#[tokio::test]
async fn a_redirect_is_followed_three_times_and_judged_each_time() {
    let world = World::new().await;
    for (from, to) in [
        ("/1", "/2"),
        ("/2", "//b.example.org/3"),
        ("/loop", "/loop"),
        ("/in", "https://10.0.0.1/"),
        ("/down", "http://a.example.org/"),
    ] {
        world.serve(&format!("a.example.org{from}"), page("302 Found", &[&format!("location: {to}")], ""));
    }
    world.serve("b.example.org/3", page("307 Temporary Redirect", &["location: https://c.example.org/4"], ""));
    world.serve("c.example.org/4", html("there"));
    world.serve("a.example.org/none", page("302 Found", &[], ""));
    world.resolve("c.example.org", &[&["93.184.215.15"]]);
    let client = world.client();
    let fetched = get(&client, "https://a.example.org/1").await.unwrap();
    assert_eq!(
        (fetched.url.as_str(), fetched.redirects, fetched.body.bytes.as_slice()),
        ("https://c.example.org/4", 3, &b"there"[..])
    );
    assert_eq!(world.dialled().last().unwrap().ip().to_string(), "93.184.215.15");
    assert!(matches!(get(&client, "https://a.example.org/loop").await, Err(WebError::TooManyRedirects { .. })));
    let before = world.dialled().len();
    for (path, code) in [("/in", "address_not_public"), ("/down", "scheme_not_allowed")] {
        let Err(WebError::Redirect(refusal)) = get(&client, &format!("https://a.example.org{path}")).await else {
            panic!("{path}")
        };
        assert_eq!(refusal.code(), code);
    }
    let nowhere = get(&client, "https://a.example.org/none").await.unwrap_err().to_string();
    assert_eq!(nowhere, "the server answered 302 Found without naming where the page is");
    assert_eq!(world.dialled().len(), before + 3, "the first page of each, and nothing behind it");
}

#[tokio::test]
async fn a_connection_that_leads_elsewhere_is_not_used() {
    let world = World::new().await;
    world.serve("a.example.org/", html("hello"));
    world.lie();
    let found = get(&world.client(), "https://a.example.org/").await;
    assert!(matches!(found, Err(WebError::Refused(Refusal::Peer))), "{found:?}");
    assert_eq!(world.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn a_host_that_cannot_prove_its_name_gets_no_request() {
    let world = World::new().await;
    let found = get(&world.client(), "https://other.example.org/").await;
    assert!(matches!(found, Err(WebError::Certificate { .. })), "{found:?}");
    let found = get(&world.client(), "https://93.184.215.99/").await;
    assert!(matches!(found, Err(WebError::Certificate { .. })), "{found:?}");
    assert_eq!(world.requests(), Vec::<String>::new());
    assert_eq!(
        get(&world.client(), &format!("https://{PUBLIC}/")).await.map(|_| ()).unwrap_err().to_string(),
        "the server answered 404 Not Found"
    );
}

#[tokio::test]
async fn rebinding_connects_to_no_private_address() {
    let world = World::new().await;
    world.resolve("a.example.org", &[&[PUBLIC], &["10.0.0.1"], &["::1", PUBLIC]]);
    world.close();
    let client = world.client();
    for _ in 0..100_000 {
        assert!(get(&client, "https://a.example.org/").await.is_err());
    }
    let dialled = world.dialled();
    assert_eq!(dialled.len(), 33_334);
    assert!(dialled.iter().all(|address| address.ip().to_string() == PUBLIC));
}

#[tokio::test]
async fn a_body_without_end_is_cut_at_its_limit() {
    let world = World::new().await;
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n".to_vec();
    world.serve("a.example.org/", Reply::Endless(head, vec![b'a'; 16 * 1024]));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&vec![b'b'; 64 * 1024 * 1024]).unwrap();
    world.serve(
        "a.example.org/bomb",
        page("200 OK", &["content-type: text/plain", "content-encoding: gzip"], packed.finish().unwrap()),
    );
    for path in ["", "bomb"] {
        let fetched = get(&world.client(), &format!("https://a.example.org/{path}")).await.unwrap();
        assert_eq!((fetched.body.bytes.len(), fetched.body.truncated), (1024 * 1024, true), "{path}");
        assert!(fetched.body.received <= 1024 * 1024 + 64 * 1024, "{path}");
    }
}

#[tokio::test]
async fn a_server_that_misbehaves_is_an_error_and_no_hang() {
    let world = World::new().await;
    let raw = |path: &str, bytes: &[u8]| {
        world.serve(&format!("a.example.org{path}"), Reply::Bytes(bytes.to_vec()));
    };
    raw("/garbage", b"no http at all\r\n\r\n");
    raw("/half", b"HTTP/1.1 200 OK\r\ncontent-ty");
    raw("/short", b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort");
    raw("/length", b"HTTP/1.1 200 OK\r\ncontent-length: minus one\r\n\r\n");
    raw("/chunk", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n");
    raw("/headers", &[b"HTTP/1.1 200 OK\r\n".as_slice(), &b"x: y\r\n".repeat(50_000), b"\r\n"].concat());
    raw("/header", &[b"HTTP/1.1 200 OK\r\nx: ".as_slice(), &vec![b'y'; 1024 * 1024], b"\r\n\r\n"].concat());
    for path in ["/garbage", "/half", "/short", "/length", "/chunk", "/headers", "/header"] {
        let found = get(&world.client(), &format!("https://a.example.org{path}")).await;
        assert!(matches!(found, Err(WebError::Http(_))), "{path}: {found:?}");
    }
    world.serve("a.example.org/packed", page("200 OK", &["content-encoding: gzip"], "not packed at all"));
    assert!(matches!(get(&world.client(), "https://a.example.org/packed").await, Err(WebError::Compression(_))));
    world.serve("a.example.org/br", page("200 OK", &["content-encoding: br"], "x"));
    assert!(matches!(get(&world.client(), "https://a.example.org/br").await, Err(WebError::Encoding(_))));
}

#[tokio::test]
async fn one_deadline_holds_for_silence_at_any_moment() {
    let world = World::new().await;
    world.serve("a.example.org/none", Reply::Silent(Vec::new()));
    world.serve("a.example.org/head", Reply::Silent(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf".to_vec()));
    for path in ["none", "head"] {
        let found =
            get_within(&world.client(), &format!("https://a.example.org/{path}"), Duration::from_millis(300)).await;
        assert!(matches!(found, Err(WebError::Timeout)), "{path}: {found:?}");
    }
}
