//! Progress notifications of one call: at most four a second, always increasing, none after the
//! answer.

use std::fmt::Write as _;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout};
use tools_core::{EventConsumer, EventKind, Locked as _, ToolEvent, is_hidden};

/// Interval between notifications, and time before the first: a faster call needs none.
const PACE: Duration = Duration::from_millis(250);
/// Additional interval for a call without news.
const SILENCE: Duration = Duration::from_millis(700);
/// Maximum number of characters shown of a line of output.
const SHOWN_CHARS: usize = 120;

/// Receives a call's events and prepares the next notification. Never blocks a tool.
#[derive(Default)]
pub(crate) struct Feed {
    seen: Mutex<RunningCall>,
    changed: Notify,
}

/// State of a running call.
#[derive(Debug, Clone, Default, PartialEq)]
struct RunningCall {
    title: String,
    lines: u64,
    last_line: String,
    done: Option<u64>,
    total: Option<u64>,
    message: String,
}

impl RunningCall {
    fn take(&mut self, kind: EventKind) -> bool {
        match kind {
            EventKind::Started { title, .. } => {
                self.title = shortened(&title);
                return false;
            }
            EventKind::Output { text, .. } => {
                self.lines += memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64;
                if let Some(line) = text.lines().rev().find(|line| !line.trim().is_empty()) {
                    self.last_line = shortened(line);
                }
            }
            EventKind::Progress { done, total, message } => {
                self.done = Some(done);
                self.total = total;
                self.message = shortened(&message);
            }
            EventKind::Rollback { restored, deleted } => {
                self.message = format!("rolled back: {restored} restored, {deleted} removed");
            }
            _ => return false,
        }
        true
    }

    fn text(&self, elapsed: Duration) -> String {
        let mut text = format!("{} {} s", self.title, elapsed.as_secs());
        if !self.message.is_empty() {
            text.push_str(", ");
            text.push_str(&self.message);
        }
        if !self.last_line.is_empty() {
            let _ = write!(text, ", {} lines, last: {}", self.lines, self.last_line);
        }
        text
    }
}

/// One line without control or invisible characters.
fn shortened(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().filter(|c| !is_hidden(*c)).take(SHOWN_CHARS).collect()
}

/// Makes the reported progress increase, whatever the tool counts.
#[derive(Debug, Default)]
struct Meter(f64);

impl Meter {
    #[expect(clippy::cast_precision_loss, reason = "a progress bar does not need the last bit")]
    fn next(&mut self, seen: &RunningCall, elapsed: Duration) -> (f64, Option<f64>) {
        let counted = seen.done.map_or(elapsed.as_secs_f64(), |done| done as f64);
        self.0 = if counted > self.0 { counted } else { self.0 + 0.001 };
        let total = seen.total.map(|total| total as f64);
        (self.0, total.filter(|total| *total >= self.0))
    }
}

impl Feed {
    fn seen(&self) -> std::sync::MutexGuard<'_, RunningCall> {
        self.seen.locked()
    }
}

/// Feeds events to the feed.
pub(crate) struct FeedConsumer(pub(crate) Arc<Feed>);

#[async_trait]
impl EventConsumer for FeedConsumer {
    fn offer(&self, event: ToolEvent) -> bool {
        if self.0.seen().take(event.kind) {
            self.0.changed.notify_one();
        }
        true
    }

    async fn deliver(&self, event: ToolEvent) {
        self.offer(event);
    }
}

/// Runs a call and reports its progress until it ends.
pub(crate) async fn reporting<T>(
    running: impl Future<Output = T>,
    feed: &Feed,
    peer: &Peer<RoleServer>,
    token: ProgressToken,
) -> T {
    let mut running = pin!(running);
    let (started, mut meter) = (Instant::now(), Meter::default());
    loop {
        // `sleep` first, so that events in the meantime are combined in one notification.
        let quiet = async {
            sleep(PACE).await;
            let _ = timeout(SILENCE, feed.changed.notified()).await;
        };
        tokio::select! {
            biased;
            result = &mut running => return result,
            () = quiet => {}
        }
        let parameters = {
            let (seen, elapsed) = (feed.seen(), started.elapsed());
            let (progress, total) = meter.next(&seen, elapsed);
            let parameters = ProgressNotificationParam::new(token.clone(), progress).with_message(seen.text(elapsed));
            match total {
                Some(total) => parameters.with_total(total),
                None => parameters,
            }
        };
        let mut sending = pin!(peer.notify_progress(parameters));
        tokio::select! {
            biased;
            result = &mut running => {
                // Wait for a started notification: the answer must not overtake it.
                let _ = sending.await;
                return result;
            }
            _ = &mut sending => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(done: u64, total: Option<u64>) -> EventKind {
        EventKind::Progress { done, total, message: String::new() }
    }

    #[test]
    fn what_is_reported_rises_whatever_the_tool_counts() {
        let (mut seen, mut meter) = (RunningCall::default(), Meter::default());
        let mut reported = vec![meter.next(&seen, Duration::from_millis(250))];
        for (done, total) in [(5, Some(10)), (5, Some(10)), (2, None), (20, Some(10)), (21, Some(40))] {
            assert!(seen.take(progress(done, total)));
            reported.push(meter.next(&seen, Duration::from_secs(1)));
        }
        assert!(reported.windows(2).all(|pair| pair[0].0 < pair[1].0), "{reported:?}");
        let totals: Vec<_> = reported.iter().map(|(_, total)| *total).collect();
        assert_eq!(totals, [None, Some(10.0), Some(10.0), None, None, Some(40.0)]);
    }

    #[test]
    fn the_text_is_one_short_line() {
        let mut seen = RunningCall { title: "bash".to_owned(), ..RunningCall::default() };
        let text = format!("a\n\u{1b}[31m{}\n\n", "b".repeat(500));
        seen.take(EventKind::Output { stream: tools_core::OutputStream::Stdout, text, dropped_before: 0 });
        let expected = format!("bash 12 s, 3 lines, last: [31m{}", "b".repeat(SHOWN_CHARS - 4));
        assert_eq!(seen.text(Duration::from_secs(12)), expected);
    }
}
