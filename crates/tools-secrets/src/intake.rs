//! Removes credentials from a text that is too long to hold while it passes to the outer intake.

use std::sync::Arc;

use tools_core::{Digest, Intake, LineSelection, SkippedPart, TextSink};

use crate::{Piece, SecretRedactor, SecretStream, SecretsMode, Tally, relay::relayed};

/// Wraps an outer intake.
pub(crate) struct SecretsIntake {
    outer: Arc<dyn Intake>,
    redactor: SecretRedactor,
    mode: SecretsMode,
}

impl SecretsIntake {
    pub(crate) fn around(outer: Arc<dyn Intake>, redactor: SecretRedactor, mode: SecretsMode) -> Arc<dyn Intake> {
        Arc::new(Self { outer, redactor, mode })
    }
}

impl Intake for SecretsIntake {
    fn capacity(&self) -> u64 {
        self.outer.capacity()
    }

    fn open(&self, showing: LineSelection) -> Box<dyn TextSink> {
        let redactor = self.redactor.clone();
        Box::new(Sink {
            outer: relayed(self.outer.open(showing)),
            stream: SecretStream::new(redactor.clone()),
            redactor,
            replaces: self.mode == SecretsMode::Redact,
            tally: Tally::default(),
        })
    }
}

struct Sink {
    outer: Box<dyn TextSink>,
    stream: SecretStream,
    redactor: SecretRedactor,
    /// Whether credentials are replaced, or only counted.
    replaces: bool,
    tally: Tally,
}

impl Sink {
    fn run(&mut self, run: impl FnOnce(&mut SecretStream, &mut dyn FnMut(Piece<'_>))) {
        let Self { outer, stream, redactor, replaces, tally } = self;
        run(stream, &mut |piece| match piece {
            Piece::Clean(bytes) => outer.push(bytes),
            Piece::Secret(finding, bytes) => {
                tally.add(finding.kind);
                if *replaces {
                    outer.push(redactor.replaced(&String::from_utf8_lossy(bytes), finding.kind).as_bytes());
                } else {
                    outer.push(bytes);
                }
            }
        });
    }
}

impl TextSink for Sink {
    fn push(&mut self, bytes: &[u8]) {
        self.run(|stream, sink| stream.push(bytes, sink));
    }

    fn show(&mut self, line: &str) {
        let line = if self.replaces { tools_core::Redactor::redact(&self.redactor, line) } else { line.into() };
        self.outer.show(&line);
    }

    fn skip(&mut self, part: SkippedPart) {
        self.run(|stream, sink| stream.flush(sink));
        self.outer.skip(part);
    }

    fn finish(mut self: Box<Self>, exit: Option<i32>) -> Digest {
        self.run(|stream, sink| stream.flush(sink));
        let Self { outer, tally, .. } = *self;
        Digest { credentials: tally.kinds().collect(), ..outer.finish(exit) }
    }
}
