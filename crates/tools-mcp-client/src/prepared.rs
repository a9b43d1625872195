//! A server ready to be started or contacted, and the launcher that prepares it.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use tools_core::CallContext;
use tools_sandbox::kernel::{NetworkLease, Sandbox};
use tools_sandbox::obeyed::ObeyedLook;

use crate::{Secret, Server, TokenReader};

/// A server ready to be started or contacted.
#[derive(Debug)]
pub enum PreparedServer {
    /// A program that communicates over standard input and output.
    Child(Box<PreparedChild>),
    /// A server at the address of its configuration.
    Remote(PreparedRemote),
}

/// Headers that a server over HTTP is sent besides the protocol.
#[derive(Default)]
pub struct PreparedRemote {
    /// Headers of every request.
    pub headers: Vec<(String, Secret)>,
    /// Reads the bearer token; `None` if there is none, or if it is in `headers`.
    pub token: Option<TokenReader>,
    /// The login that provides the token if nothing else does.
    #[cfg(feature = "http")]
    pub login: Option<Arc<crate::ServerLogin>>,
}

impl PreparedRemote {
    /// With these headers and this token.
    pub fn new(headers: Vec<(String, Secret)>, token: Option<TokenReader>) -> Self {
        Self {
            headers,
            token,
            #[cfg(feature = "http")]
            login: None,
        }
    }

    /// Adds a login.
    #[cfg(feature = "http")]
    pub(crate) fn with_login(self, login: Option<Arc<crate::ServerLogin>>) -> Self {
        Self { login, ..self }
    }
}

tools_core::partial_debug!(PreparedRemote {});

/// A program ready to be started.
pub struct PreparedChild {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// Its confinement.
    pub sandbox: Sandbox,
    /// Checks its changes to files that other programs act on; `None` if it cannot write.
    pub look: Option<ObeyedLook>,
    /// Its network passage, held while it runs.
    pub way: Option<Arc<dyn NetworkLease>>,
}

tools_core::partial_debug!(PreparedChild { program });

/// Prepares a server for a session; the error says why it cannot.
pub type Launcher = Arc<dyn Fn(&Server, &CallContext) -> Result<PreparedServer, String> + Send + Sync>;
