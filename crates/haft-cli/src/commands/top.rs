//! `haft top --web`: a loopback web page that shows what this user's processes do: running and past
//! calls, jobs, open questions, scheduled tasks, hosts, and tokens saved by filters. It reads the
//! record and the state that processes publish, and watches questions as `haft approvals watch`
//! does. A random token admits the browser.

mod board;
mod figures;
mod http;
mod questions;
mod sources;

use std::{collections::VecDeque, sync::Arc, time::Duration};

use haft::questions::QuestionWatch;
use serde_json::json;
use tokio::{net::TcpListener, task::AbortHandle};

use self::{board::Board, http::RequestGuard, questions::Questions};
use crate::{args::CommonArgs, commands::call::interrupt, exit::Exit, output};

/// Maximum number of open connections; a browser opens about six.
const MAX_CONNECTIONS: usize = 32;
/// Interval between reads of the record.
const TICK: Duration = Duration::from_millis(500);

/// Serves until interrupted.
pub(crate) async fn run(common: &CommonArgs, port: u16) -> Result<Exit, String> {
    let listener = TcpListener::bind(("127.0.0.1", port)).await;
    let listener = listener.map_err(|error| format!("127.0.0.1:{port} cannot be listened on: {error}"))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let guard = Arc::new(RequestGuard::new(port)?);
    let folder = haft::config::places::watch_dir();
    let watch = QuestionWatch::open(&folder).await;
    let watch = watch.map_err(|error| format!("`{}` cannot be watched: {error}", folder.display()))?;
    let (questions, mut watching) = Questions::watching(watch);
    let board = Arc::new(Board::new(common, questions)?);
    // The part after `#` is sent to no server and written to no log; the page reads it from there.
    let address = format!("http://127.0.0.1:{port}/#{}", guard.token());
    if common.json {
        output::json(&json!({"event": "serving", "address": address}));
    } else {
        output::line(&address);
        output::note("open it in a browser; Ctrl-C ends");
    }
    let mut open: VecDeque<AbortHandle> = VecDeque::new();
    let mut connections = tokio::task::JoinSet::new();
    let mut tick = tokio::time::interval(TICK);
    let mut interrupted = std::pin::pin!(interrupt());
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                open.retain(|connection| !connection.is_finished());
                // Drop the oldest connection: it should have sent its request by now.
                if accepted.is_err() || open.len() >= MAX_CONNECTIONS {
                    open.pop_front().iter().for_each(AbortHandle::abort);
                }
                let Ok((stream, _)) = accepted else {
                    // No descriptors left. The next attempt accepts the connection.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                };
                let (guard, board) = (Arc::clone(&guard), Arc::clone(&board));
                open.push_back(connections.spawn(async move { http::serve(stream, &guard, &board).await }));
            }
            _ = tick.tick() => board.look(),
            () = watching.step() => {}
            signal = &mut interrupted => return Ok(Exit::interrupted(signal)),
        }
        while connections.try_join_next().is_some() {}
    }
}
