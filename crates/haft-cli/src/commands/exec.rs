//! `haft exec -- CMD`: runs a command as a `bash` call, streams its output and keeps its exit code.
//! To a pipe or file every byte passes unchanged; on a terminal, or on request, the output is
//! filtered.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use haft::CallReport;
use haft::config::{HaftConfig, places};
use haft::core::{EventSink, SystemClock, ToolCall};
use haft::filter::Exit as CommandEnd;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::args::{CommonArgs, Exec, Network};
use crate::commands::call::{Consent, interruptible, notes};
use crate::commands::open::{built, folder, load_with, workdir};
use crate::commands::streams::{OutputForwarder, Raw};
use crate::exit::Exit;
use crate::output;

/// Default timeout in seconds. Builds take longer than a model's typical tool call.
const DEFAULT_TIMEOUT_SECS: u64 = 3600;
/// Exit code that a shell reports for a command whose reader is gone: 128 plus `SIGPIPE`.
const READER_GONE: u8 = 141;

impl From<Network> for haft::NetworkMode {
    fn from(network: Network) -> Self {
        match network {
            Network::Off => Self::Off,
            Network::Gate => Self::Gate,
            Network::Open => Self::Open,
        }
    }
}

/// Runs the command.
pub(crate) async fn run(common: &CommonArgs, verb: &Exec) -> Result<Exit, String> {
    let within = verb.within.as_deref().map(|root| above(common, root)).transpose()?;
    let loaded = load_with(common, |config| {
        config.tools.shell.timeout = verb.timeout.unwrap_or(DEFAULT_TIMEOUT_SECS);
        if let Some(network) = verb.network {
            config.tools.shell.network = network.into();
        }
    })?;
    let suited = |mut config: HaftConfig| {
        if verb.on_record && !can_record(&config) {
            config.tools.audit.enabled = false;
            config.tools.checkpoints.enabled = false;
            config.tools.overflow.enabled = false;
        }
        match &within {
            Some(root) => config.kept_in(root),
            None => config,
        }
    };
    let toolbox = built(common, loaded, suited, |builder| builder)?;
    let line = shell_line(&verb.command);
    let call = ToolCall::new("bash", json!({"command": line})).map_err(|error| error.to_string())?;
    let mut cx = toolbox.context().requested_by_user();
    let gone = CancellationToken::new();
    // A program that reads the output gets it unchanged, unless filtering was requested.
    let is_raw = !common.json && !verb.filter && !io::stdout().is_terminal();
    let passing = Arc::new(if is_raw {
        OutputForwarder::plain(gone.clone())
    } else {
        OutputForwarder::new(&toolbox.parts().filters.pipeline.load(), &line, gone.clone())
    });
    if !common.json {
        let events = EventSink::with_clock(passing.clone(), Arc::new(SystemClock));
        cx = cx.with_events(events).with_cancel(gone.clone());
    }
    if is_raw {
        let raw = Raw::new(gone.clone()).map_err(|error| format!("standard output cannot be used: {error}"))?;
        cx = cx.tapped(Arc::new(raw));
    }
    let consent = if verb.yes { Consent::Given } else { Consent::Asked };
    let ended_by = Cell::new(None);
    let mut report = interruptible(&toolbox, call, &cx, consent, &ended_by).await;
    if common.json {
        output::json(&report);
        return Ok(ended_by.get().map_or_else(|| exit(&report), Exit::interrupted));
    }
    report.filter = passing.end(ended(&report));
    if gone.is_cancelled() {
        return Ok(Exit::Command(READER_GONE));
    }
    // The output passed unchanged, and a stream read by a program gets nothing else. The record has
    // the warnings.
    if is_raw && report.ended.is_some() && !io::stderr().is_terminal() {
        return Ok(ended_by.get().map_or_else(|| exit(&report), Exit::interrupted));
    }
    notes(common, &report);
    // Unchanged output has nothing left out.
    if let Some(reference) = report.overflow.as_ref().filter(|_| !common.quiet && !is_raw) {
        output::note(&format!("[all of it: haft overflow show {reference}]"));
    }
    if let Some(error) = &report.error {
        output::note(&format!("haft: {}", error.message));
    }
    Ok(ended_by.get().map_or_else(|| exit(&report), Exit::interrupted))
}

/// Whether this process can write the record. The hook that wrote it runs outside of its host's
/// sandbox, the command inside.
fn can_record(config: &HaftConfig) -> bool {
    let file = places::state_dir().join(&config.tools.audit.path);
    match File::options().append(true).open(file) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Folder above the working directory that the command may write to.
fn above(common: &CommonArgs, root: &Path) -> Result<PathBuf, String> {
    let (root, workdir) = (folder("`--within`", root)?, workdir(common)?);
    if workdir.starts_with(&root) {
        return Ok(root);
    }
    Err(format!("`--within {}` does not contain the working directory `{}`", root.display(), workdir.display()))
}

/// Joins the typed words to one shell line. A single word is a line already (`haft exec -- 'a |
/// b'`).
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

/// Exit code of the command if it ran, else the code for what prevented it.
fn exit(report: &CallReport) -> Exit {
    let code = report.ended.as_ref().and_then(|ended| ended.exit);
    match code.and_then(|code| u8::try_from(code).ok()) {
        Some(code) => Exit::Command(code),
        None => Exit::of(report),
    }
}

fn ended(report: &CallReport) -> CommandEnd {
    report.ended.as_ref().and_then(|ended| ended.exit).map_or(CommandEnd::Unknown, CommandEnd::Code)
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
