//! The built-in tools: one set for each folder that a toolbox, or one narrowed from it, is kept in.
//! Another crate with tools is one more entry in [`ToolSet::new`].

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use tools_core::{CompositeExecutor, DynExecutor};
use tools_sandbox::ReadRules;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig},
    part::PartList,
    wiring::Wiring,
};

/// The policies of one set of tools. They are kept in step with the configuration for as long as a
/// stack holds them.
#[derive(Debug)]
pub(crate) struct ToolSet {
    #[cfg(feature = "shell")]
    pub(crate) workdir: PathBuf,
    /// What a narrower toolbox is kept in.
    pub(crate) roots: Option<Vec<PathBuf>>,
    #[cfg(feature = "shell")]
    pub(crate) commands: Arc<crate::commands::Commands>,
    #[cfg(feature = "scheduler")]
    pub(crate) foresight: Arc<tools_scheduler::StackForesight>,
    pub(crate) parts: PartList,
}

impl ToolSet {
    /// The tools of a configuration and its read rules, for calls from `workdir`, in the order in
    /// which a model sees them.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line.
    #[cfg_attr(
        not(any(feature = "shell", feature = "file", feature = "web")),
        expect(
            unused_variables,
            unused_mut,
            clippy::unnecessary_wraps,
            reason = "a build without tools compiles no policy"
        )
    )]
    pub(crate) fn new(
        wiring: &Arc<Wiring>,
        loaded: &LoadedConfig<HaftConfig>,
        workdir: &Path,
        roots: Option<Vec<PathBuf>>,
        rules: &ReadRules,
    ) -> Result<(Arc<Self>, DynExecutor), LoadError> {
        let (mut parts, mut tools) = (PartList::default(), Vec::new());
        #[cfg(not(any(feature = "shell", feature = "file")))]
        let _ = (rules, workdir);
        // Looked at once for all tools of the set.
        #[cfg(any(feature = "shell", feature = "file"))]
        let (private, reserved) = (crate::own_places::private(&loaded.config), wiring.reserved.now());
        #[cfg(feature = "shell")]
        let commands = Arc::new(crate::commands::Commands::new(wiring, loaded, workdir, rules, &private)?);
        #[cfg(feature = "shell")]
        {
            tools.push(commands.bash(&reserved));
            commands.kept_in_step(&mut parts);
        }
        #[cfg(feature = "file")]
        let files = Arc::new(crate::files::Files::new(wiring, loaded, workdir, rules, (&reserved, &private))?);
        #[cfg(feature = "file")]
        {
            tools.extend(files.executors());
            files.kept_in_step(&mut parts);
        }
        #[cfg(feature = "code")]
        if loaded.config.index.enabled {
            let policy = parts.policy(loaded, "index", |loaded| loaded.config.index.compile())?;
            let tool = crate::code::tool(policy, loaded, &files, wiring.embedder.as_ref())?;
            #[cfg(feature = "shell")]
            let tool = tool.with_servers(crate::code::held(&reserved, &loaded.config, &commands.held));
            tools.push(DynExecutor::new(tool.into_executor()));
        }
        #[cfg(feature = "diagnostics")]
        {
            let policy =
                parts.policy(loaded, "tools.diagnostics", |loaded| loaded.config.tools.diagnostics.compile())?;
            tools.push(crate::diagnostics::executor(policy, &reserved, &loaded.config, &files, &commands.held));
        }
        #[cfg(feature = "web")]
        {
            let policy = parts.policy(loaded, "tools.scrape", |loaded| loaded.config.tools.scrape.compile())?;
            // Where a redirect leads is asked of the same gates as the call was.
            let web = tools_web::Web::new(policy, Arc::clone(&wiring.web));
            tools.extend(web.judged_by(wiring.gates.explainer()).into_executors());
        }
        #[cfg(feature = "shell")]
        tools.extend(commands.jobs());
        #[cfg(feature = "memory")]
        tools.extend(wiring.memory.iter().cloned());
        #[cfg(feature = "scheduler")]
        let foresight = crate::scheduler::foresight(wiring);
        #[cfg(feature = "scheduler")]
        if let Some(scheduler) = &wiring.scheduler {
            tools.extend(scheduler.clone().foreseeing(Arc::clone(&foresight) as _).into_executors());
        }
        #[cfg(feature = "skills")]
        tools.extend(tools_skills::SkillTools::new(wiring.skills.as_ref().clone()).into_executors());
        #[cfg(feature = "overflow")]
        tools.extend(wiring.overflow.executor());
        let set = Arc::new(Self {
            #[cfg(feature = "shell")]
            workdir: workdir.to_owned(),
            roots,
            #[cfg(feature = "shell")]
            commands,
            #[cfg(feature = "scheduler")]
            foresight,
            parts,
        });
        Ok((set, DynExecutor::new(CompositeExecutor::new(tools))))
    }
}
