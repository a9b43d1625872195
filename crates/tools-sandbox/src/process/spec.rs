//! Description of a process to start: program, arguments, environment, folder and standard input.
//! The sandbox determines what it may access.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::error::SpawnError;

/// Standard input of a new process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Empty.
    #[default]
    Null,
    /// A pipe, taken with [`ProcessTree::take_stdin`](super::ProcessTree::take_stdin).
    Piped,
}

/// A channel beside the three streams: the process reads from one descriptor and writes to a pipe
/// on another. Both numbers are outside the range that shells use, and are inherited by the
/// processes it starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideChannel {
    /// The bytes the process can read; at most [`SideChannel::MAX_BYTES`].
    pub input: Vec<u8>,
}

impl SideChannel {
    /// The descriptor it reads from.
    pub const INPUT: i32 = 212;
    /// The descriptor it writes to; read it with
    /// [`ProcessTree::take_side`](super::ProcessTree::take_side).
    pub const OUTPUT: i32 = 211;
    /// Maximum number of input bytes: a pipe holds this many without a reader.
    pub const MAX_BYTES: usize = 4096;
}

/// One process to start. The environment is exactly what is given here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessSpec {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Arguments, without the program's own name.
    pub args: Vec<OsString>,
    /// The whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Working directory, absolute.
    pub cwd: PathBuf,
    /// Standard input.
    pub stdin: Stdin,
    /// The side channel, if any.
    pub side: Option<SideChannel>,
}

impl ProcessSpec {
    /// A process with an empty environment and no input.
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: cwd.into(),
            stdin: Stdin::Null,
            side: None,
        }
    }
}

/// The strings of a process in the form that `execve` takes.
pub(crate) struct Image {
    pub(crate) program: CString,
    pub(crate) cwd: CString,
    argv: Vec<CString>,
    envp: Vec<CString>,
}

impl Image {
    pub(crate) fn new(spec: &ProcessSpec) -> Result<Self, SpawnError> {
        let program = terminated(spec.program.as_os_str(), "the program")?;
        let mut argv = vec![program.clone()];
        for argument in &spec.args {
            argv.push(terminated(argument, "an argument")?);
        }
        let mut envp = Vec::with_capacity(spec.env.len());
        for (name, value) in &spec.env {
            let mut variable = OsString::with_capacity(name.len() + value.len() + 1);
            variable.push(name);
            variable.push("=");
            variable.push(value);
            envp.push(terminated(&variable, "an environment variable")?);
        }
        Ok(Self { program, cwd: terminated(spec.cwd.as_os_str(), "the working directory")?, argv, envp })
    }

    pub(crate) fn argv(&self) -> Vec<*const libc::c_char> {
        pointers(&self.argv)
    }

    pub(crate) fn envp(&self) -> Vec<*const libc::c_char> {
        pointers(&self.envp)
    }
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([std::ptr::null()]).collect()
}

fn terminated(text: &OsStr, what: &'static str) -> Result<CString, SpawnError> {
    CString::new(text.as_bytes()).map_err(|_| SpawnError::NulByte { what })
}
