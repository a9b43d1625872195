//! `haft filter`: filters standard input as the output of a command. Runs nothing and needs no
//! configuration.

use std::ffi::OsString;
use std::io::{self, BufWriter, Read, Write};

use haft::config::places;
use haft::filter::{
    Exit as CommandEnd, FilterConfig, FilterEvent, FilterPipeline, FilterReport, FilterStream, Filters, stats_line,
};
use haft::secrets::SecretsMode;
use serde_json::json;

use crate::args::{CommonArgs, Filter};
use crate::commands::open::load;
use crate::exit::Exit;
use crate::output;
use crate::redacted::Redacted;

/// Number of bytes read at once.
const CHUNK: usize = 64 << 10;

/// Filters standard input to its end.
pub(crate) fn run(common: &CommonArgs, verb: &Filter) -> Result<Exit, String> {
    let (pipeline, config) = rules(common)?;
    let redactor = match config.security.mode() {
        SecretsMode::Redact => Some(config.security.redactor().map_err(|error| error.to_string())?),
        SecretsMode::Warn | SecretsMode::Off => None,
    };
    let mut redacted = Redacted::new(redactor);
    let mut stream = pipeline.start(&verb.command, verb.exit_code.map_or(CommandEnd::Unknown, CommandEnd::Code));
    let mut page = Page::new(common, verb);
    let report = match through(&mut redacted, &mut stream, &mut page) {
        Ok(()) => stream.finish(&mut |event| page.take(event)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Ok),
        Err(error) => return Err(format!("standard input or output: {error}")),
    };
    if common.json {
        output::json(&object(&page, &report, redacted.found()));
        return Ok(Exit::Ok);
    }
    if let Err(error) = page.end(report.ends_with_line_feed)
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        return Err(format!("standard output: {error}"));
    }
    if !common.quiet {
        notes(verb, &report, redacted.found());
    }
    Ok(Exit::Ok)
}

/// Filter rules: the user's if there is a configuration, else the defaults.
fn rules(common: &CommonArgs) -> Result<(FilterPipeline, FilterConfig), String> {
    let is_set = |(name, _): (OsString, OsString)| name.to_string_lossy().starts_with("HAFT_TOOLS_FILTERS_");
    let usual = places::config_file();
    let has_rules = usual.as_ref().and_then(|file| file.parent()).is_some_and(std::path::Path::is_dir);
    if common.config.is_none() && !has_rules && !std::env::vars_os().any(is_set) {
        return Ok((FilterPipeline::builtin(), FilterConfig::default()));
    }
    let loaded = load(common)?;
    let config = loaded.config.tools.filters;
    let filters = Filters::compile(&config, loaded.file.as_deref().or(usual.as_deref()), haft::home().as_deref());
    if !common.quiet {
        filters.warnings.iter().for_each(|warning| output::note(&format!("warning: {warning}")));
    }
    Ok((filters.pipeline, config))
}

/// Reads to the end and passes on after each chunk what is known so far.
fn through(redacted: &mut Redacted, stream: &mut FilterStream, page: &mut Page) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        redacted.push(&chunk[..count], |piece| stream.push(piece, &mut |event| page.take(event)));
        page.flush()?;
    }
    redacted.finish(|piece| stream.push(piece, &mut |event| page.take(event)));
    page.flush()
}

/// Destination of the filtered lines.
struct Page {
    out: BufWriter<io::Stdout>,
    /// Collected text if one JSON object is printed; else `None`.
    text: Option<String>,
    diff: bool,
    begun: bool,
    failed: Option<io::Error>,
}

impl Page {
    fn new(common: &CommonArgs, verb: &Filter) -> Self {
        Self {
            out: BufWriter::with_capacity(CHUNK, io::stdout()),
            text: common.json.then(String::new),
            diff: verb.diff,
            begun: false,
            failed: None,
        }
    }

    fn take(&mut self, event: FilterEvent<'_>) {
        let (mark, line) = match event {
            FilterEvent::Kept(line) => (" ", line),
            FilterEvent::Written(line) => ("+", line),
            FilterEvent::Dropped(line) if self.diff => ("-", line),
            FilterEvent::Dropped(_) => return,
        };
        let mark = if self.diff { mark } else { "" };
        // A line end is printed when the next line comes, so the last line ends as in the input.
        let end = if std::mem::replace(&mut self.begun, true) { "\n" } else { "" };
        if let Some(text) = &mut self.text {
            return text.extend([end, mark, line]);
        }
        for part in [end, mark, line] {
            if let Err(error) = self.out.write_all(part.as_bytes()) {
                self.failed.get_or_insert(error);
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.out.flush()
    }

    fn end(&mut self, with_line_feed: bool) -> io::Result<()> {
        if self.begun && with_line_feed {
            self.out.write_all(b"\n")?;
        }
        self.flush()
    }
}

fn object(page: &Page, report: &FilterReport, secrets: u64) -> serde_json::Value {
    let mut text = page.text.clone().unwrap_or_default();
    if page.begun && report.ends_with_line_feed {
        text.push('\n');
    }
    json!({
        "text": text,
        "filter": report.stats,
        "bytes": {"raw": report.bytes_in, "model": report.bytes_out},
        "secrets": secrets,
    })
}

/// Prints notes for a person beside the text.
fn notes(verb: &Filter, report: &FilterReport, secrets: u64) {
    match secrets {
        0 => {}
        1 => output::note("warning: 1 credential in the output was replaced"),
        count => output::note(&format!("warning: {count} credentials in the output were replaced")),
    }
    if !verb.stats {
        return;
    }
    let Some(stats) = &report.stats else {
        return output::note("no rule matches this command");
    };
    if let Some(line) = stats_line(stats) {
        output::note(&line);
    }
    let confidence = serde_json::to_value(stats.confidence).unwrap_or_default();
    output::note(&format!(
        "rule `{}`, confidence {}, {} bytes -> {} bytes",
        stats.rule,
        confidence.as_str().unwrap_or_default(),
        report.bytes_in,
        report.bytes_out
    ));
}
