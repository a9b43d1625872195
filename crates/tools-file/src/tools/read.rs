//! `read`: a window of numbered lines, an image, or a description of another file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use tools_core::{
    Access, AnswerBudget, CallContext, ClaimSource, Inspection, Location, Media, Subject, Tool, ToolDef, ToolError,
    ToolKind, ToolOutput, ToolTraits, Window as Part, WindowWriter,
};
use tools_sandbox::Metadata;

use crate::cancel::Cancel;
use crate::converted::Converted;
use crate::digest::Digest;
use crate::error::FileError;
use crate::lines::{Ask, Window, read_window};
use crate::media;
use crate::memory::MAX_KEPT_BYTES;
use crate::text::{Encoding, NUL_SHOWN, SNIFF, Transcode, is_binary, lossy_line};
use crate::workspace::{Site, Workspace};

pub(super) struct Read(pub(super) Arc<Workspace>);

/// Reads a text file with line numbers (` 1<TAB>text`), or shows an image.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Args {
    path: String,
    /// Lines to skip.
    offset: Option<u64>,
    /// Default 2000.
    limit: Option<u64>,
}

impl Tool for Read {
    type Args = Args;

    fn definition(&self) -> ToolDef {
        ToolDef::of::<Args>("read", ToolKind::Read, ToolTraits::READ_ONLY).titled("Read file")
    }

    async fn inspect(&self, args: &Args, cx: &CallContext) -> Result<Inspection, ToolError> {
        let site = self.0.site(cx)?;
        let found = site.resolve_readable(&site.named(&args.path))?;
        let state = found.state();
        let inspection = Inspection::read_only().touching(Subject::path(found.into_path(), Access::Read));
        Ok(state.into_iter().fold(inspection, Inspection::depending_on))
    }

    async fn run(&self, args: Args, cx: &CallContext) -> Result<ToolOutput, ToolError> {
        let site = self.0.site(cx)?;
        let opened = site.open_file(&site.named(&args.path))?;
        if opened.2.size <= INLINE {
            return Ok(read(&args, opened, &site, &Cancel::never())?);
        }
        self.0.blocking(cx, move |site, cancel| read(&args, opened, site, cancel)).await
    }
}

/// Maximum size in bytes of a file that is read on the current thread: handing it to another thread
/// costs more than reading it.
const INLINE: u64 = 64 * 1024;

fn read(
    args: &Args,
    (mut file, path, metadata): (File, PathBuf, Metadata),
    site: &Site,
    cancel: &Cancel,
) -> Result<ToolOutput, FileError> {
    let asked = &*site.named(&args.path);
    let fail = |error: io::Error| FileError::io(asked, error);
    let mut head = Vec::with_capacity(SNIFF);
    (&mut file).take(SNIFF as u64).read_to_end(&mut head).map_err(fail)?;
    let place = Location { path: path.clone(), line: args.offset.map(|offset| offset.saturating_add(1)) };
    let output = |text: String| ToolOutput::text(text).from_source(ClaimSource::Workspace).at(place);
    if let Some(mime) = media::image_type(&head) {
        return Ok(image(file, &head, mime, &metadata, site).map_err(fail)?.at(Location { path, line: None }));
    }
    if is_binary(&head) {
        let kind = media::describe(&head);
        return Ok(output(format!("[binary file: {kind}, {} bytes; not shown as text]", metadata.size)));
    }
    file.rewind().map_err(fail)?;
    let limits = site.limits();
    let ask = Ask {
        offset: args.offset.unwrap_or(0),
        limit: args.limit.unwrap_or(limits.read_lines),
        line_chars: limits.line_chars,
        total_bytes: limits.read_bytes.min(site.answer().bytes),
        size: metadata.size,
        counted: limits.edit_bytes,
    };
    let (memory, session) = site.memory();
    let content = (metadata.size <= MAX_KEPT_BYTES as u64).then(Vec::new);
    // A file that is too long to be edited does not need a digest.
    let digest = (metadata.size <= limits.edit_bytes).then(|| memory.digest());
    let mut seen = DigestReader { file, digest, content };
    let announced = Encoding::announced(&head);
    let window = match announced {
        Some((encoding @ (Encoding::Utf16Le | Encoding::Utf16Be), _)) => {
            read_window(site.hiding(&path, Converted::new(&mut seen, Transcode::new(encoding))), ask, cancel, fail)?
        }
        _ => read_window(site.hiding(&path, &mut seen), ask, cancel, fail)?,
    };
    if window.complete {
        match (seen.content, seen.digest) {
            (Some(content), _) => memory.record_read(session, &path, &content),
            (None, Some(digest)) => memory.record_read_digest(session, &path, &digest),
            (None, None) => {}
        }
    }
    let (text, part) = render(&window, ask, announced.map(|(encoding, _)| encoding), &metadata, site.answer());
    Ok(ToolOutput { window: part, ..output(text) })
}

const BOM: &[u8] = "\u{feff}".as_bytes();

