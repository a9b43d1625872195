//! The viewer that runs in the client's terminal.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use super::frame::{self, Frame};
use super::link;

/// The program that a client starts in a terminal to show a call. It is called with these arguments
/// and the name of a socket, and passes that name to [`show_in_terminal`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments before the name of the socket.
    pub arguments: Vec<OsString>,
}

/// Prints the output of the call to `output` until the call ends. Returns the exit code for this
/// process: 0 if the call succeeded, else 1.
///
/// Ending this process earlier cancels the call.
///
/// # Errors
/// If no agent listens at `socket`, the agent disconnects before the call has ended, or `output`
/// fails.
pub fn show_in_terminal(socket: &str, mut output: impl Write) -> io::Result<u8> {
    let mut agent = link::connect(socket)?;
    loop {
        match frame::read(&mut agent)? {
            Some(Frame::Text(text)) => {
                output.write_all(&text)?;
                output.flush()?;
            }
            Some(Frame::End(code)) => return Ok(code),
            None => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the agent has ended")),
        }
    }
}
