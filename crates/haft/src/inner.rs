//! What a toolbox consists of beyond its stack: kept to make narrower ones, and to follow the
//! configuration.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

#[cfg(feature = "mcp-client")]
use tools_core::ToolExecutor as _;
use tools_core::{CompositeExecutor, DynExecutor, InUse, Layer, ReadOnlyTools, Stack};
use tools_sandbox::ReadRules;

use crate::config::{HaftConfig, LoadError, LoadedConfig, ReloadState};
use crate::part::PartList;
use crate::parts::Parts;
use crate::tools::ToolSet;

/// What all toolboxes that were narrowed from one share.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) loaded: LoadedConfig,
    /// What the last reload put in place.
    pub(crate) running: Mutex<Arc<HaftConfig>>,
    pub(crate) parts: Arc<Parts>,
    /// Executors of the host's.
    pub(crate) executors: Vec<DynExecutor>,
    /// Made once for every stack.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    /// Those of them that judge and record.
    #[cfg(feature = "hosts")]
    pub(crate) judging: Vec<Arc<dyn Layer>>,
    /// What follows the configuration besides the tools. The gates come first: tools ask them.
    pub(crate) shared: PartList,
    pub(crate) sets: InUse<ToolSet>,
    /// What the last change of the configuration file came to; `None` until it changed.
    pub(crate) last_reload: Mutex<Option<ReloadState>>,
    /// Woken when other tools may be listed than before.
    pub(crate) relisted: Arc<tokio::sync::Notify>,
    /// All executors of each stack as one, to be asked for their tools again.
    pub(crate) joined: InUse<CompositeExecutor>,
}

impl Inner {
    /// The tools of a configuration and its read rules, then those of the host, behind the shared
    /// layers. Tools are kept in `roots`, where that is narrower than what the configuration says.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line; two tools of one name.
    pub(crate) fn stack(
        &self,
        loaded: &LoadedConfig,
        workdir: &Path,
        roots: Option<Vec<PathBuf>>,
        rules: &ReadRules,
    ) -> Result<(Arc<Stack>, Option<Arc<ToolSet>>), LoadError> {
        let (mut executors, mut set) = (Vec::new(), None);
        if loaded.config.tools.enabled {
            let (made, tools) = ToolSet::new(&self.parts, loaded, workdir, roots, rules)?;
            self.sets.keep(&made);
            executors.push(tools);
            set = Some(made);
        }
        executors.extend(self.executors.iter().cloned());
        if let Some(tool) = CompositeExecutor::name_twice(&executors) {
            return Err(LoadError::ToolTwice { tool });
        }
        // Behind all others: what a server calls its tools takes no name from anybody.
        #[cfg(feature = "mcp-client")]
        if let Some(set) = set.as_ref().filter(|_| !self.parts.servers.all().is_empty()) {
            let others = executors.iter().flat_map(|executor| executor.tool_definitions().to_vec());
            self.parts.servers.surround(others.map(|tool| tool.name.as_str().to_owned()));
            let launcher = crate::mcp_servers::launcher(&self.parts, &set.commands);
            let tools = tools_mcp_client::McpTools::new(Arc::clone(&self.parts.servers), launcher);
            // Calls are held to the pinned definitions.
            executors.push(DynExecutor::new(tools_catalog::Checked::new(DynExecutor::new(tools))));
        }
        if loaded.config.tools.read_only {
            executors = executors.into_iter().map(|executor| DynExecutor::new(ReadOnlyTools::new(executor))).collect();
        }
        #[cfg(feature = "graph")]
        self.parts.offering.of(&self.loaded, &mut executors)?;
        let joined = Arc::new(CompositeExecutor::new(executors));
        self.joined.keep(&joined);
        let stack = Stack::new(self.layers.clone(), joined);
        let stack = match &set {
            Some(set) => stack.holding(Arc::clone(set) as _),
            None => stack,
        };
        #[cfg(feature = "graph")]
        self.parts.offering.lists.publish(&stack.listed());
        #[cfg(feature = "skills")]
        let stack = {
            self.parts.skills.surround(stack.definitions().iter().map(|tool| tool.name.as_str().to_owned()));
            stack.with_stand_ins(Arc::clone(&self.parts.skills) as _)
        };
        let stack = Arc::new(stack);
        #[cfg(feature = "scheduler")]
        if let Some(set) = &set {
            set.foresight.look_at(&stack);
        }
        Ok((stack, set))
    }
}
