//! Start of a server over stdio from its section: program, environment, and the folders that it
//! sees. A launcher compiles the confinement.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_core::CallContext;
use tools_sandbox::kernel::{ChildConfinement, Level, MaskRules, Network, NetworkGateway, NetworkLease, Sandbox};
use tools_sandbox::obeyed::ObeyedLook;
use tools_sandbox::process::own_variables;
use tools_sandbox::{expand_home, home};

#[cfg(feature = "http")]
use crate::PreparedRemote;
use crate::{Launcher, NetworkAccess, PreparedChild, PreparedServer, Server, WorkspaceAccess};

/// Variables that every server gets.
const ENVIRONMENT: [&str; 8] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TERM"];

/// Start of a server over stdio as its section describes it, without network and sandbox.
pub struct Launch {
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its whole environment, except the temporary folder of the sandbox.
    pub env: Vec<(OsString, OsString)>,
    /// Its working directory.
    pub cwd: PathBuf,
    /// The folders that it may write.
    pub writable: Vec<PathBuf>,
    /// Further places that it may read, besides the system and toolchains.
    pub readable: Vec<PathBuf>,
}

/// Folders for the sandbox of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFolders {
    /// The folders that may be written, including those of `protected`.
    pub writable: Vec<PathBuf>,
    /// Folders below `writable` that stay read-only.
    pub protected: Vec<PathBuf>,
    /// Further places that may be read.
    pub readable: Vec<PathBuf>,
}

// Values of variables may be credentials.
tools_core::partial_debug!(Launch { program });

impl Launch {
    /// Start of a server in a workspace, given as canonical folders; `workdir` is its working
    /// directory if it sees the workspace.
    ///
    /// # Errors
    /// Why it cannot be started: its program or a place of `read_paths` does not exist.
    pub fn of(server: &Server, workspace: Vec<PathBuf>, workdir: &Path) -> Result<Self, String> {
        let config = &server.config;
        let env = environment(server);
        let program = program(&config.command, &env)?;
        let mut readable: Vec<PathBuf> = Vec::new();
        let home = home();
        for typed in &config.read_paths {
            let place = expand_home(typed, home.as_deref()).filter(|place| place.is_absolute());
            readable.push(place.ok_or_else(|| format!("`read_paths`: `{typed}` is not an absolute path"))?);
        }
        readable.extend(launched(&program, &config.args, home.as_deref()));
        let (writable, cwd) = match config.workspace {
            WorkspaceAccess::Write => (workspace, workdir.to_owned()),
            WorkspaceAccess::Read => {
                readable.extend(workspace);
                (vec![], workdir.to_owned())
            }
            WorkspaceAccess::None => (vec![], PathBuf::from("/")),
        };
        let args = config.args.iter().map(OsString::from).collect();
        Ok(Self { program, args, env, cwd, writable, readable })
    }

    /// The network of the server, and its passage if its section asks for a gate, which `out`
    /// opens. Variables of the passage replace those of the same name.
    ///
    /// # Errors
    /// Why there is no such network.
    pub fn network(
        &mut self,
        server: &Server,
        out: Option<&dyn NetworkGateway>,
        cx: &CallContext,
    ) -> Result<(Network, Option<Arc<dyn NetworkLease>>), String> {
        match server.config.network {
            NetworkAccess::Off => Ok((Network::Closed, None)),
            NetworkAccess::Open => Ok((Network::Open, None)),
            NetworkAccess::Gate => {
                let out = out.ok_or("this build has no gate for the network")?;
                let words = std::iter::once(&server.config.command).chain(&server.config.args);
                let line = words.map(String::as_str).collect::<Vec<_>>().join(" ");
                let network_lease = out.open(&line, cx);
                let network_lease =
                    network_lease.ok_or("there can be no network of its own here, which `network = \"gate\"` needs")?;
                let variables = network_lease.variables();
                self.env.retain(|(name, _)| variables.iter().all(|(other, _)| other != name));
                self.env.extend(variables);
                Ok((Network::Gate, Some(network_lease)))
            }
        }
    }

