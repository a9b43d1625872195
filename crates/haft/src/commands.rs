//! The shell in a toolbox: its policy, what its commands see, and what they are held to.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::DynExecutor;
#[cfg(feature = "mcp-client")]
use tools_mcp_client::LaunchFolders;
use tools_sandbox::{
    ReadRules, home,
    kernel::{Confinement, MaskRules, Network, NetworkNamespace, Sandbox, SandboxMode, Strength},
};
use tools_shell::{
    Bash, JobKill, JobRead, ShellPolicy, ShellPolicyHandle,
    view::{ComputedView, ViewSettings, Views},
};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, places},
    hidden::{ClosedPaths, hidden},
    part::{Part, Swap},
    paths, reserved,
    wiring::Wiring,
};

/// The policy of one set of shell tools.
#[derive(Debug)]
pub(crate) struct Commands {
    wiring: Arc<Wiring>,
    workdir: PathBuf,
    policy: ShellPolicyHandle,
    /// What may not be read by the configuration.
    #[cfg_attr(not(feature = "file"), expect(dead_code, reason = "file tools have the same rules"))]
    typed_rules: ReadRules,
    /// What may not be read.
    rules: ReadRules,
    /// What gates refuse commands to read.
    closed: ClosedPaths,
    hidden: MaskRules,
    /// What file tools may read, which commands may read, too.
    file_roots: Vec<PathBuf>,
    views: Views,
}

impl Commands {
    /// Those of a configuration, for calls from `workdir`.
    ///
    /// # Errors
    /// A value of `[tools.shell]` that cannot be used.
    pub(crate) fn new(
        wiring: &Arc<Wiring>,
        loaded: &LoadedConfig<HaftConfig>,
        workdir: &Path,
    ) -> Result<Self, LoadError> {
        let config = &loaded.config;
        let policy = compile(loaded)?.remembering(places::sandbox_record());
        let private = reserved::private(config);
        let typed_rules = paths::read_rules(loaded, workdir)?;
        let rules = typed_rules.clone().closing(&private);
        #[cfg(feature = "policy")]
        let closed = ClosedPaths::new(Arc::clone(&wiring.gates), workdir);
        #[cfg(not(feature = "policy"))]
        let closed = ClosedPaths::default();
        let hidden = hidden(config, &rules, private, closed.clone());
        Ok(Self {
            wiring: Arc::clone(wiring),
            workdir: workdir.to_owned(),
            policy: ShellPolicyHandle::new(policy),
            typed_rules,
            rules,
            closed,
            hidden,
            file_roots: paths::roots(config, workdir),
            views: Views::caching_in(places::state_dir()),
        })
    }

    /// The tool `bash`. It holds the policies for as long as somebody holds the tool: what nobody
    /// uses is not kept in step.
    pub(crate) fn bash(self: &Arc<Self>, reserved: &[PathBuf]) -> DynExecutor {
        let seeing = Arc::clone(self);
        let bash = Bash::new(self.policy.clone())
            .hiding(self.hidden.clone())
            .protecting(reserved.to_vec())
            .sharing(Arc::clone(&self.wiring.jobs))
            .seeing(Arc::new(move |writable: &[PathBuf]| Arc::clone(&seeing.view(writable).view)));
        #[cfg(feature = "egress")]
        let bash = bash.leaving_by(Arc::clone(&self.wiring.outlets) as _);
        DynExecutor::new(bash.into_executor())
    }

    /// The tools for what runs in the background.
    pub(crate) fn jobs(&self) -> [DynExecutor; 2] {
        let jobs = || Arc::clone(&self.wiring.jobs);
        [DynExecutor::new(JobRead::new(jobs()).into_executor()), DynExecutor::new(JobKill::new(jobs()).into_executor())]
    }

    /// What may not be read by the configuration.
    #[cfg(feature = "file")]
    pub(crate) fn typed_rules(&self) -> &ReadRules {
        &self.typed_rules
    }

    /// What commands cannot read.
    #[cfg(any(feature = "code", feature = "diagnostics"))]
    pub(crate) fn hidden(&self) -> &MaskRules {
        &self.hidden
    }

