//! Messages about calls for a client's log (`notifications/message`), from the level that it set.

#![expect(deprecated, reason = "clients of the handshake versions have a log")]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tools_core::{RecordedResult, ToolErrorCategory, ToolName};

/// Logger name in messages.
const LOGGER: &str = "haft";
/// Level before a client sets one: nothing is sent.
const SILENT: u8 = u8::MAX;

/// Minimum level of messages that a client wants; silent until it sets one.
#[derive(Debug)]
pub(crate) struct Log(AtomicU8);

impl Default for Log {
    fn default() -> Self {
        Self(AtomicU8::new(SILENT))
    }
}

impl Log {
    pub(crate) fn set(&self, level: LoggingLevel) {
        self.0.store(rank(level), Ordering::Release);
    }

    /// Sends messages about a finished call.
    pub(crate) async fn tell(&self, tool: &ToolName, recorded: &RecordedResult, request: &RequestContext<RoleServer>) {
        // Versions without a handshake set the level in each request, for that request only.
        let least = request.meta.log_level().map_or_else(|| self.0.load(Ordering::Acquire), rank);
        if least == SILENT {
            return;
        }
        for (level, data) in messages(tool, recorded) {
            if rank(level) >= least {
                let message = LoggingMessageNotificationParam::new(level, data).with_logger(LOGGER);
                let _ = request.peer.notify_logging_message(message).await;
            }
        }
    }
}

/// Messages about a call: its warnings, then its outcome. They contain neither parameters nor text
/// of the call.
fn messages(tool: &ToolName, recorded: &RecordedResult) -> Vec<(LoggingLevel, Value)> {
    let warning = |text: String| (LoggingLevel::Warning, json!({"tool": tool.as_str(), "warning": text}));
    let mut all: Vec<_> = recorded.journal.warnings().into_iter().map(warning).collect();
    all.push(match &recorded.outcome {
        Ok(_) => (LoggingLevel::Info, json!({"tool": tool.as_str(), "outcome": "ok"})),
        Err(error) => {
            let level = match error.category() {
                ToolErrorCategory::PolicyBlocked | ToolErrorCategory::ConfirmationRequired => LoggingLevel::Notice,
                _ => LoggingLevel::Warning,
            };
            let outcome = json!({"tool": tool.as_str(), "outcome": error.code(), "category": error.category().label()});
            (level, outcome)
        }
    });
    all
}

/// The order of the levels, least urgent first.
fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}
