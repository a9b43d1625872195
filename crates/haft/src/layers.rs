//! Parts of a toolbox that wrap calls as layers.

use std::sync::Arc;

use tools_core::{OptionalBoard, ServerName, Shared};
use tools_secrets::{LiveSecrets, SecretRedactor};

#[cfg(any(feature = "audit", feature = "checkpoint", feature = "skills"))]
use crate::config::places::state_dir;
use crate::config::{LoadError, LoadedConfig};
use crate::part::{PartList, PartMaker};

pub(crate) const SECURITY: &str = "tools.filters.security";

/// Redacts credentials in what models, people and the record see. Placeholders name this server if
/// it is one of several.
pub(crate) fn credentials(
    loaded: &LoadedConfig,
    server: Option<ServerName>,
    parts: &mut PartList,
) -> Result<Arc<LiveSecrets>, LoadError> {
    let live = LiveSecrets::new(&loaded.config.security(), server, board);
    let live = Arc::new(live.map_err(|error| loaded.fault_in(SECURITY, error.fault()))?);
    parts.layers.extend([live.announce(), live.layer()]);
    parts.ends.register(&live, |live, session| live.now().forget(session));
    let following = Arc::clone(&live);
    parts.live.follow(move |loaded| {
        let compiled = following.compile(&loaded.config.security());
        compiled.map_err(|error| loaded.fault_in(SECURITY, error.fault()))
    });
    Ok(live)
}

/// Shows running calls to people, with credentials redacted.
pub(crate) fn board(redactor: &Shared<SecretRedactor>) -> OptionalBoard {
    let _ = redactor;
    #[cfg(feature = "approvals")]
    return OptionalBoard::new(Arc::new(tools_approvals::Activities::new(
        crate::config::places::watch_dir(),
        Arc::new(redactor.clone()),
    )));
    #[cfg(not(feature = "approvals"))]
    OptionalBoard::default()
}

