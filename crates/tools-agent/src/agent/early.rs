//! Calls that are started while the model still writes its answer.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use futures_util::{FutureExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use serde_json::Value;
use tokio::sync::mpsc;
use tools_core::{CallContext, EarlyRun, InvokedAs, Locked as _, SpeculationOutcome, ToolCall};
use tools_providers::Delta;

use super::{calls::called_off, shared::Shared};

/// Maximum number of calls that run before the answer is complete.
const AT_ONCE: usize = 2;
/// Maximum length in bytes of parameters that are parsed before the answer is complete: each chunk
/// causes a new attempt.
const MAX_ARGUMENTS: usize = 16 << 10;

/// The calls that the model has written so far. Sends each complete call, in order; after an
/// invalid call it sends nothing more.
pub(super) struct Drafts {
    written: Mutex<Written>,
    complete: mpsc::UnboundedSender<ToolCall>,
}

#[derive(Default)]
struct Written {
    /// Tool and parameters of each call.
    calls: Vec<(String, String)>,
    /// Number of calls that were sent.
    sent: usize,
}

impl Drafts {
    /// Adds a chunk of the answer.
    pub(super) fn take(&self, delta: &Delta<'_>) {
        if self.complete.is_closed() {
            return;
        }
        let mut written = self.written.locked();
        match *delta {
            Delta::CallStart { index, name } if index == written.calls.len() => {
                written.calls.push((name.to_owned(), String::new()));
            }
            Delta::CallArguments { index, text } => {
                let Some((tool, arguments)) = written.calls.get_mut(index) else { return };
                arguments.push_str(text);
                let call = text.trim_end().ends_with('}').then(|| complete(tool, arguments)).flatten();
                if let Some(call) = call
                    && index == written.sent
                {
                    written.sent += 1;
                    // An error means that no more calls are started.
                    let _ = self.complete.send(call);
                }
            }
            _ => {}
        }
    }
}

/// The call, if its parameters are complete, which a JSON object shows.
fn complete(tool: &str, arguments: &str) -> Option<ToolCall> {
    if arguments.len() > MAX_ARGUMENTS {
        return None;
    }
    let params: Value = serde_json::from_str(arguments).ok().filter(Value::is_object)?;
    ToolCall::new(tool, params).ok()
}

/// Starts calls of an answer.
pub(super) struct Starter<'a> {
    shared: &'a Shared,
    cx: CallContext,
    complete: mpsc::UnboundedReceiver<ToolCall>,
    running: FuturesUnordered<BoxFuture<'static, ()>>,
    /// Runs of the first calls of the answer, in order.
    runs: Vec<EarlyRun>,
}

/// Both ends for one answer, whose calls are made in `cx`.
pub(super) fn early_calls<'a>(shared: &'a Shared, cx: &CallContext) -> (Drafts, Starter<'a>) {
    let (sender, mut complete) = mpsc::unbounded_channel();
    if !shared.settings.start_early {
        // Then the drafts store and parse nothing.
        complete.close();
    }
    let drafts = Drafts { written: Mutex::default(), complete: sender };
    let (cx, running) = (cx.clone(), FuturesUnordered::new());
    (drafts, Starter { shared, cx, complete, running, runs: vec![] })
}

impl Starter<'_> {
    /// Starts calls and drives them while it is polled.
    pub(super) async fn work(&mut self) -> Infallible {
        loop {
            tokio::select! {
                biased;
                Some(call) = self.complete.recv(), if self.running.len() < AT_ONCE => {
                    match self.shared.host.start_early(call, &self.cx).await {
                        Some(run) => {
                            self.runs.push(run.clone());
                            self.running.push(async move { run.finished().await }.boxed());
                        }
                        // Calls after it wait as well: it may change what they read.
                        None => self.close(),
                    }
                }
                Some(()) = self.running.next(), if !self.running.is_empty() => {}
                else => std::future::pending().await,
            }
        }
    }

    /// Starts no more calls.
    fn close(&mut self) {
        self.complete.close();
        while self.complete.try_recv().is_ok() {}
    }

    /// The started runs, of the first calls of the answer.
    pub(super) fn into_runs(self) -> Vec<EarlyRun> {
        self.runs
    }
}

/// The runs that match the first calls of an answer, up to the first difference: a different call
/// may change what later ones read.
pub(super) fn belonging<'a>(runs: &[EarlyRun], calls: impl Iterator<Item = Option<&'a ToolCall>>) -> usize {
    let is_its = |(run, call): &(&EarlyRun, Option<&ToolCall>)| {
        call.is_some_and(|call| call.tool == run.call().tool && call.params == run.call().params)
    };
    runs.iter().zip(calls).take_while(is_its).count()
}

/// Records the calls that were started although the final answer did not request them.
pub(super) async fn discard(shared: &Arc<Shared>, cx: &CallContext, turn: u64, runs: Vec<EarlyRun>) {
    for run in runs.into_iter().filter(|run| !run.is_taken()) {
        let origin = shared.origin(turn, InvokedAs::Native, false).speculated(SpeculationOutcome::Discarded);
        let error = called_off(run.call().tool.as_str());
        shared.host.refuse(run.call().clone(), &cx.clone().from_origin(origin), error).await;
    }
}
