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

use crate::{
    args::Common,
    commands::{
        call::{Consent, make},
        open::open_with,
    },
    exit::Exit,
    output,
};

/// Runs the command.
pub(crate) async fn run(common: &Common, timeout: Option<u64>, yes: bool, command: &[String]) -> Result<Exit, String> {
    let toolbox = open_with(common, |mut config| {
        if let Some(seconds) = timeout {
            config.tools.shell.timeout = seconds;
        }
        config
    })?;
    let call = ToolCall::new("bash", json!({"command": shell_line(command)})).map_err(|error| error.to_string())?;
    let mut cx = toolbox.context().requested_by_user();
    if !common.json {
        cx = cx.with_events(EventSink::with_clock(Arc::new(Passing), Arc::new(SystemClock)));
    }
    let consent = if yes { Consent::Given } else { Consent::Asked };
    let report = make(&toolbox, call, &cx, consent).await;
    if common.json {
        output::json(&report);
    } else if let Some(error) = &report.error {
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
struct Passing;

#[async_trait]
impl EventConsumer for Passing {
    fn offer(&self, event: ToolEvent) -> bool {
        let EventKind::Output { stream, text, .. } = event.kind else { return true };
        // A reader that is gone is the command's business: it learns of it when the call ends.
        let _ = match stream {
            OutputStream::Stdout => io::stdout().lock().write_all(text.as_bytes()),
            OutputStream::Stderr => io::stderr().lock().write_all(text.as_bytes()),
        };
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
