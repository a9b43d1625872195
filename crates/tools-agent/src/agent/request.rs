//! One request to the model, repeated if that can help.

use std::{sync::Arc, time::Duration};

use tools_core::{CallContext, EarlyRun};
use tools_providers::{Delta, ProviderError, ProviderFault, Reply, Request};

use super::early::{discard, early_calls};
use super::shared::Shared;
use crate::{AgentEvent, Stop};

/// Maximum pause before a repetition, whatever the server asks for.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// First pause if the server asks for none; doubled each time.
const FIRST: Duration = Duration::from_millis(500);

/// Sends the request, at most as often as the settings allow.
///
/// # Errors
/// [`Stop::Cancelled`], or [`Stop::Provider`] if there is no answer.
pub(super) async fn ask(
    shared: &Arc<Shared>,
    request: &Request<'_>,
    turn: u64,
    cx: &CallContext,
) -> Result<(Reply, Vec<EarlyRun>), Stop> {
    let (events, cancel) = (&shared.events, cx.cancel());
    let mut attempt = 1;
    loop {
        let (drafts, mut starter) = early_calls(shared, cx);
        let sink = |delta: Delta<'_>| {
            drafts.take(&delta);
            events.delta(delta);
        };
        let answered = tokio::select! {
            biased;
            () = cancel.cancelled() => Err(None),
            answered = shared.provider.complete(request, &sink) => answered.map_err(Some),
            never = starter.work() => match never {},
        };
        let runs = starter.into_runs();
        let error = match answered {
            Ok(reply) => return Ok((reply, runs)),
            Err(error) => error,
        };
        discard(shared, cx, turn, runs).await;
        let Some(error) = error else { return Err(Stop::Cancelled) };
        if attempt >= shared.settings.provider_attempts || !error.is_retryable() {
            return Err(Stop::Provider { fault: error.fault, message: error.message });
        }
        let pause = pause(&error, attempt);
        events.send(AgentEvent::Retrying { problem: error.to_string() }).await;
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Stop::Cancelled),
            () = tokio::time::sleep(pause) => {}
        }
        attempt += 1;
    }
}

fn pause(error: &ProviderError, attempt: u32) -> Duration {
    match error.retry_after {
        Some(asked) => asked.min(MAX_PAUSE),
        // A broken connection does not mean that the server is busy.
        None if error.fault == ProviderFault::Truncated => Duration::ZERO,
        None => (FIRST * 2_u32.saturating_pow(attempt - 1)).min(MAX_PAUSE),
    }
}
