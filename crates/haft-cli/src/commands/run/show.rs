//! Shows the events of a turn to a person or a program.

use std::io::{self, IsTerminal as _, Write as _};

use haft::Toolbox;
use haft::agents::AgentEvent;
use haft::core::{CallStatus, EventKind, Redactor as _};
use haft::secrets::SecretRedactor;

use crate::args::CommonArgs;
use crate::output::{self, one_line, printable};

/// Maximum number of lines of a result shown to a person.
const LINES: usize = 6;
/// Maximum number of characters per line of a result.
const WIDTH: usize = 160;

/// Shows events: as JSON lines, or to a person.
pub(super) struct EventView {
    json: bool,
    quiet: bool,
    /// Whether text of the model is shown as it arrives.
    streams: bool,
    /// Whether the current output line has no end yet.
    is_open: bool,
    redactor: SecretRedactor,
}

impl EventView {
    pub(super) fn new(common: &CommonArgs, toolbox: &Toolbox) -> Result<Self, String> {
        let redactor = toolbox.config().tools.filters.security.redactor().map_err(|error| error.to_string())?;
        let streams = !common.json && !common.quiet && io::stdout().is_terminal();
        Ok(Self { json: common.json, quiet: common.quiet, streams, is_open: false, redactor })
    }

    /// Shows an event.
    pub(super) fn event(&mut self, event: &AgentEvent) {
        if self.json {
            return output::json(&self.redactor.redact_json(&event.to_json()));
        }
        if self.quiet {
            return;
        }
        match event {
            AgentEvent::Text { text } if self.streams => self.stream(text),
            AgentEvent::Tool(event) => self.tool(&event.kind),
            AgentEvent::Answered { is_error, code, text, .. } => self.result(*is_error, *code, text),
            AgentEvent::Retrying { problem } => self.note(&format!("  {problem}; trying again")),
            AgentEvent::Cleared { results, bytes } => {
                self.note(&format!("  {results} old results removed from the conversation ({bytes} bytes)"));
            }
            AgentEvent::Compacted { strategy, messages, before, after } => {
                let by = format!("{strategy:?}").to_lowercase();
                self.note(&format!("  {messages} messages became a summary ({by}): {before} → {after} tokens"));
            }
            AgentEvent::Warned { text } => self.note(&format!("  warning: {text}")),
            _ => {}
        }
    }

    /// Prints the answer of a turn, unless it was already shown, and why the turn ended.
    pub(super) fn ended(&mut self, text: &str, notice: &str) {
        if self.json {
            return;
        }
        self.close();
        if !self.streams && !text.is_empty() {
            output::text(&self.redactor.redact(text));
        }
        if !notice.is_empty() {
            output::note(notice);
        }
    }

    fn tool(&mut self, kind: &EventKind) {
        match kind {
            EventKind::Started { title, .. } => self.note(&format!("● {}", one_line(title))),
            EventKind::Rollback { restored, deleted } => {
                self.note(&format!("  put back: {restored} files, {deleted} new ones removed"));
            }
            EventKind::Warned { text } => self.note(&format!("  warning: {}", one_line(text))),
            EventKind::Finished { status: CallStatus::Cancelled, .. } => self.note("  called off"),
            _ => {}
        }
    }

    fn result(&mut self, is_error: bool, code: Option<&str>, text: &str) {
        let sign = if is_error { "✗" } else { "✓" };
        let code = code.map(|code| format!(" {code}")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let mut rows = vec![format!("  {sign}{code}")];
        rows.extend(lines.iter().take(LINES).map(|line| format!("    {}", shortened(line))));
        if lines.len() > LINES {
            rows.push(format!("    … {} more lines", lines.len() - LINES));
        }
        self.note(&rows.join("\n"));
    }

    fn stream(&mut self, text: &str) {
        let mut out = io::stdout().lock();
        let _ = out.write_all(printable(&self.redactor.redact(text)).as_bytes()).and_then(|()| out.flush());
        self.is_open = !text.ends_with('\n');
    }

    fn note(&mut self, text: &str) {
        self.close();
        output::note(text);
    }

    /// Ends an open line.
    fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            output::line("");
        }
    }
}

fn shortened(line: &str) -> String {
    let shown: String = line.chars().take(WIDTH).collect();
    if shown.len() < line.len() { format!("{shown} …") } else { shown }
}
