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
    part::Part,
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
    pub(crate) foresight: Arc<crate::scheduler::StackForesight>,
    pub(crate) parts: Vec<Arc<dyn Part>>,
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
        let (mut parts, mut tools) = (Vec::<Arc<dyn Part>>::new(), Vec::new());
        #[cfg(not(any(feature = "shell", feature = "file")))]
        let _ = rules;
        // Looked at once for all tools of the set.
        #[cfg(any(feature = "shell", feature = "file"))]
        let (private, reserved) = (crate::reserved::private(&loaded.config), wiring.reserved.now());
        #[cfg(feature = "shell")]
        let commands = Arc::new(crate::commands::Commands::new(wiring, loaded, workdir, rules, &private)?);
        #[cfg(feature = "shell")]
        {
            tools.push(commands.bash(&reserved));
            parts.push(Arc::clone(&commands) as Arc<dyn Part>);
        }
        #[cfg(feature = "file")]
        let files = Arc::new(crate::files::Files::new(wiring, loaded, workdir, rules, (&reserved, &private))?);
        #[cfg(feature = "file")]
        {
            tools.extend(files.executors());
            parts.push(Arc::clone(&files) as Arc<dyn Part>);
        }
        #[cfg(feature = "code")]
        if loaded.config.index.enabled {
            let code = crate::live::Live::new(loaded, "index", |config| config.index.compile())?;
            let tool = crate::code::tool(code.policy(), loaded, &files, wiring.embedder.as_ref())?;
            #[cfg(feature = "shell")]
            let tool = tool.with_servers(crate::code::held(&reserved, &loaded.config, &commands.held));
            tools.push(DynExecutor::new(tool.into_executor()));
            parts.push(code);
        }
        #[cfg(feature = "diagnostics")]
        {
            let checks =
                crate::live::Live::new(loaded, "tools.diagnostics", |config| config.tools.diagnostics.compile())?;
            let (policy, config) = (checks.policy(), &loaded.config);
            tools.push(crate::diagnostics::executor(policy, &reserved, config, &files, &commands.held));
            parts.push(checks);
        }
        #[cfg(feature = "web")]
        {
            let pages = crate::live::Live::new(loaded, "tools.scrape", |config| config.tools.scrape.compile())?;
            tools.extend(crate::web::executors(pages.policy(), wiring));
            parts.push(pages);
        }
        #[cfg(feature = "shell")]
        tools.extend(commands.jobs());
        #[cfg(feature = "memory")]
        tools.extend(wiring.memory.iter().flat_map(|memory| memory.executors()));
        #[cfg(feature = "scheduler")]
        let foresight = Arc::new(crate::scheduler::StackForesight::default());
        #[cfg(feature = "scheduler")]
        tools.extend(wiring.scheduler.iter().flat_map(|scheduler| scheduler.executors(&foresight)));
        #[cfg(feature = "skills")]
        tools.extend(tools_skills::SkillTools::new(wiring.skills.clone()).into_executors());
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
