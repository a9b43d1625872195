//! Forwards the output of a running command to our own streams: byte for byte, or as text through
//! filters.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Mutex;

use async_trait::async_trait;
use haft::core::{ByteTap, EventConsumer, EventKind, FilterStats, Locked as _, OutputStream, ToolEvent};
use haft::filter::{Exit as CommandEnd, FilterEvent, FilterPipeline, FilterReport, FilterStream};
use tokio_util::sync::CancellationToken;

use crate::output::{self, printable};

/// Writes the command's streams to ours, byte for byte. If our stream is a terminal, output events
/// write to it instead.
pub(crate) struct Raw {
    stdout: Option<File>,
    stderr: Option<File>,
    /// Cancelled when the reader closes the stream.
    gone: CancellationToken,
}

impl Raw {
    pub(crate) fn new(gone: CancellationToken) -> io::Result<Self> {
        // Own file handles: those of the standard library buffer output until a line end.
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

/// Ends the command, whose output can no longer be written. Reports the error unless the reader
/// closed the stream.
fn lost(error: &io::Error, gone: &CancellationToken) {
    if error.kind() != io::ErrorKind::BrokenPipe && !gone.is_cancelled() {
        output::note(&format!("haft: the output cannot be written: {error}"));
    }
    gone.cancel();
}

impl ByteTap for Raw {
    fn takes(&self, stream: OutputStream) -> bool {
        self.file(stream).is_some()
    }

    fn take(&self, stream: OutputStream, bytes: &[u8]) {
        if let Some(mut file) = self.file(stream)
            && let Err(error) = file.write_all(bytes)
        {
            lost(&error, &self.gone);
        }
    }
}

/// Forwards output, each stream through its own filter if a rule applies to the command, else
/// unchanged. Blocks rather than drops, so that no line is lost.
pub(crate) struct OutputForwarder {
    filters: Mutex<Option<[Side; 2]>>,
    /// Cancelled when the reader closes the stream: the command then ends, as it would in a pipe.
    gone: CancellationToken,
}

/// One stream and its filter.
struct Side {
    filter: FilterStream,
    begun: bool,
}

impl Side {
    /// Collects the text of filtered lines. A line end is added when the next line comes.
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

    fn finish(self, exit: CommandEnd) -> (String, FilterReport) {
        let mut text = String::new();
        let Self { filter, mut begun } = self;
        let report = filter.finish_with(exit, &mut |event| Self::take(&mut begun, &mut text, event));
        if begun && report.ends_with_line_feed {
            text.push('\n');
        }
        (text, report)
    }
}

impl OutputForwarder {
    pub(crate) fn new(rules: &FilterPipeline, line: &str, gone: CancellationToken) -> Self {
        let side = || Side { filter: rules.start(line, CommandEnd::Unknown), begun: false };
        let sides = [side(), side()];
        let has_rule = sides.iter().all(|side| side.filter.has_rule());
        Self { filters: Mutex::new(has_rule.then_some(sides)), gone }
    }

    /// Forwards without filters.
    pub(crate) fn plain(gone: CancellationToken) -> Self {
        Self { filters: Mutex::new(None), gone }
    }

    fn write(&self, stream: OutputStream, text: &str) {
        if let Err(error) = write(stream, text) {
            lost(&error, &self.gone);
        }
    }

    /// Ends the filters; returns the statistics of both.
    pub(crate) fn end(&self, exit: CommandEnd) -> Option<FilterStats> {
        let [stdout, stderr] = self.filters.locked().take()?;
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

/// Writes text. On a terminal, control and invisible characters are shown instead of sent; a pipe
/// receives the text unchanged.
pub(crate) fn write(stream: OutputStream, text: &str) -> io::Result<()> {
    fn to(mut out: impl Write + IsTerminal, text: &str) -> io::Result<()> {
        if out.is_terminal() {
            out.write_all(printable(text).as_bytes())?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        out.flush()
    }
    match stream {
        OutputStream::Stdout => to(io::stdout().lock(), text),
        OutputStream::Stderr => to(io::stderr().lock(), text),
    }
}

#[async_trait]
impl EventConsumer for OutputForwarder {
    fn offer(&self, event: ToolEvent) -> bool {
        let EventKind::Output { stream, text, .. } = event.kind else { return true };
        let filtered = {
            let mut filters = self.filters.locked();
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
