//! `haft exec -- CMD`: a command as a `bash` call, its output as it comes and its exit code kept.

use std::{
    io::{self, Write},
    sync::Arc,
};

use async_trait::async_trait;
use haft::{
    CallReport,
    core::{EventConsumer, EventKind, EventSink, OutputStream, SystemClock, ToolCall, ToolEvent},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    args::Common,
    commands::{
        call::{Consent, make, notes},
        open::open_with,
    },
    exit::Exit,
    output,
};

/// Seconds that a command may take when nobody says otherwise: a build is no tool call of a model.
const LONGEST: u64 = 3600;
/// What a shell reports of a command whose reader is gone: 128 and the number of `SIGPIPE`.
const READER_GONE: u8 = 141;

/// Runs the command.
pub(crate) async fn run(common: &Common, timeout: Option<u64>, yes: bool, command: &[String]) -> Result<Exit, String> {
    let toolbox = open_with(common, |mut config| {
        config.tools.shell.timeout = timeout.unwrap_or(LONGEST);
        config
    })?;
    let call = ToolCall::new("bash", json!({"command": shell_line(command)})).map_err(|error| error.to_string())?;
    let mut cx = toolbox.context().requested_by_user();
    let passing = Arc::new(Passing { gone: CancellationToken::new() });
    let gone = passing.gone.clone();
    if !common.json {
        let events = EventSink::with_clock(passing, Arc::new(SystemClock));
        cx = cx.with_events(events).with_cancel(gone.clone());
    }
    let consent = if yes { Consent::Given } else { Consent::Asked };
    let report = make(&toolbox, call, &cx, consent).await;
    if common.json {
        output::json(&report);
        return Ok(exit(&report));
    }
    if gone.is_cancelled() {
        return Ok(Exit::Command(READER_GONE));
    }
    notes(common, &report);
    if let Some(error) = &report.error {
        output::note(&format!("haft: {}", error.message));
    }
    Ok(exit(&report))
}

/// One line for the shell out of the words that were typed. A single word is a line already (`haft exec -- 'a | b'`).
fn shell_line(command: &[String]) -> String {
    match command {
        [line] => line.clone(),
        words => words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" "),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The command's own exit code where it ran, else what kept it from running.
fn exit(report: &CallReport) -> Exit {
    let ran = report.raw_response.as_ref().and_then(|envelope| envelope["exit_code"].as_u64());
    match ran.and_then(|code| u8::try_from(code).ok()) {
        Some(code) => Exit::Command(code),
        None => Exit::of(report),
    }
}

/// Passes output on as it comes. Blocks rather than drops: a prefix must not lose a line.
struct Passing {
    /// Cancelled when nobody reads any more: then the command ends, as it would behind a pipe.
    gone: CancellationToken,
}

#[async_trait]
impl EventConsumer for Passing {
    fn offer(&self, event: ToolEvent) -> bool {
        let EventKind::Output { stream, text, .. } = event.kind else { return true };
        let written = match stream {
            OutputStream::Stdout => io::stdout().lock().write_all(text.as_bytes()),
            OutputStream::Stderr => io::stderr().lock().write_all(text.as_bytes()),
        };
        if written.is_err() {
            self.gone.cancel();
        }
        true
    }

    async fn deliver(&self, event: ToolEvent) {
        self.offer(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_reach_the_shell_as_they_were_typed() {
        let check = |words: &[&str], line: &str| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            assert_eq!(shell_line(&words), line);
        };
        check(&["cargo", "test", "--", "-q"], "cargo test -- -q");
        check(&["echo", "a b", "it's", "$HOME", ""], r"echo 'a b' 'it'\''s' '$HOME' ''");
        check(&["echo $HOME | wc -c"], "echo $HOME | wc -c");
    }
}
