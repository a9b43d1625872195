//! A server that is ready to be started or reached, and who makes it so.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use tools_core::CallContext;
use tools_sandbox::kernel::{Passage, Sandbox};
use tools_sandbox::obeyed::Look;

use crate::{Secret, Server, TokenReader};

/// A server that is ready to be started or reached.
#[derive(Debug)]
pub enum PreparedServer {
    /// A program that speaks over its standard input and output.
    Child(Box<PreparedChild>),
    /// A server at the address of its configuration.
    Remote(PreparedRemote),
}

/// Headers that a server over HTTP is sent besides the protocol.
#[derive(Default)]
pub struct PreparedRemote {
    /// Headers of every request.
    pub headers: Vec<(String, Secret)>,
    /// Reads the bearer token; `None` where none is read, or where it stands in `headers`.
    pub token: Option<TokenReader>,
    /// The login that gives the token, where nothing else does.
    #[cfg(feature = "http")]
    pub login: Option<Arc<crate::ServerLogin>>,
}

impl PreparedRemote {
    /// These headers and this token.
    pub fn new(headers: Vec<(String, Secret)>, token: Option<TokenReader>) -> Self {
        Self {
            headers,
            token,
            #[cfg(feature = "http")]
            login: None,
        }
    }

    /// The same with a login.
    #[cfg(feature = "http")]
    pub(crate) fn with_login(self, login: Option<Arc<crate::ServerLogin>>) -> Self {
        Self { login, ..self }
    }
}

tools_core::partial_debug!(PreparedRemote {});

/// A program that is ready to be started.
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
    /// Looks at what it changes of files that other programs obey; `None` for one that writes
    /// nothing.
    pub look: Option<Look>,
    /// Its way out into the network, kept for as long as it runs.
    pub way: Option<Arc<dyn Passage>>,
}

tools_core::partial_debug!(PreparedChild { program });

/// Makes a server ready to be started or reached for a session; the error says why it cannot be.
pub type Launcher = Arc<dyn Fn(&Server, &CallContext) -> Result<PreparedServer, String> + Send + Sync>;
