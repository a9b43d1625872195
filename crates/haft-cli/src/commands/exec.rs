//! `haft exec -- CMD`: a command as a `bash` call, its output as it comes and its exit code kept. Behind a pipe or into a file
//! every byte passes unchanged; on a terminal, or where it is asked for, the output is filtered.

use std::{
    cell::Cell,
    fs::File,
    io::{self, IsTerminal, Write},
    os::fd::{AsFd, BorrowedFd},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use haft::{
    CallReport,
    config::{HaftConfig, places},
    core::{ByteTap, EventConsumer, EventKind, EventSink, FilterStats, OutputStream, SystemClock, ToolCall, ToolEvent},
    filter::{Exit as Ended, FilterEvent, FilterPipeline, FilterReport, FilterStream},
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::{
    args::{Common, Network},
    commands::{
        call::{Consent, interruptible, notes},
        open::{open_with, workdir},
    },
    exit::Exit,
    output::{self, printable},
};

/// Seconds that a command may take when nobody says otherwise: a build is no tool call of a model.
const LONGEST: u64 = 3600;
/// What a shell reports of a command whose reader is gone: 128 and the number of `SIGPIPE`.
const READER_GONE: u8 = 141;

/// What was asked for beside the command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// Whether the output is filtered wherever it goes.
    pub(crate) filter: bool,
    /// Seconds that the command may take.
    pub(crate) timeout: Option<u64>,
    /// The network of the command; that of the configuration when unset.
    pub(crate) network: Option<Network>,
    /// Whether it was agreed to beforehand.
    pub(crate) yes: bool,
    /// Whether a hook has put it on record.
    pub(crate) on_record: bool,
    /// The folder that it may write; the working directory when unset.
    pub(crate) within: Option<&'a Path>,
}

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
pub(crate) async fn run(common: &Common, ask: Ask<'_>, command: &[String]) -> Result<Exit, String> {
    let within = ask.within.map(|root| above(common, root)).transpose()?;
    let toolbox = open_with(common, |mut config| {
        config.tools.shell.timeout = ask.timeout.unwrap_or(LONGEST);
        if let Some(network) = ask.network {
            config.tools.shell.network = network.into();
        }
        if ask.on_record && !can_record(&config) {
            config.tools.audit.enabled = false;
            config.tools.checkpoints.enabled = false;
            config.tools.overflow.enabled = false;
        }
        match &within {
            Some(root) => config.kept_in(root),
            None => config,
        }
    })?;
    let line = shell_line(command);
    let call = ToolCall::new("bash", json!({"command": line})).map_err(|error| error.to_string())?;
    let mut cx = toolbox.context().requested_by_user();
    let gone = CancellationToken::new();
    // A program that reads the output gets what the command wrote, unless somebody asked for less.
    let is_raw = !common.json && !ask.filter && !io::stdout().is_terminal();
    let passing = Arc::new(if is_raw {
        Passing::plain(gone.clone())
    } else {
        Passing::new(&toolbox.filters().load(), &line, gone.clone())
    });
    if !common.json {
        let events = EventSink::with_clock(passing.clone(), Arc::new(SystemClock));
        cx = cx.with_events(events).with_cancel(gone.clone());
    }
    if is_raw {
        let raw = Raw::new(gone.clone()).map_err(|error| format!("standard output cannot be used: {error}"))?;
        cx = cx.tapped(Arc::new(raw));
    }
    let consent = if ask.yes { Consent::Given } else { Consent::Asked };
    let ended_by = Cell::new(None);
    let mut report = interruptible(&toolbox, call, &cx, consent, &ended_by).await;
    if common.json {
        output::json(&report);
        return Ok(Exit::interrupted(ended_by.get()).unwrap_or_else(|| exit(&report)));
    }
    report.filter = passing.end(ended(&report));
    if gone.is_cancelled() {
        return Ok(Exit::Command(READER_GONE));
    }
    // What it wrote passed unchanged: a stream that a program reads gets nothing else. The record has the warnings.
    if is_raw && report.ended.is_some() && !io::stderr().is_terminal() {
        return Ok(Exit::interrupted(ended_by.get()).unwrap_or_else(|| exit(&report)));
    }
    notes(common, &report);
    // Of what passed unchanged nothing was left out.
    if let Some(reference) = report.overflow.as_ref().filter(|_| !common.quiet && !is_raw) {
        output::note(&format!("[all of it: haft overflow show {reference}]"));
    }
    if let Some(error) = &report.error {
        output::note(&format!("haft: {}", error.message));
    }
    Ok(Exit::interrupted(ended_by.get()).unwrap_or_else(|| exit(&report)))
}

/// Whether the record can be written from here. A hook that wrote to it runs outside of its host's sandbox, and the
/// command inside.
fn can_record(config: &HaftConfig) -> bool {
    let file = places::state_dir().join(&config.tools.audit.path);
    match File::options().append(true).open(file) {
        Ok(_) => true,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// The folder above the working directory that a command may write.
fn above(common: &Common, root: &Path) -> Result<PathBuf, String> {
    let root = root.canonicalize().map_err(|error| format!("`{}`: {error}", root.display()))?;
    let workdir = workdir(common)?;
    if workdir.starts_with(&root) {
        return Ok(root);
    }
    Err(format!("`--within {}` does not hold the working directory `{}`", root.display(), workdir.display()))
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
    let code = report.ended.as_ref().and_then(|ended| ended.exit);
    match code.and_then(|code| u8::try_from(code).ok()) {
        Some(code) => Exit::Command(code),
        None => Exit::of(report),
    }
}

fn ended(report: &CallReport) -> Ended {
    report.ended.as_ref().and_then(|ended| ended.exit).map_or(Ended::Unknown, Ended::Code)
}

/// Writes the streams of the command to ours, byte for byte. A stream of ours that is a terminal is left to the events.
struct Raw {
    stdout: Option<File>,
    stderr: Option<File>,
    /// Cancelled when nobody reads any more.
    gone: CancellationToken,
}

impl Raw {
    fn new(gone: CancellationToken) -> io::Result<Self> {
        // Files of our own: the library's handles hold back what comes after a line end.
        let file = |stream: BorrowedFd<'_>| stream.try_clone_to_owned().map(File::from);
        let stderr = io::stderr();
        let stderr = if stderr.is_terminal() { None } else { Some(file(stderr.as_fd())?) };
        Ok(Self { stdout: Some(file(io::stdout().as_fd())?), stderr, gone })
    }

    fn file(&self, stream: OutputStream) -> Option<&File> {
        match stream {
            OutputStream::Stdout => self.stdout.as_ref(),
            OutputStream::Stderr => self.stderr.as_ref(),
        }
    }
}

impl ByteTap for Raw {
    fn takes(&self, stream: OutputStream) -> bool {
        self.file(stream).is_some()
    }

    fn take(&self, stream: OutputStream, bytes: &[u8]) {
        if let Some(mut file) = self.file(stream)
            && file.write_all(bytes).is_err()
        {
            self.gone.cancel();
        }
    }
}

/// Passes output on, each stream through a filter of its own when a rule is about the command, else as it comes. Blocks
/// rather than drops: a prefix must not lose a line.
struct Passing {
    filters: Mutex<Option<[Side; 2]>>,
    /// Cancelled when nobody reads any more: then the command ends, as it would behind a pipe.
    gone: CancellationToken,
}

/// One stream on its way through a filter.
struct Side {
    filter: FilterStream,
    begun: bool,
}

impl Side {
    /// The text of lines as they come out; the last is ended when the next comes.
    fn take(begun: &mut bool, text: &mut String, event: FilterEvent<'_>) {
        if let FilterEvent::Kept(line) | FilterEvent::Written(line) = event {
            if std::mem::replace(begun, true) {
                text.push('\n');
            }
            text.push_str(line);
        }
    }

    fn push(&mut self, piece: &str) -> String {
        let mut text = String::new();
        let Self { filter, begun } = self;
        filter.push(piece.as_bytes(), &mut |event| Self::take(begun, &mut text, event));
        text
    }

    fn finish(self, exit: Ended) -> (String, FilterReport) {
        let mut text = String::new();
        let Self { filter, mut begun } = self;
        let report = filter.finish_with(exit, &mut |event| Self::take(&mut begun, &mut text, event));
        if begun && report.ends_with_line_feed {
            text.push('\n');
        }
        (text, report)
    }
}

impl Passing {
    fn new(rules: &FilterPipeline, line: &str, gone: CancellationToken) -> Self {
        let side = || Side { filter: rules.start(line, Ended::Unknown), begun: false };
        let sides = [side(), side()];
        let has_rule = sides.iter().all(|side| side.filter.has_rule());
        Self { filters: Mutex::new(has_rule.then_some(sides)), gone }
    }

    /// Without filters.
    fn plain(gone: CancellationToken) -> Self {
        Self { filters: Mutex::new(None), gone }
    }

    fn write(&self, stream: OutputStream, text: &str) {
        let written = match stream {
            OutputStream::Stdout => write(&mut io::stdout().lock(), text),
            OutputStream::Stderr => write(&mut io::stderr().lock(), text),
        };
        if written.is_err() {
            self.gone.cancel();
        }
    }

    /// Ends the filters; tells what both together did.
    fn end(&self, exit: Ended) -> Option<FilterStats> {
        let [stdout, stderr] = self.filters.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let mut stats: Option<FilterStats> = None;
        for (stream, side) in [(OutputStream::Stdout, stdout), (OutputStream::Stderr, stderr)] {
            let (text, report) = side.finish(exit);
            self.write(stream, &text);
            let Some(more) = report.stats else { continue };
            stats = Some(match stats {
                None => more,
                Some(so_far) => FilterStats {
                    confidence: so_far.confidence.min(more.confidence),
                    lines_in: so_far.lines_in + more.lines_in,
                    lines_out: so_far.lines_out + more.lines_out,
                    ..so_far
                },
            });
        }
        stats
    }
}

/// On a terminal, what could steer it or hide is shown instead of sent; a program behind a pipe gets the text as it is.
fn write(out: &mut (impl Write + IsTerminal), text: &str) -> io::Result<()> {
    if out.is_terminal() { out.write_all(printable(text).as_bytes()) } else { out.write_all(text.as_bytes()) }
}

#[async_trait]
impl EventConsumer for Passing {
    fn offer(&self, event: ToolEvent) -> bool {
        let EventKind::Output { stream, text, .. } = event.kind else { return true };
        let filtered = {
            let mut filters = self.filters.lock().unwrap_or_else(PoisonError::into_inner);
            filters.as_mut().map(|[stdout, stderr]| match stream {
                OutputStream::Stdout => stdout.push(&text),
                OutputStream::Stderr => stderr.push(&text),
            })
        };
        self.write(stream, &filtered.unwrap_or(text));
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
