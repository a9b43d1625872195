//! A server as a confined child process: its start, the end of its standard error, and its stop in
//! steps.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::{io::AsyncReadExt, net::unix::pipe, time::timeout};
use tools_core::Locked as _;
use tools_sandbox::kernel::NetworkLease;
use tools_sandbox::process::{Exit, ProcessSpec, ProcessTree, SpawnError, Stdin};

use crate::{log_text::LogText, prepared::PreparedChild};

/// Time for a server to exit after its standard input was closed, and again after it was asked to
/// exit.
const GRACE: Duration = Duration::from_secs(2);
/// Maximum number of bytes of standard error that are kept.
const TAIL: usize = 4096;

/// Last bytes that a server wrote to standard error. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tail {
    kept: Arc<Mutex<TailBuffer>>,
    log: LogText,
}

#[derive(Debug, Default)]
struct TailBuffer {
    bytes: VecDeque<u8>,
    /// Whether earlier bytes were dropped.
    is_cut: bool,
}

impl Tail {
    /// An empty tail. `log` redacts its text.
    pub(crate) fn logging(log: LogText) -> Self {
        Self { log, ..Self::default() }
    }

    fn push(&self, bytes: &[u8]) {
        let mut kept = self.kept.locked();
        kept.bytes.extend(bytes);
        let over = kept.bytes.len().saturating_sub(TAIL);
        kept.bytes.drain(..over);
        kept.is_cut |= over > 0;
    }

    /// Its last lines, without credentials; for the operator, not for a model.
    pub(crate) fn text(&self) -> String {
        let kept = self.kept.locked();
        let mut bytes: Vec<u8> = kept.bytes.iter().copied().collect();
        if kept.is_cut {
            // A credential whose beginning was cut can no longer be recognised by its shape.
            let whole = bytes.iter().position(|byte| *byte == b'\n');
            let whole = whole.or_else(|| bytes.iter().position(u8::is_ascii_whitespace));
            bytes.drain(..whole.unwrap_or(bytes.len()));
        }
        self.log.of(String::from_utf8_lossy(&bytes).trim())
    }
}

/// A running server. Dropping it kills it and all processes it started.
pub(crate) struct Child {
    tree: ProcessTree,
    _way: Option<Arc<dyn NetworkLease>>,
}

/// Pipes to a started server.
pub(crate) struct Streams {
    pub(crate) stdin: pipe::Sender,
    pub(crate) stdout: pipe::Receiver,
}

impl Child {
    pub(crate) async fn start(prepared: PreparedChild, tail: &Tail) -> Result<(Self, Streams), SpawnError> {
        let PreparedChild { program, args, env, cwd, sandbox, look: _, way } = prepared;
        let mut spec = ProcessSpec::new(program, cwd);
        (spec.args, spec.env, spec.stdin) = (args, env, Stdin::Piped);
        let mut tree = ProcessTree::spawn(&spec, &sandbox).await?;
        if let Some(way) = &way {
            way.started(tree.id());
        }
        let missing = || SpawnError::Create(std::io::ErrorKind::BrokenPipe.into());
        let stdin = tree.take_stdin().ok_or_else(missing)?;
        let stdout = tree.take_stdout().ok_or_else(missing)?;
        if let Some(mut stderr) = tree.take_stderr() {
            let tail = tail.clone();
            // Ends with the pipe, which closes with the last process of the tree.
            tokio::spawn(async move {
                let mut buffer = vec![0; TAIL];
                while let Ok(count) = stderr.read(&mut buffer).await {
                    if count == 0 {
                        break;
                    }
                    tail.push(&buffer[..count]);
                }
            });
        }
        Ok((Self { tree, _way: way }, Streams { stdin, stdout }))
    }

    /// Exit status, if the server exits within a moment.
    pub(crate) async fn ended(&mut self) -> Option<Exit> {
        timeout(Duration::from_millis(200), self.tree.wait()).await.ok()
    }

    /// Waits for a server whose input was closed to exit, asks it to exit, then kills what is left.
    pub(crate) async fn stop(mut self) {
        if timeout(GRACE, self.tree.wait()).await.is_err() {
            self.tree.terminate(GRACE).await;
        }
        self.tree.finish().await;
    }
}

/// Describes how a server ended, as a phrase.
pub(crate) fn ending(exit: Exit) -> String {
    match (exit.code, exit.signal) {
        (Some(code), _) => format!("it ended with exit code {code}"),
        (None, Some(signal)) => format!("it was ended by signal {signal}"),
        (None, None) => "it ended".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_of_standard_error_holds_no_credential_nor_the_rest_of_one() {
        let token = ["gh", "p_", "k8dz7y3doqnvelbuizvohdbyhtvr2owpA7Qx"].concat();
        let tail = Tail::default();
        tail.push(format!("refused: {token}\n").as_bytes());
        assert_eq!(tail.text(), "refused: «secret:github#1»");
        for behind in [TAIL - 2, TAIL - 20, TAIL - 38] {
            let tail = Tail::default();
            tail.push(format!("{token}\n{}", "x".repeat(behind)).as_bytes());
            assert!(!tail.text().contains(&token[30..]) && tail.text().len() > 4000, "{behind}");
        }
    }
}