/// Lines with numbers, and a note on what is omitted. Shows as many lines as the answer holds, and
/// at least one.
fn render(
    window: &Window,
    ask: Ask,
    encoding: Option<Encoding>,
    metadata: &Metadata,
    budget: AnswerBudget,
) -> (String, Option<Part>) {
    use std::fmt::Write as _;
    let shown = window.text();
    // The usual case, in which no line needs a check of its own.
    let whole = std::str::from_utf8(shown).ok().filter(|_| memchr::memchr(0, shown).is_none());
    let mut text = String::with_capacity(shown.len() + 8 * usize::try_from(window.shown()).unwrap_or_default() + 64);
    let (mut odd, mut count, mut filling) = (false, 0_u64, WindowWriter::new(budget));
    for (index, (range, length)) in (0_u64..).zip(window.lines()) {
        let number = ask.offset.saturating_add(index + 1);
        let begin = text.len();
        let is_cut = range.len() < length;
        push_number(&mut text, number);
        let has_mark = (number, encoding) == (1, Some(Encoding::Utf8Bom)) && shown[range.clone()].starts_with(BOM);
        let range = range.start + if has_mark { BOM.len() } else { 0 }..range.end;
        if let Some(line) = whole.and_then(|whole| whole.get(range.clone())) {
            text.push_str(line);
        } else {
            let (line, lossy) = lossy_line(&shown[range]);
            odd |= lossy;
            text.extend(line.chars().map(|c| if c == '\0' { NUL_SHOWN } else { c }));
        }
        if is_cut {
            let _ = write!(text, " … [line of {length} bytes]");
        }
        text.push('\n');
        if !filling.takes(&text[begin..]) {
            if count > 0 {
                text.truncate(begin);
                break;
            }
            // A line that is longer than any answer is cut, so that the following lines can be
            // reached.
            let most = budget.bytes.min(budget.characters);
            text.truncate(text.floor_char_boundary(begin + most.max(1)));
            let _ = writeln!(text, " … [line of {length} bytes]");
            count = 1;
            break;
        }
        count += 1;
    }
    let mut notes = vec![position(window, count, ask, metadata)];
    notes.extend(encoding.filter(|encoding| *encoding != Encoding::Utf8Bom).map(|encoding| encoding.name().to_owned()));
    notes.extend(odd.then(|| "not UTF-8: shown as windows-1252 where needed".to_owned()));
    notes.retain(|note| !note.is_empty());
    if !notes.is_empty() {
        let _ = write!(text, "[{}]", notes.join("; "));
    }
    let next = ask.offset.saturating_add(count);
    let part = (count > 0).then_some(Part {
        from: ask.offset,
        to: next,
        total: window.complete.then_some(window.total),
        next: (!window.complete || next < window.total).then_some(next),
    });
    (text.trim_end_matches('\n').to_owned(), part)
}

/// Writes `{number:>6}` and a tab. Done by hand, because it takes most of the time of showing a
/// line.
fn push_number(text: &mut String, mut number: u64) {
    let mut digits = [b' '; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.push_str(std::str::from_utf8(&digits[first.min(digits.len() - 6)..]).unwrap_or_default());
    text.push('\t');
}

/// The range of lines shown; empty when it is the whole file.
fn position(window: &Window, shown: u64, ask: Ask, metadata: &Metadata) -> String {
    let total = if window.complete {
        window.total.to_string()
    } else {
        format!("more than {} ({} bytes)", window.total, metadata.size)
    };
    if window.complete && window.total == 0 {
        return "the file is empty".to_owned();
    }
    if shown == 0 {
        return format!("no lines shown; the file has {total} lines, offset is {}", ask.offset);
    }
    let next = ask.offset + shown;
    if window.complete && ask.offset == 0 && next == window.total {
        return String::new();
    }
    let more = if window.complete && next >= window.total { String::new() } else { format!("; next: offset={next}") };
    format!("lines {}-{next} of {total}{more}", ask.offset + 1)
}

fn image(mut file: File, head: &[u8], mime: &str, metadata: &Metadata, site: &Site) -> io::Result<ToolOutput> {
    let length = metadata.size;
    if length > site.limits().image_bytes {
        let most = site.limits().image_bytes;
        return Ok(ToolOutput::text(format!("[{mime}, {length} bytes; more than the {most} bytes that are shown]")));
    }
    let mut data = head.to_vec();
    (&mut file).take(length).read_to_end(&mut data)?;
    let mut output = ToolOutput::text(format!("[{mime}, {} bytes]", data.len())).from_source(ClaimSource::Workspace);
    output.media.push(Media::new(mime, data));
    Ok(output)
}

/// Computes the digest of data that is read, and keeps the data while it is short.
struct DigestReader {
    file: File,
    digest: Option<Digest>,
    content: Option<Vec<u8>>,
}

impl io::Read for DigestReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.file.read(buffer)?;
        if let Some(digest) = &mut self.digest {
            digest.write(&buffer[..length]);
        }
        match &mut self.content {
            Some(content) if content.len() + length <= MAX_KEPT_BYTES => content.extend_from_slice(&buffer[..length]),
            content => *content = None,
        }
        Ok(length)
    }
}