impl PartMaker<'_> {
    /// The record of calls; `None` if calls are not recorded. Each line contains `digest`, the
    /// digest of the rules in force.
    #[cfg(feature = "audit")]
    pub(crate) fn record(&mut self, digest: &Shared<String>) -> Result<Option<tools_audit::Record>, LoadError> {
        let config = &self.config.tools.audit;
        if !config.enabled {
            return Ok(None);
        }
        let open = || {
            #[cfg(feature = "postgres")]
            let shared = tools_team::audit::shared(config)?;
            #[cfg(not(feature = "postgres"))]
            let shared = None;
            config.open(&state_dir(), shared, self.redactor(), digest.clone())
        };
        let record = open().map_err(|fault| self.loaded.fault_in("tools.audit", fault))?;
        self.list.layers.extend(record.layers());
        Ok(Some(record))
    }

    /// Retries failed calls.
    #[cfg(feature = "retry")]
    pub(crate) fn retry(&mut self) -> Result<(), LoadError> {
        let policy = self.list.live.policy(self.loaded, "tools.retry", |loaded| loaded.config.tools.retry.compile())?;
        self.list.layers.push(Arc::new(tools_retry::RetryLayer::new(policy)));
        Ok(())
    }

    /// Rules that filter the output of commands.
    #[cfg(feature = "filter")]
    pub(crate) fn filters(&mut self) -> Arc<tools_filter::LiveFilters> {
        use tools_filter::LiveFilters;
        let beside = self.beside.map(std::path::Path::to_owned);
        let filters = Arc::new(LiveFilters::new(&self.config.tools.filters, beside, tools_sandbox::home));
        self.list.layers.push(Arc::new(filters.layer()));
        self.list.live.follow_section(&filters, |loaded| &loaded.config.tools.filters, LiveFilters::follow);
        filters
    }

    /// Cache of results. Cached results were filtered and judged under the configuration at that
    /// time.
    #[cfg(feature = "cache")]
    pub(crate) fn cache(&mut self) -> Arc<tools_cache::LiveCache> {
        let cache = Arc::new(tools_cache::LiveCache::new(&self.config.tools.result_cache));
        self.list.layers.push(cache.layer());
        self.list.ends.register(&cache, |cache, session| cache.results().forget(session));
        let kept = Arc::new((Arc::clone(&cache), Shared::new(self.config.tools.clone())));
        self.list.live.follow_section(
            &kept,
            |loaded| &loaded.config.tools,
            |(cache, tools), new| {
                if *tools.load() != *new {
                    cache.begin_anew(&new.result_cache);
                    tools.store(new.clone());
                }
            },
        );
        cache
    }

    /// The store of long output and its layer. Lines that report a failure are shown wherever they
    /// are in the output.
    #[cfg(feature = "overflow")]
    pub(crate) fn overflow(&mut self) -> Result<Arc<tools_overflow::LiveOverflow>, LoadError> {
        use tools_overflow::LiveOverflow;
        #[cfg(feature = "filter")]
        let pin = tools_filter::failing_lines;
        #[cfg(not(feature = "filter"))]
        let pin = |_: &str| Vec::new();
        let archive = crate::overflow_archive(self.loaded)?;
        let overflow = Arc::new(LiveOverflow::new(&self.config.tools.overflow, archive, pin));
        self.list.layers.push(overflow.layer());
        self.list.live.follow_section(&overflow, |loaded| &loaded.config.tools.overflow, LiveOverflow::follow);
        Ok(overflow)
    }

    /// Stores the changes of calls, for the folders that calls may change; `None` if changes are
    /// not stored.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn checkpoints(&mut self) -> Option<Arc<tools_checkpoint::Checkpoints>> {
        use crate::config::paths::{of_commands, of_files};
        let (config, workdir) = (self.config, self.workdir);
        if !crate::config::own_places::keeps_changes(config) {
            return None;
        }
        // If no folders are named, a call may change the folder it comes from.
        let named = |folders: Vec<std::path::PathBuf>| {
            let is_named = !matches!(folders.as_slice(), [only] if only == workdir);
            folders.into_iter().filter(|_| is_named).filter_map(|folder| folder.canonicalize().ok()).collect()
        };
        let mut canonical = tools_sandbox::kernel::Canonical::default();
        let coverage = tools_checkpoint::Coverage {
            workspace: canonical.of(workdir).unwrap_or_else(|| workdir.to_owned()),
            roots: named(of_commands(config, workdir)),
            others: named(of_files(config, workdir)),
            closed: self.rules.clone(),
        };
        let section = &config.tools.checkpoints;
        let folder = section.folder(&state_dir(), &mut canonical);
        let checkpoints = Arc::new(tools_checkpoint::Checkpoints::new(section, folder, coverage));
        self.list.layers.push(Arc::clone(&checkpoints) as _);
        Some(checkpoints)
    }

    /// The skills of the workspace, and the layer that restricts sessions to an active skill's
    /// tools; none if skills are disabled.
    #[cfg(feature = "skills")]
    pub(crate) fn skills(&mut self) -> Arc<tools_skills::Skills> {
        use tools_skills::{Pins, Skills, SkillsLayer};
        // Tools that remain available whatever skill is active: those that load skills, and those
        // that continue or end what an allowed call began.
        let free = ["load_skill", "invoke_skill", "read_overflow", "job_read", "job_kill"];
        let free = free.iter().filter_map(|name| tools_core::ToolName::parse(name).ok());
        let config = &self.config.skills;
        let places = if config.enabled { config.places(self.workdir) } else { vec![] };
        let pins = Pins::of_user(&state_dir());
        let skills = Arc::new(Skills::find(&places, config.clone(), pins, self.redactor()));
        self.list.layers.push(Arc::new(SkillsLayer::new(skills.as_ref().clone(), free)));
        self.list.ends.register(&skills, Skills::forget);
        skills
    }
}