    /// The folders that commands may write.
    pub(crate) fn writable(&self) -> Vec<PathBuf> {
        let (shell, home) = (self.policy.load(), home());
        let home = home.as_deref().and_then(Path::to_str);
        let mut writable = shell.roots(&self.workdir, home).unwrap_or_default();
        writable.extend(shell.shared_caches(&writable, home));
        writable
    }

    /// What commands see that may write these folders.
    pub(crate) fn view(&self, writable: &[PathBuf]) -> Arc<ComputedView> {
        let shell = self.policy.load();
        let typed = shell.read_places(&self.workdir, home().as_deref());
        let roots = self.file_roots.iter().filter(|root| !writable.contains(root));
        let roots = roots.map(|root| (root.clone(), "`tools.file.allowed_paths`".to_owned()));
        let wanted = ViewSettings {
            writable: writable.to_vec(),
            further: typed.into_iter().chain(roots).collect(),
            cache_limit: shell.cache_limit(),
        };
        self.views.view(&wanted, &|path| self.rules.denies(path))
    }

    /// What a child is held to that may write these folders and not read what is `hidden`.
    pub(crate) fn confined(
        &self,
        writable: Vec<PathBuf>,
        mut hidden: Vec<PathBuf>,
        reserved: Vec<PathBuf>,
    ) -> Confinement {
        let view = Arc::clone(&self.view(&writable).view);
        hidden.extend(self.hidden.masks_read_only(&view.searched, &writable));
        let ask = self.policy.load().confinement(writable, hidden, reserved);
        let view = (ask.mode != SandboxMode::Off).then_some(view);
        Confinement { view, ..ask }
    }

    /// What an MCP server is held to that sees these folders; `joins` is the network that it shares
    /// with others of its session.
    ///
    /// # Errors
    /// Why it cannot be held.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn server(
        &self,
        folders: LaunchFolders,
        network: Network,
        joins: Option<Arc<NetworkNamespace>>,
    ) -> Result<Sandbox, String> {
        let LaunchFolders { writable, protected, readable } = folders;
        let further = readable.into_iter().map(|place| (place, "`mcp.servers`".to_owned())).collect();
        let wanted = ViewSettings { writable: writable.clone(), further, cache_limit: None };
        let view = Arc::clone(&self.views.view(&wanted, &|path| self.rules.denies(path)).view);
        let masks = self.hidden.masks(&writable);
        if masks.incomplete {
            return Err("the folders that it may write are too large to be searched for secret files".to_owned());
        }
        let mut hidden = masks.paths;
        hidden.extend(self.hidden.masks_read_only(&view.searched, &writable));
        let ask = self.policy.load().confinement(writable, hidden, self.wiring.reserved.now());
        let view = (ask.mode != SandboxMode::Off).then_some(view);
        let (held, absent) = (masks.obeyed.held(), masks.obeyed.missing_hooks);
        let protected = [ask.protected, protected].concat();
        let ask = Confinement { protected, view, network, joins, held, absent, sockets: vec![], ..ask };
        Sandbox::compile(&ask).map_err(|error| error.to_string())
    }

    /// What a command is held by now, as in the result of a call.
    ///
    /// # Errors
    /// Why none would run.
    pub(crate) fn strength(&self) -> Result<Strength, String> {
        let masks = self.hidden.masks(&self.writable());
        let asked = self.confined(self.writable(), masks.paths, self.wiring.reserved.now());
        let joins = match asked.network {
            Network::Gate if cfg!(feature = "egress") => NetworkNamespace::create().ok().map(Arc::new),
            _ => None,
        };
        let asked = Confinement { held: masks.obeyed.held(), absent: masks.obeyed.missing_hooks, joins, ..asked };
        Sandbox::compile(&asked).map(|sandbox| sandbox.strength().clone()).map_err(|error| error.to_string())
    }
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<ShellPolicy, LoadError> {
    loaded.config.tools.shell.compile().map_err(|fault| loaded.fault_in("tools.shell", fault))
}

impl Part for Commands {
    fn compile(self: Arc<Self>, _: &HaftConfig, loaded: &LoadedConfig<HaftConfig>) -> Result<Swap, LoadError> {
        compile(loaded)?;
        let config = loaded.config.tools.shell.clone();
        Ok(Box::new(move || {
            // It was compiled above, so that it does not fail here.
            let _ = self.policy.rebuild(&config);
            self.closed.renew();
            self.hidden.forget();
            self.views.forget();
        }))
    }
}
