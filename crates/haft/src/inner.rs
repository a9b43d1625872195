//! Parts of a toolbox besides its stack, needed to make narrower ones and to follow configuration
//! changes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

#[cfg(feature = "mcp-client")]
use tools_core::ToolExecutor as _;
use tools_core::{CompositeExecutor, DynExecutor, Layer, ReadOnlyTools, Stack, WeakList};
use tools_sandbox::ReadRules;

use crate::config::{HaftConfig, LoadError, LoadedConfig, ReloadState};
use crate::part::PartList;
use crate::parts::Parts;
use crate::tools::ToolSet;

/// State shared by a toolbox and all toolboxes narrowed from it.
#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) loaded: LoadedConfig,
    /// Configuration that the last reload put in force.
    pub(crate) running: Mutex<Arc<HaftConfig>>,
    pub(crate) parts: Arc<Parts>,
    /// Executors of the host.
    pub(crate) executors: Vec<DynExecutor>,
    /// Layers, created once for all stacks.
    pub(crate) layers: Vec<Arc<dyn Layer>>,
    /// The layers that judge and record calls.
    #[cfg(feature = "hosts")]
    pub(crate) judging: Vec<Arc<dyn Layer>>,
    /// Parts besides the tools that follow the configuration. The gates come first, because the
    /// tools ask them.
    pub(crate) shared: PartList,
    pub(crate) sets: WeakList<ToolSet>,
    /// Result of the last change of the configuration file; `None` until it changes.
    pub(crate) last_reload: Mutex<Option<ReloadState>>,
    /// Notified when the list of tools may have changed.
    pub(crate) relisted: Arc<tokio::sync::Notify>,
    /// Combined executor of each stack, to be asked for its tools again.
    pub(crate) joined: WeakList<CompositeExecutor>,
}

impl Inner {
    /// Builds a stack: the tools of a configuration and its read rules, then those of the host,
    /// behind the shared layers. `roots` confines the tools if it is narrower than the
    /// configuration.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line; two tools with the same name.
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
        // MCP servers come last, so that their tools cannot take a name from another executor.
        #[cfg(feature = "mcp-client")]
        if let Some(set) = set.as_ref().filter(|_| !self.parts.servers.all().is_empty()) {
            let others = executors.iter().flat_map(|executor| executor.tool_definitions().to_vec());
            self.parts.servers.reserve_names(others.map(|tool| tool.name.as_str().to_owned()));
            let launcher = crate::mcp_servers::launcher(&self.parts, &set.commands);
            let tools = tools_mcp_client::McpTools::new(Arc::clone(&self.parts.servers), launcher);
            // Calls are checked against the pinned definitions.
            executors.push(DynExecutor::new(tools_catalog::CheckedExecutor::new(DynExecutor::new(tools))));
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
            self.parts.skills.reserve_names(stack.definitions().iter().map(|tool| tool.name.as_str().to_owned()));
            stack.with_stand_ins(Arc::clone(&self.parts.skills) as _)
        };
        let stack = Arc::new(stack);
        #[cfg(feature = "scheduler")]
        if let Some(set) = &set {
            set.predictor.look_at(&stack);
        }
        Ok((stack, set))
    }
}
