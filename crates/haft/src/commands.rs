//! The shell in a toolbox: its policy, and what its commands are held to beside their own section.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::{DynExecutor, ServerName, Shared};
use tools_sandbox::{ReadRules, closed_places, kernel::MaskRules};
use tools_secrets::SecretRedactor;
use tools_shell::{
    Bash, CommandConfinement, ConfinementSettings, JobKill, JobRead, Jobs, ShellPolicy, ShellPolicyHandle,
};

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, paths, places},
    credentials,
    part::PartList,
    wiring::Wiring,
};

/// The commands of one folder.
#[derive(Debug)]
pub(crate) struct Commands {
    wiring: Arc<Wiring>,
    /// What gates refuse them to read.
    #[cfg(feature = "policy")]
    closed: (PathBuf, Shared<Vec<tools_policy::gate::ReadRestriction>>),
    pub(crate) held: Arc<CommandConfinement>,
}

impl Commands {
    /// Those of a configuration, for calls from `workdir`, that may not read what `typed_rules` and
    /// `private` close.
    ///
    /// # Errors
    /// A value of `[tools.shell]` that cannot be used.
    pub(crate) fn new(
        wiring: &Arc<Wiring>,
        loaded: &LoadedConfig<HaftConfig>,
        workdir: &Path,
        typed_rules: &ReadRules,
        private: &[PathBuf],
    ) -> Result<Self, LoadError> {
        let config = &loaded.config;
        let policy = compile(loaded)?.remembering(places::sandbox_record());
        let rules = typed_rules.clone().closing(private);
        let mut hidden = closed_places(deny_read(config), &rules);
        hidden.extend_from_slice(private);
        // What a tool may not read, no command may read either.
        #[cfg(feature = "policy")]
        let (closed, denies) = {
            let closed = Shared::new(wiring.gates.closes("bash", workdir));
            hidden.extend(closed.load().iter().flat_map(|closed| closed.places.clone()));
            let now = closed.clone();
            (closed, move |path: &Path| now.load().iter().any(|closed| (closed.denies)(path)))
        };
        #[cfg(not(feature = "policy"))]
        let denies = |_: &Path| false;
        let (reserving, roots) = (Arc::clone(wiring), paths::roots(config, workdir).into_iter());
        let held = CommandConfinement::new(ConfinementSettings {
            workdir: workdir.to_owned(),
            policy: ShellPolicyHandle::new(policy),
            hidden: MaskRules::new(denies, hidden).with_rules(rules.clone()),
            rules,
            further: roots.map(|root| (root, "`tools.file.allowed_paths`".to_owned())).collect(),
            state: places::state_dir(),
            reserved: Arc::new(move || reserving.reserved.now()),
        });
        Ok(Self {
            wiring: Arc::clone(wiring),
            #[cfg(feature = "policy")]
            closed: (workdir.to_owned(), closed),
            held: Arc::new(held),
        })
    }

    /// Follows other configurations.
    pub(crate) fn kept_in_step(self: &Arc<Self>, parts: &mut PartList) {
        let commands = Arc::clone(self);
        parts.follow(move |loaded| {
            compile(loaded)?;
            let (commands, config) = (Arc::clone(&commands), loaded.config.tools.shell.clone());
            Ok(move || {
                #[cfg(feature = "policy")]
                {
                    let (workdir, closed) = &commands.closed;
                    closed.store(commands.wiring.gates.closes("bash", workdir));
                }
                // It was compiled above, so that it does not fail here.
                let _ = commands.held.rebuild(&config);
            })
        });
    }

    /// The tool `bash`.
    pub(crate) fn bash(&self, reserved: &[PathBuf]) -> DynExecutor {
        let seeing = Arc::clone(&self.held);
        let bash = Bash::new(self.held.policy().clone())
            .hiding(self.held.hidden().clone())
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
}

fn compile(loaded: &LoadedConfig<HaftConfig>) -> Result<ShellPolicy, LoadError> {
    loaded.config.tools.shell.compile().map_err(|fault| loaded.fault_in("tools.shell", fault))
}

/// The patterns that an operator typed; `None` where the preset holds as it is.
fn deny_read(config: &HaftConfig) -> Option<&[String]> {
    #[cfg(feature = "file")]
    return config.tools.file.deny_read.as_deref();
    #[cfg(not(feature = "file"))]
    {
        let _ = config;
        None
    }
}

/// The table of what sessions run in the background.
pub(crate) fn jobs(redactor: &Shared<SecretRedactor>, server: Option<ServerName>, parts: &mut PartList) -> Arc<Jobs> {
    let jobs = Arc::new(Jobs::shown_on(credentials::board(redactor)).at_server(server));
    parts.forget(&jobs, Jobs::abandon_session);
    jobs
}
