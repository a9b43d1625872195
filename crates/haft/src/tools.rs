//! The built-in tools: one set for each root folder of a toolbox or of one narrowed from it. To add
//! a crate with tools, add an entry in [`ToolSet::new`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tools_core::{CompositeExecutor, DynExecutor};
use tools_sandbox::ReadRules;

use crate::config::{LoadError, LoadedConfig};
use crate::part::PartList;
use crate::parts::Parts;

/// Policies of one set of tools. They follow the configuration for as long as a stack holds them.
#[derive(Debug)]
pub(crate) struct ToolSet {
    /// Roots of a narrower toolbox.
    pub(crate) roots: Option<Vec<PathBuf>>,
    #[cfg(feature = "shell")]
    pub(crate) commands: Arc<tools_shell::CommandConfinement>,
    #[cfg(feature = "scheduler")]
    pub(crate) predictor: Arc<tools_scheduler::CallPredictor>,
    pub(crate) parts: PartList,
}

impl ToolSet {
    /// Builds the tools of a configuration and its read rules, for calls from `workdir`, in the
    /// order in which a model sees them.
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
        shared: &Arc<Parts>,
        loaded: &LoadedConfig,
        workdir: &Path,
        roots: Option<Vec<PathBuf>>,
        rules: &ReadRules,
    ) -> Result<(Arc<Self>, DynExecutor), LoadError> {
        let (mut parts, mut tools) = (PartList::default(), Vec::new());
        #[cfg(not(any(feature = "shell", feature = "file")))]
        let _ = (rules, workdir);
        // Determined once for all tools of the set.
        #[cfg(any(feature = "shell", feature = "file"))]
        let (private, reserved) = (crate::config::own_places::private(&loaded.config), shared.reserved.now());
        #[cfg(feature = "shell")]
        let commands = crate::commands::confinement(shared, loaded, workdir, rules, &private, &mut parts)?;
        #[cfg(feature = "shell")]
        {
            let bash = commands.bash(reserved.clone(), Arc::clone(&shared.jobs));
            #[cfg(feature = "egress")]
            let bash = bash.with_network_gateway(Arc::clone(&shared.outlets) as _);
            tools.push(DynExecutor::new(bash.into_executor()));
        }
        #[cfg(feature = "file")]
        let files = {
            let (policy, made) =
                crate::files::tools(shared, loaded, workdir, rules, (&reserved, &private), &mut parts)?;
            tools.extend(made);
            policy
        };
        #[cfg(feature = "file")]
        let _ = &files;
        #[cfg(feature = "code")]
        if loaded.config.index.enabled {
            use tools_code::SearchCode;
            let policy = parts.live.policy(loaded, "index", |loaded| loaded.config.index.compile())?;
            let sources = tools_file::Survey::new(files.clone(), "search_code");
            let mut tool = SearchCode::new(policy, Arc::new(sources));
            if let Some(embedder) = &shared.embedder {
                let configured = tool.configured(&loaded.config.index, embedder);
                tool = configured.map_err(|fault| loaded.fault_in("index", fault))?;
            }
            #[cfg(feature = "shell")]
            let tool = tool.with_servers(tools_code::LaunchConfinement {
                children: Arc::clone(&commands) as _,
                // By shape only: known values would include a variable that the operator passes on.
                redactor: Arc::new(tools_secrets::SecretRedactor::default()),
            });
            tools.push(DynExecutor::new(tool.into_executor()));
        }
        #[cfg(feature = "diagnostics")]
        {
            let policy =
                parts.live.policy(loaded, "tools.diagnostics", |loaded| loaded.config.tools.diagnostics.compile())?;
            let tool = tools_diagnostics::Diagnostics::new(policy).held_by(Arc::clone(&commands) as _);
            let tool = tool.rooted(Arc::new(move |workdir: &Path| files.load().roots(workdir)));
            tools.push(DynExecutor::new(tool.into_executor()));
        }
        #[cfg(feature = "web")]
        {
            let policy = parts.live.policy(loaded, "tools.scrape", |loaded| loaded.config.tools.scrape.compile())?;
            // The gates that judged the call also judge where a redirect leads.
            let web = tools_web::Web::new(policy, Arc::clone(&shared.web));
            tools.extend(web.judged_by(shared.gates.explainer()).into_executors());
        }
        #[cfg(feature = "shell")]
        tools.extend(shared.jobs.executors());
        #[cfg(feature = "memory")]
        tools.extend(shared.memory.iter().cloned());
        #[cfg(all(feature = "scheduler", feature = "policy"))]
        let predictor = Arc::new(tools_scheduler::CallPredictor::explained_by(shared.gates.explainer()));
        #[cfg(all(feature = "scheduler", not(feature = "policy")))]
        let predictor = Arc::<tools_scheduler::CallPredictor>::default();
        #[cfg(feature = "scheduler")]
        if let Some(scheduler) = &shared.scheduler {
            tools.extend(scheduler.clone().with_predictor(Arc::clone(&predictor)).into_executors());
        }
        #[cfg(feature = "skills")]
        tools.extend(tools_skills::SkillTools::new(shared.skills.as_ref().clone()).into_executors());
        #[cfg(feature = "overflow")]
        tools.extend(shared.overflow.executor());
        let set = Self {
            roots,
            #[cfg(feature = "shell")]
            commands,
            #[cfg(feature = "scheduler")]
            predictor,
            parts,
        };
        Ok((Arc::new(set), DynExecutor::new(CompositeExecutor::new(tools))))
    }
}
