//! Getting pages from a TLS server on loopback: one small page to its text, and 64 at a time
//! against a bare HTTP client that checks nothing, round by round.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed run")]

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/it/world.rs"]
mod world;

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tools_tls::TlsClient;
use tools_web::client::WebClient;
use tools_web::page::{Document, Format, Kind, PATIENCE, readable};
use world::{World, get, html};

const PAGE: &str = "a.example.org/page";
const ROUNDS: usize = 60;
const AT_A_TIME: usize = 64;
const SMALL_ROUNDS: usize = 300;

/// The page over a connection of its own, which is what the tools use, too.
async fn bare(server: SocketAddr, tls: Arc<TlsClient>) -> usize {
    let stream = TcpStream::connect(server).await.expect("the server is there");
    let stream = tls.connect("a.example.org", stream).await.expect("its certificate is trusted");
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
    let connection = tokio::spawn(connection);
    let request = hyper::Request::get("/page").header("host", "a.example.org").body(Empty::<Bytes>::new());
    let answer = sender.send_request(request.expect("it is well formed")).await.expect("it answers");
    let size = answer.into_body().collect().await.expect("the body comes").to_bytes().len();
    connection.abort();
    size
}

async fn all<F: Future<Output = usize> + Send + 'static>(one: impl Fn() -> F) -> Duration {
    let began = Instant::now();
    let mut running: JoinSet<usize> = (0..AT_A_TIME).map(|_| one()).collect();
    while let Some(size) = running.join_next().await {
        assert!(size.expect("none panics") > 0);
    }
    began.elapsed()
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

async fn small(client: &WebClient) -> Duration {
    let mut times = Vec::new();
    for _ in 0..SMALL_ROUNDS {
        let began = Instant::now();
        let fetched = get(client, &format!("https://{PAGE}")).await.expect("it comes");
        let page = String::from_utf8(fetched.body.bytes).expect("it is UTF-8");
        let document = Document::parse(&page, &Kind::Html, PATIENCE);
        assert!(!readable(&document, None, Format::Text, PATIENCE).text.is_empty());
        times.push(began.elapsed());
    }
    middle(times)
}

#[tokio::main]
async fn main() {
    let world = World::new().await;
    let mut page = "<!doctype html><title>Page</title><main><h1>Page</h1>".to_owned();
    while page.len() < 20 << 10 {
        // Writing to a `String` cannot fail.
        let _ = writeln!(page, "<p>Paragraph {} of a page that documents <a href=\"/\">something</a>.</p>", page.len());
    }
    world.serve(PAGE, html(&page));
    let client = Arc::new(world.client());
    println!("a page of 20 KB to its text, one after the other: p50 {:?}", small(&client).await);
    let tls = Arc::new(TlsClient::trusting(world.roots.clone()));
    let (mut own, mut other) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        own.push(
            all(|| {
                let client = Arc::clone(&client);
                async move { get(&client, &format!("https://{PAGE}")).await.expect("it comes").body.bytes.len() }
            })
            .await,
        );
        other.push(all(|| bare(world.server, Arc::clone(&tls))).await);
    }
    let (own, other) = (middle(own), middle(other));
    let ratio = other.as_secs_f64() / own.as_secs_f64();
    println!("{AT_A_TIME} at a time: {own:?}, a bare client {other:?}, {ratio:.2} x its rate");
}
