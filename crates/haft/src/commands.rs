//! Sets up the shell of a toolbox: the restrictions on commands from other sections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_core::ServerName;
use tools_sandbox::{ReadRules, closed_places, kernel::MaskRules};
use tools_shell::{CommandConfinement, ConfinementSettings, Jobs, ShellPolicy, ShellPolicyHandle};

use crate::config::{LoadError, LoadedConfig, paths, places};
use crate::layers;
use crate::part::{PartList, PartMaker};
use crate::parts::Parts;

/// The confinement of commands, for calls from `workdir`. Commands may not read the paths that
/// `typed`, `private` or the gates (for `bash`) close. It follows configuration changes.
pub(crate) fn confinement(
    shared: &Arc<Parts>,
    loaded: &LoadedConfig,
    workdir: &Path,
    typed: &ReadRules,
    private: &[PathBuf],
    parts: &mut PartList,
) -> Result<Arc<CommandConfinement>, LoadError> {
    let policy = compile(loaded)?.remembering(places::sandbox_record());
    let rules = typed.clone().closing(private);
    // The operator's patterns; without any, the preset applies unchanged.
    #[cfg(feature = "file")]
    let deny_read = loaded.config.tools.file.deny_read.as_deref();
    #[cfg(not(feature = "file"))]
    let deny_read = None;
    let mut hidden = closed_places(deny_read, &rules);
    hidden.extend_from_slice(private);
    #[cfg(feature = "policy")]
    let (close, denies) = {
        let (gates, folder) = (Arc::clone(&shared.gates), workdir.to_owned());
        let closed = tools_core::Shared::new(gates.closes("bash", workdir));
        hidden.extend(closed.load().iter().flat_map(|closed| closed.places.clone()));
        let now = closed.clone();
        let denies = move |path: &Path| now.load().iter().any(|closed| (closed.denies)(path));
        (Arc::new(move || closed.store(gates.closes("bash", &folder))), denies)
    };
    #[cfg(not(feature = "policy"))]
    let (close, denies) = (Arc::new(|| ()), |_: &Path| false);
    let (reserving, roots) = (Arc::clone(shared), paths::roots(&loaded.config, workdir).into_iter());
    let commands = Arc::new(CommandConfinement::new(ConfinementSettings {
        workdir: workdir.to_owned(),
        policy: ShellPolicyHandle::new(policy),
        hidden: MaskRules::new(denies, hidden).with_rules(rules.clone()),
        rules,
        further: roots.map(|root| (root, "`tools.file.allowed_paths`".to_owned())).collect(),
        state: places::state_dir(),
        reserved: Arc::new(move || reserving.reserved.now()),
        is_gated: cfg!(feature = "egress"),
    }));
    let following = Arc::clone(&commands);
    parts.live.follow(move |loaded| {
        compile(loaded)?;
        let (commands, close, config) = (Arc::clone(&following), Arc::clone(&close), loaded.config.tools.shell.clone());
        Ok(move || {
            close();
            // It compiled above, so it cannot fail here.
            let _ = commands.rebuild(&config);
        })
    });
    Ok(commands)
}

fn compile(loaded: &LoadedConfig) -> Result<ShellPolicy, LoadError> {
    loaded.config.tools.shell.compile().map_err(|fault| loaded.fault_in("tools.shell", fault))
}

impl PartMaker<'_> {
    /// The table of background jobs of all sessions.
    pub(crate) fn jobs(&mut self, server: Option<ServerName>) -> Arc<Jobs> {
        let jobs = Arc::new(Jobs::shown_on(layers::board(self.credentials.redactor())).at_server(server));
        self.list.ends.register(&jobs, Jobs::abandon_session);
        jobs
    }

    /// The networks of sessions whose commands are gated. They apply the session's approvals, and
    /// write each connection to `record`.
    #[cfg(feature = "egress")]
    pub(crate) fn networks(
        &mut self,
        gates: &tools_policy::Gates,
        record: Option<&tools_audit::Record>,
    ) -> Result<Arc<tools_egress_proxy::SessionNetworks>, LoadError> {
        use tools_egress_proxy::{EgressSettings, SessionNetworks, host_rules};
        let (loaded, list) = (self.loaded, &mut self.list);
        let sent = |loaded: &LoadedConfig| Ok(loaded.config.tools.shell.compile()?.sent_per_host());
        let rules =
            list.live.policy(loaded, "tools.permissions", |loaded| host_rules(&loaded.config.tools.permissions))?;
        let networks = Arc::new(SessionNetworks::new(EgressSettings {
            rules,
            most_sent: list.live.policy(loaded, "tools.shell", sent)?,
            allowed: Arc::clone(&gates.state.rules),
            approvals: self.config.tools.approvals.clone(),
            redactor: self.redactor(),
            record: record.map(|record| Arc::clone(&record.audit)),
        }));
        self.list.ends.register(&networks, SessionNetworks::end);
        Ok(networks)
    }
}
