//! Lines for a JSON-RPC server over a pair of streams: it answers in lines of JSON, and ends when
//! its client does.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
use tokio::runtime::Runtime;
use tokio::time::timeout;

/// Time limit for a server to answer and end.
const PATIENCE: Duration = Duration::from_secs(10);
const ROOM: usize = 1 << 16;

/// Sends these bytes to a server and closes its input; all of its output must be messages.
pub(crate) fn served<F: Future<Output = ()> + Send + 'static>(
    runtime: &Runtime,
    greeting: &[u8],
    bytes: &[u8],
    serve: impl FnOnce(DuplexStream, DuplexStream) -> F,
) {
    let (to_server, input) = duplex(ROOM);
    let (output, mut from_server) = duplex(ROOM);
    let all = [greeting, bytes, b"\n"].concat();
    let written = runtime.block_on(async move {
        let serving = tokio::spawn(serve(input, output));
        let writing = tokio::spawn(async move {
            let mut to_server = to_server;
            // A server that ends early stops reading.
            let _ = to_server.write_all(&all).await;
        });
        let mut written = vec![];
        let ended = timeout(PATIENCE, async {
            from_server.read_to_end(&mut written).await.expect("memory is readable");
            serving.await.expect("the server does not panic");
            writing.await.expect("writing does not panic");
        });
        ended.await.expect("the server ends with its client");
        written
    });
    for line in written.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let message: serde_json::Value = serde_json::from_slice(line).expect("a line of the server is JSON");
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
    }
}
