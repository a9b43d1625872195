//! Output of a scan for one file: a line for each credential, or the text with placeholders.

use std::io::{self, Write};
use std::path::Path;

use haft::secrets::{Piece, SecretRedactor, SecretStream};
use serde::Serialize;

use super::encoding::Encoding;

/// One credential; never the value itself. Field names are permanent.
#[derive(Debug, Serialize)]
struct CredentialReport<'a> {
    file: &'a str,
    kind: &'static str,
    rule: &'static str,
    line: u64,
    column: u64,
    length: u64,
}

/// Receives the text of one file.
pub(super) struct Report<'a> {
    stream: SecretStream,
    printer: Printer<'a>,
}

struct Printer<'a> {
    file: String,
    redactor: &'a SecretRedactor,
    redact: bool,
    out: &'a mut dyn Write,
    line: u64,
    column: u64,
    found: usize,
    failed: Option<io::Error>,
}

impl<'a> Report<'a> {
    pub(super) fn new(file: &Path, redactor: &'a SecretRedactor, redact: bool, out: &'a mut dyn Write) -> Self {
        let printer = Printer {
            file: file.to_string_lossy().into_owned(),
            redactor,
            redact,
            out,
            line: 1,
            column: 1,
            found: 0,
            failed: None,
        };
        Self { stream: SecretStream::new(redactor.clone()), printer }
    }

    pub(super) fn take(&mut self, text: &[u8], encoding: Encoding) -> io::Result<()> {
        let printer = &mut self.printer;
        self.stream.push(text, &mut |piece| printer.print(piece, encoding));
        printer.failed.take().map_or(Ok(()), Err)
    }

    /// Ends the report; returns the number of credentials.
    pub(super) fn finish(mut self, encoding: Encoding) -> io::Result<usize> {
        let printer = &mut self.printer;
        self.stream.finish(&mut |piece| printer.print(piece, encoding));
        printer.failed.take().map_or(Ok(printer.found), Err)
    }
}

impl Printer<'_> {
    fn print(&mut self, piece: Piece<'_>, encoding: Encoding) {
        if self.failed.is_some() {
            return;
        }
        let printed = match piece {
            Piece::Clean(bytes) if self.redact => self.out.write_all(&encoding.encode(bytes)),
            Piece::Clean(_) => Ok(()),
            Piece::Secret(finding, bytes) => {
                self.found += 1;
                if self.redact {
                    let placeholder = self.redactor.replaced(&String::from_utf8_lossy(bytes), finding.kind);
                    self.out.write_all(&encoding.encode(placeholder.as_bytes()))
                } else {
                    let (line, column, length) = (self.line, self.column, characters(bytes));
                    let Self { file, out, .. } = self;
                    let found = CredentialReport { file, kind: finding.kind, rule: finding.rule, line, column, length };
                    let line = serde_json::to_string(&found).map_err(io::Error::other);
                    line.and_then(|line| writeln!(out, "{line}"))
                }
            }
        };
        self.failed = printed.err();
        self.advance(match piece {
            Piece::Clean(bytes) | Piece::Secret(_, bytes) => bytes,
        });
    }

    fn advance(&mut self, bytes: &[u8]) {
        if self.redact {
            return;
        }
        let mut lines = bytes.split(|byte| *byte == b'\n');
        self.column += characters(lines.next().unwrap_or_default());
        for line in lines {
            self.line += 1;
            self.column = 1 + characters(line);
        }
    }
}

/// Number of characters. Bytes that are not UTF-8 count one each.
fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| !(0x80..0xc0).contains(*byte)).count() as u64
}
