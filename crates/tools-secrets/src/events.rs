//! Redacts the output of a running call. A line is held until it is complete, so that no credential
//! is split over two events.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tools_core::{EventConsumer, EventKind, OutputStream, Redactor as _, ToolEvent};

use crate::{Piece, SecretRedactor, SecretStream};

/// Wraps the consumer of a call's events.
pub(crate) struct RedactingConsumer {
    consumer: Arc<dyn EventConsumer>,
    redactor: SecretRedactor,
    streams: Mutex<[StreamTail; 2]>,
}

/// The held part of a stream.
struct StreamTail {
    stream: SecretStream,
    /// The stream's last event; the held rest is emitted with its time.
    last: Option<ToolEvent>,
}

impl RedactingConsumer {
    pub(crate) fn new(consumer: Arc<dyn EventConsumer>, redactor: SecretRedactor) -> Self {
        let held = || StreamTail { stream: SecretStream::live(redactor.clone()), last: None };
        Self { consumer, streams: Mutex::new([held(), held()]), redactor }
    }

    /// Emits the held text when the call has ended.
    pub(crate) fn flush(&self) {
        let mut streams = self.streams();
        for held in streams.iter_mut() {
            let Some(event) = held.last.take() else { continue };
            let text = collect(&self.redactor, |sink| held.stream.flush(sink));
            if !text.is_empty() {
                self.consumer.offer(with_text(event, text, 0));
            }
        }
    }

    fn streams(&self) -> MutexGuard<'_, [StreamTail; 2]> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The event with placeholders; `None` when all of it is held.
    fn redacted(&self, event: ToolEvent) -> Option<ToolEvent> {
        match &event.kind {
            EventKind::Output { stream, text, dropped_before } => {
                let (index, dropped) = (usize::from(*stream == OutputStream::Stderr), *dropped_before);
                let mut streams = self.streams();
                let held = &mut streams[index];
                let text = collect(&self.redactor, |sink| held.stream.push(text.as_bytes(), sink));
                held.last = Some(with_text(event.clone(), String::new(), 0));
                drop(streams);
                (!text.is_empty() || dropped > 0).then(|| with_text(event, text, dropped))
            }
            EventKind::Progress { done, total, message } => {
                let message = self.redactor.redact(message).into_owned();
                let kind = EventKind::Progress { done: *done, total: *total, message };
                Some(ToolEvent { kind, ..event })
            }
            _ => Some(event),
        }
    }
}

fn collect(redactor: &SecretRedactor, run: impl FnOnce(&mut dyn FnMut(Piece<'_>))) -> String {
    let mut text = String::new();
    run(&mut |piece| match piece {
        Piece::Clean(bytes) => text.push_str(&String::from_utf8_lossy(bytes)),
        Piece::Secret(finding, bytes) => {
            text.push_str(&redactor.replaced(&String::from_utf8_lossy(bytes), finding.kind));
        }
    });
    text
}

fn with_text(event: ToolEvent, text: String, dropped: u64) -> ToolEvent {
    let kind = match event.kind {
        EventKind::Output { stream, .. } => EventKind::Output { stream, text, dropped_before: dropped },
        other => other,
    };
    ToolEvent { kind, ..event }
}

#[async_trait]
impl EventConsumer for RedactingConsumer {
    fn offer(&self, event: ToolEvent) -> bool {
        self.redacted(event).is_none_or(|event| self.consumer.offer(event))
    }

    async fn deliver(&self, event: ToolEvent) {
        if let Some(event) = self.redacted(event) {
            self.consumer.deliver(event).await;
        }
    }
}
