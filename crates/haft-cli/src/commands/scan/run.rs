//! Scans the files named after `haft scan`, one after the other.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use haft::secrets::SecretRedactor;
use rustix::fs::OFlags;

use crate::args::{CommonArgs, Scan};
use crate::commands::open::load;
use crate::commands::scan::encoding::Transcoder;
use crate::commands::scan::report::Report;
use crate::exit::Exit;
use crate::output;

/// Number of bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Scans every file. An unreadable file is reported and does not stop the others.
pub(crate) fn run(common: &CommonArgs, verb: &Scan) -> Result<Exit, String> {
    let loaded = load(common)?;
    let redactor = loaded
        .config
        .tools
        .filters
        .security
        .redactor()
        .map_err(|error| format!("tools.filters.security.extra_patterns[{}]: {error}", error.index))?
        .numbering();
    let stdin = [PathBuf::from("-")];
    let files = if verb.files.is_empty() { &stdin[..] } else { &verb.files };
    let mut out = io::BufWriter::with_capacity(CHUNK, io::stdout().lock());
    let (mut found, mut failed) = (0, false);
    for file in files {
        match scan(file, &redactor, verb.redact, &mut out) {
            Ok(count) => found += count,
            Err(Fault::Read(problem)) => {
                output::note(&format!("haft: `{}`: {problem}", file.display()));
                failed = true;
            }
            Err(Fault::Write(error)) => return gone(&error),
        }
    }
    if let Err(error) = out.flush() {
        return gone(&error);
    }
    Ok(match () {
        () if failed => Exit::Usage,
        () if verb.check && found > 0 => Exit::ToolFailed,
        () => Exit::Ok,
    })
}

/// A closed reader (`| head`) is not a failure.
fn gone(error: &io::Error) -> Result<Exit, String> {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Ok(Exit::Ok),
        _ => Err(format!("standard output: {error}")),
    }
}

enum Fault {
    Read(String),
    Write(io::Error),
}

fn scan(file: &Path, redactor: &SecretRedactor, redact: bool, out: &mut dyn Write) -> Result<usize, Fault> {
    let mut source: Box<dyn Read> = match file.to_str() {
        Some("-") => Box::new(io::stdin().lock()),
        _ => Box::new(open(file).map_err(Fault::Read)?),
    };
    let mut report = Report::new(file, redactor, redact, out);
    let mut transcoder = Transcoder::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let length = match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(Fault::Read(error.to_string())),
        };
        let text = transcoder.decode(&chunk[..length]);
        report.take(&text, transcoder.encoding()).map_err(Fault::Write)?;
    }
    let rest = transcoder.finish();
    report.take(&rest, transcoder.encoding()).map_err(Fault::Write)?;
    report.finish(transcoder.encoding()).map_err(Fault::Write)
}

/// Opens a file that can be read to an end: reading a pipe without a writer would block for ever.
fn open(path: &Path) -> Result<File, String> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let opened = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(|error| error.to_string())?;
    let kind = opened.metadata().map_err(|error| error.to_string())?.file_type();
    // `/dev/stdin`, `/dev/fd/63`: pipes that a shell passes have a writer.
    let is_handed_over =
        path == Path::new("/dev/stdin") || path.starts_with("/dev/fd") || path.starts_with("/proc/self/fd");
    if kind.is_file() {
        Ok(opened)
    } else if is_handed_over && (kind.is_fifo() || kind.is_socket() || kind.is_char_device()) {
        File::options().read(true).open(path).map_err(|error| error.to_string())
    } else if kind.is_dir() {
        Err("is a directory; name files, or pipe text into it".to_owned())
    } else {
        Err("is not a regular file; pipe its text into it".to_owned())
    }
}
