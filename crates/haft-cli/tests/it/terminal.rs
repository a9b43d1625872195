//! A terminal for the binary: what it shows there, and what a person types.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::support::Haft;

/// The binary at a terminal of 80 columns and 24 rows, by way of `script`.
pub(crate) struct Terminal {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    shown: Vec<u8>,
}

/// A line of the shell at a terminal of its own.
pub(crate) fn at_terminal(haft: &Haft, line: &str) -> Command {
    let mut command = Command::new("script");
    command
        .args(["-qefc", line, "/dev/null"])
        .current_dir(haft.workspace.root())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", haft.home.root())
        .env("SHELL", "/bin/sh");
    command
}

impl Terminal {
    pub(crate) fn start(haft: &Haft, arguments: &[&str]) -> Self {
        let words: Vec<String> = arguments.iter().map(|word| quoted(word)).collect();
        let line = format!("stty cols 80 rows 24; exec {} {}", quoted(env!("CARGO_BIN_EXE_haft")), words.join(" "));
        let mut child = at_terminal(haft, &line)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .expect("there is `script`");
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self { child, input: input.expect("it is piped"), output: output.expect("it is piped"), shown: vec![] }
    }

    /// Waits until `text` is shown after all that was waited for before; gives what was shown
    /// since.
    ///
    /// # Panics
    /// When the program ends before.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        let mut buffer = [0; 4096];
        loop {
            let shown = String::from_utf8_lossy(&self.shown).into_owned();
            if shown.contains(text) {
                self.shown.clear();
                return shown.replace("\r\n", "\n");
            }
            let read = self.output.read(&mut buffer).unwrap_or_default();
            assert!(read > 0, "`{text}` is not shown: {shown}");
            self.shown.extend(&buffer[..read]);
        }
    }

    pub(crate) fn types(&mut self, line: &str) {
        writeln!(self.input, "{line}").and_then(|()| self.input.flush()).expect("somebody reads");
    }

    /// Reads to the end; gives what was shown since, and the exit code.
    pub(crate) fn end(mut self) -> (String, i32) {
        let _ = self.output.read_to_end(&mut self.shown);
        let code = self.child.wait().expect("it ends").code().unwrap_or(-1);
        (String::from_utf8_lossy(&self.shown).replace("\r\n", "\n"), code)
    }
}

fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
