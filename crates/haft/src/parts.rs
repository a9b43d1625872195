//! What a toolbox consists of beyond its stack: kept to make narrower ones, and to follow the
//! configuration.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

#[cfg(feature = "mcp-client")]
use tools_core::ToolExecutor as _;
use tools_core::{CompositeExecutor, DynExecutor, InUse, Layer, ReadOnlyTools, Stack};
use tools_sandbox::ReadRules;

use crate::{
    config::{HaftConfig, LoadError, LoadedConfig, ReloadState},
    part::PartList,
    tools::ToolSet,
    wiring::Wiring,
};

/// What all toolboxes that were narrowed from one share.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) loaded: LoadedConfig<HaftConfig>,
    pub(crate) wiring: Arc<Wiring>,
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

impl Parts {
    /// The tools of a configuration and its read rules, then those of the host, behind the shared
    /// layers. Tools are kept in `roots`, where that is narrower than what the configuration says.
    ///
    /// # Errors
    /// The first section that cannot be compiled, by key and line; two tools of one name.
    pub(crate) fn stack(
        &self,
        loaded: &LoadedConfig<HaftConfig>,
        workdir: &Path,
        roots: Option<Vec<PathBuf>>,
        rules: &ReadRules,
    ) -> Result<Arc<Stack>, LoadError> {
        let (mut executors, mut held) = (Vec::new(), None);
        #[cfg(feature = "mcp-client")]
        let mut servers = None;
        #[cfg(feature = "scheduler")]
        let mut foresight = None;
        if loaded.config.tools.enabled {
            let (set, tools) = ToolSet::new(&self.wiring, loaded, workdir, roots, rules)?;
            self.sets.keep(&set);
            executors.push(tools);
            held.replace(Arc::clone(&set));
            #[cfg(feature = "scheduler")]
            foresight.replace(Arc::clone(&set.foresight));
            #[cfg(feature = "mcp-client")]
            if !self.wiring.servers.all().is_empty() {
                servers = Some(crate::mcp_servers::executor(&self.wiring, &set.commands));
            }
        }
        executors.extend(self.executors.iter().cloned());
        if let Some(tool) = CompositeExecutor::name_twice(&executors) {
            return Err(LoadError::ToolTwice { tool });
        }
        // Behind all others: what a server calls its tools takes no name from anybody.
        #[cfg(feature = "mcp-client")]
        if let Some(servers) = servers {
            let others = executors.iter().flat_map(|executor| executor.tool_definitions().to_vec());
            self.wiring.servers.surround(others.map(|tool| tool.name.as_str().to_owned()));
            executors.push(servers);
        }
        if loaded.config.tools.read_only {
            executors = executors.into_iter().map(|executor| DynExecutor::new(ReadOnlyTools::new(executor))).collect();
        }
        #[cfg(feature = "graph")]
        self.wiring.offering.of(&self.loaded, &mut executors)?;
        let joined = Arc::new(CompositeExecutor::new(executors));
        self.joined.keep(&joined);
        let stack = Stack::new(self.layers.clone(), joined);
        let stack = match held {
            Some(set) => stack.holding(set),
            None => stack,
        };
        #[cfg(feature = "graph")]
        self.wiring.offering.lists.publish(&stack.listed());
        #[cfg(feature = "skills")]
        self.wiring.skills.surround(stack.definitions().iter().map(|tool| tool.name.as_str().to_owned()));
        #[cfg(feature = "skills")]
        let stack = stack.with_stand_ins(Arc::clone(&self.wiring.skills) as _);
        let stack = Arc::new(stack);
        #[cfg(feature = "scheduler")]
        if let Some(foresight) = foresight {
            foresight.look_at(&stack);
        }
        Ok(stack)
    }

    /// Publishes what MCP servers list now, where that is something else than before. Called
    /// between turns.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn relist(&self) {
        if self.wiring.servers.settle() {
            self.refresh();
        }
    }

    /// Has all stacks ask their executors for their tools again.
    #[cfg(feature = "mcp-client")]
    pub(crate) fn refresh(&self) {
        self.joined.all().iter().for_each(|joined| joined.refresh());
    }

    /// The layers around no tools at all: for a session whose workspace is empty.
    pub(crate) fn closed(&self) -> Arc<Stack> {
        Arc::new(Stack::new(self.layers.clone(), CompositeExecutor::new([])))
    }
}
