//! Logging to standard error, never into a result. Credentials are redacted, since hosts keep the
//! log in files.

use std::io::{self, IsTerminal, Write};

use haft::{core::Redactor as _, secrets::SecretRedactor};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::asking;

/// Starts logging. `HAFT_LOG` sets the level; the default is warnings.
pub(crate) fn log_to_stderr(quiet: bool) {
    let colours = !asking::forbids_colours() && io::stderr().is_terminal();
    let log = tracing_subscriber::fmt().with_writer(|| Redacting(io::stderr())).with_ansi(colours);
    // Compiling filters takes longer than the rest of a start, so only do it on request.
    if let Ok(filter) = tracing_subscriber::EnvFilter::try_from_env("HAFT_LOG") {
        return log.with_env_filter(filter).init();
    }
    let level = if quiet { LevelFilter::ERROR } else { LevelFilter::WARN };
    // Our own warnings already report what this library logs about a connection.
    let ours = Targets::new().with_default(level).with_target("rmcp", LevelFilter::OFF);
    log.finish().with(ours).init();
}

/// Redacts credentials by their shape. Each event is written in one piece, so none is split.
struct Redacting<W>(W);

impl<W: Write> Write for Redacting<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        self.0.write_all(SecretRedactor::default().redact(&text).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_written_without_its_credentials() {
        let token = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
        let mut log = Redacting(Vec::new());
        log.write_all(format!("WARN text=\"token {token}\"\n").as_bytes()).unwrap();
        assert_eq!(String::from_utf8(log.0).unwrap(), "WARN text=\"token «secret:github#1»\"\n");
    }
}
