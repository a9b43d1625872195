//! The confinement of commands of one folder: writable folders, view and hidden files. Programs
//! that run beside commands (checkers, language servers, MCP servers) get the same confinement.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_core::KeyFault;
use tools_sandbox::kernel::{
    ChildConfinement, Confinement, Level, MaskRules, Network, NetworkNamespace, Sandbox, SandboxMode, Strength,
};
use tools_sandbox::view::ViewReport;
use tools_sandbox::{ReadRules, home};

use crate::view::{ComputedView, ViewSettings, Views};
use crate::{Bash, Jobs, ShellConfig, ShellPolicyHandle};

/// Returns the places that no child may write at present.
pub type ReservedPlaces = Arc<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

/// Input of a [`CommandConfinement`].
pub struct ConfinementSettings {
    /// The folder that calls come from.
    pub workdir: PathBuf,
    /// The policy of the shell.
    pub policy: ShellPolicyHandle,
    /// Rules on paths that may not be read.
    pub rules: ReadRules,
    /// The same rules as masks, with all other hidden paths.
    pub hidden: MaskRules,
    /// Further readable places, with the reason of each.
    pub further: Vec<(PathBuf, String)>,
    /// The state folder for caches.
    pub state: PathBuf,
    /// Places that no child may write.
    pub reserved: ReservedPlaces,
    /// Whether the network has a gate.
    pub is_gated: bool,
}

/// Confinement of the commands of one folder.
pub struct CommandConfinement {
    settings: ConfinementSettings,
    views: Views,
}

tools_core::partial_debug!(CommandConfinement { workdir: settings.workdir });

impl CommandConfinement {
    /// Creates the confinement; nothing is computed before it is needed.
    pub fn new(settings: ConfinementSettings) -> Self {
        let views = Views::caching_in(settings.state.clone());
        Self { settings, views }
    }

    /// The policy of the shell.
    pub fn policy(&self) -> &ShellPolicyHandle {
        &self.settings.policy
    }

    /// The tool `bash` under this confinement; its commands cannot write `reserved`.
    pub fn bash(self: &Arc<Self>, reserved: Vec<PathBuf>, jobs: Arc<Jobs>) -> Bash {
        let seeing = Arc::clone(self);
        Bash::new(self.policy().clone())
            .hiding(self.hidden().clone())
            .protecting(reserved)
            .sharing(jobs)
            .seeing(Arc::new(move |writable: &[PathBuf]| Arc::clone(&seeing.view(writable).view)))
    }

    /// Puts another section in force and discards computed views.
    ///
    /// # Errors
    /// As [`ShellConfig::compile`]; then nothing changes.
    pub fn rebuild(&self, config: &ShellConfig) -> Result<(), KeyFault> {
        self.settings.policy.rebuild(config)?;
        self.settings.hidden.forget();
        self.views.forget();
        Ok(())
    }

    /// The view of commands that may write these folders.
    pub(crate) fn view(&self, writable: &[PathBuf]) -> Arc<ComputedView> {
        let shell = self.settings.policy.load();
        let typed = shell.read_places(&self.settings.workdir, home().as_deref());
        let further = self.settings.further.iter().filter(|(place, _)| !writable.contains(place)).cloned();
        self.seeing(&ViewSettings {
            writable: writable.to_vec(),
            further: typed.into_iter().chain(further).collect(),
            cache_limit: shell.cache_limit(),
        })
    }

    fn seeing(&self, wanted: &ViewSettings) -> Arc<ComputedView> {
        self.views.view(wanted, &|path| self.settings.rules.denies(path))
    }

    /// The files and folders that commands see when confined at this level.
    pub fn report(&self, level: Level) -> ViewReport {
        let made = self.view(&self.writable());
        made.view.report(level, &made.left_out)
    }

    /// Strength of the confinement of a command at present, as in the result of a call.
    ///
    /// # Errors
    /// The reason why no command would run.
    pub fn strength(&self) -> Result<Strength, String> {
        let masks = self.hidden().masks(&self.writable());
        let asked = self.confined(self.writable(), masks.paths);
        let joins = match asked.network {
            Network::Gate if self.settings.is_gated => NetworkNamespace::create().ok().map(Arc::new),
            _ => None,
        };
        let asked = Confinement { held: masks.obeyed.held(), absent: masks.obeyed.missing_hooks, joins, ..asked };
        Sandbox::compile(&asked).map(|sandbox| sandbox.strength().clone()).map_err(|error| error.to_string())
    }
}

impl ChildConfinement for CommandConfinement {
    fn writable(&self) -> Vec<PathBuf> {
        let (shell, home) = (self.settings.policy.load(), home());
        let home = home.as_deref().and_then(Path::to_str);
        let mut writable = shell.roots(&self.settings.workdir, home).unwrap_or_default();
        writable.extend(shell.shared_caches(&writable, home));
        writable
    }

    fn hidden(&self) -> &MaskRules {
        &self.settings.hidden
    }

    fn env_pass(&self) -> Vec<String> {
        self.settings.policy.load().config.env_pass.clone()
    }

    fn confined(&self, writable: Vec<PathBuf>, mut hidden: Vec<PathBuf>) -> Confinement {
        let view = Arc::clone(&self.view(&writable).view);
        hidden.extend(self.hidden().masks_read_only(&view.searched, &writable));
        let ask = self.settings.policy.load().confinement(writable, hidden, (self.settings.reserved)());
        let view = (ask.mode != SandboxMode::Off).then_some(view);
        Confinement { view, ..ask }
    }

    fn server(
        &self,
        writable: Vec<PathBuf>,
        protected: Vec<PathBuf>,
        further: Vec<(PathBuf, String)>,
        network: Network,
        joins: Option<Arc<NetworkNamespace>>,
    ) -> Result<Sandbox, String> {
        let wanted = ViewSettings { writable: writable.clone(), further, cache_limit: None };
        let view = Arc::clone(&self.seeing(&wanted).view);
        let masks = self.hidden().masks(&writable);
        if masks.incomplete {
            return Err("the folders that it may write are too large to be searched for secret files".to_owned());
        }
        let mut hidden = masks.paths;
        hidden.extend(self.hidden().masks_read_only(&view.searched, &writable));
        let ask = self.settings.policy.load().confinement(writable, hidden, (self.settings.reserved)());
        let view = (ask.mode != SandboxMode::Off).then_some(view);
        let (held, absent) = (masks.obeyed.held(), masks.obeyed.missing_hooks);
        let protected = [ask.protected, protected].concat();
        let ask = Confinement { protected, view, network, joins, held, absent, sockets: vec![], ..ask };
        Sandbox::compile(&ask).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_get_the_variables_of_the_section_in_force() {
        let section = |name: &str| ShellConfig { env_pass: vec![name.to_owned()], ..ShellConfig::default() };
        let commands = CommandConfinement::new(ConfinementSettings {
            workdir: PathBuf::from("/nowhere"),
            policy: ShellPolicyHandle::new(section("FIRST_TOKEN").compile().expect("it is valid")),
            rules: ReadRules::unrestricted(),
            hidden: MaskRules::nothing(),
            further: vec![],
            state: PathBuf::from("/nowhere"),
            reserved: Arc::new(Vec::new),
            is_gated: false,
        });
        assert_eq!(commands.env_pass(), ["FIRST_TOKEN"]);
        commands.rebuild(&section("OTHER_TOKEN")).expect("it is valid");
        assert_eq!(commands.env_pass(), ["OTHER_TOKEN"]);
    }
}