    /// Builds the sandbox from the folders with `compile`.
    pub fn held(&self, compile: impl Fn(LaunchFolders) -> Result<Sandbox, String>) -> Result<Sandbox, String> {
        // A private `/tmp` shows only roots, so a read-only place in it must be a protected root.
        let is_covered =
            |place: &PathBuf| self.writable.iter().any(|root| place.starts_with(root) || root.starts_with(place));
        let (mut shielded, readable): (Vec<PathBuf>, Vec<PathBuf>) = self
            .readable
            .iter()
            .filter(|place| !is_covered(place))
            .cloned()
            .partition(|place| place.starts_with("/tmp") && place.is_dir());
        shielded.sort();
        shielded.dedup_by(|inner, outer| inner.starts_with(outer));
        let plain = [readable.clone(), shielded.clone()].concat();
        let writable = [self.writable.clone(), shielded.clone()].concat();
        let has_none = shielded.is_empty();
        let sandbox = compile(LaunchFolders { writable, protected: shielded, readable })?;
        if has_none || sandbox.strength().level == Level::Namespaces {
            return Ok(sandbox);
        }
        compile(LaunchFolders { writable: self.writable.clone(), protected: vec![], readable: plain })
    }

    /// The server in its sandbox, with its network passage. Its changes are checked by the rules
    /// with which its sandbox was compiled.
    pub(crate) fn in_sandbox(
        self,
        sandbox: Sandbox,
        rules: &MaskRules,
        way: Option<Arc<dyn NetworkLease>>,
    ) -> PreparedChild {
        let Self { program, args, mut env, cwd, writable, .. } = self;
        sandbox.name_temp(&mut env);
        let look = (!writable.is_empty()).then(|| ObeyedLook::new(rules.clone(), writable));
        PreparedChild { program, args, env, cwd, sandbox, look, way }
    }
}

/// A launcher that starts servers over stdio inside the confinement of commands. If their sections
/// ask for a network gate, they use `out`. Logins at servers over HTTP are in the folder `logins`.
pub fn launcher(held: Arc<dyn ChildConfinement>, out: Option<Arc<dyn NetworkGateway>>, logins: PathBuf) -> Launcher {
    #[cfg(not(feature = "http"))]
    drop(logins);
    Arc::new(move |server: &Server, cx: &CallContext| {
        if server.is_remote() {
            #[cfg(feature = "http")]
            return PreparedRemote::of(server, &logins).map(PreparedServer::Remote);
            #[cfg(not(feature = "http"))]
            return Err("this build reaches no servers over HTTP".to_owned());
        }
        let mut launch = Launch::of(server, held.writable(), cx.workdir())?;
        let (network, way) = launch.network(server, out.as_deref(), cx)?;
        let sandbox = launch.held(|LaunchFolders { writable, protected, readable }| {
            let further = readable.into_iter().map(|place| (place, "`mcp.servers`".to_owned())).collect();
            held.server(writable, protected, further, network, way.as_ref().map(|way| way.network()))
        })?;
        Ok(PreparedServer::Child(Box::new(launch.in_sandbox(sandbox, held.hidden(), way))))
    })
}

/// A server's environment: variables of this process and its own.
fn environment(server: &Server) -> Vec<(OsString, OsString)> {
    let config = &server.config;
    let is_passed = |name: &str| {
        ENVIRONMENT.contains(&name)
            || name.starts_with("LC_")
            || config.env_pass.iter().any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == pattern,
            })
    };
    let kept = own_variables()
        .into_iter()
        .filter(|(name, _)| name.to_str().is_some_and(|name| is_passed(name) && !config.env.contains_key(name)));
    kept.chain(config.env.iter().map(|(name, value)| (name.into(), value.into()))).collect()
}

fn program(command: &str, env: &[(OsString, OsString)]) -> Result<PathBuf, String> {
    use std::os::unix::fs::PermissionsExt as _;
    let is_program = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if command.contains('/') {
        let place = expand_home(command, home().as_deref()).filter(is_program);
        return place.ok_or_else(|| format!("`{command}` is not a program"));
    }
    let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone()).unwrap_or_default();
    let mut found =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(command));
    found.find(is_program).ok_or_else(|| format!("`{command}` is not installed: no folder of `PATH` has it"))
}

/// Places named by the launch line: the folders of the program and of files among the arguments,
/// unless that is a home or the root.
fn launched(program: &Path, args: &[String], home: Option<&Path>) -> Vec<PathBuf> {
    let real = program.canonicalize().ok();
    let named = args.iter().map(PathBuf::from).filter(|path| path.is_absolute() && path.exists());
    let named: Vec<PathBuf> = [program.to_owned()].into_iter().chain(real).chain(named).collect();
    let folder = |path: &PathBuf| {
        if path.is_dir() {
            return path.clone();
        }
        let is_narrow = |folder: &&Path| folder.parent().is_some() && home.is_none_or(|home| !home.starts_with(folder));
        path.parent().filter(is_narrow).map_or_else(|| path.clone(), Path::to_owned)
    };
    named.iter().map(folder).collect()
}
