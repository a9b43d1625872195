//! The gates of a toolbox, and predictions of their decisions.

use std::{collections::BTreeSet, sync::Arc};

use tools_core::{CallContext, CallerId, DynExecutor, Judge, SystemClock, ToolCall, ToolExecutor as _, ToolName};
use tools_policy::{
    Explanation, GateSettings, Gates, caller_quota::MemoryAccounts, gate::GatePosition, permissions::TextDiff,
};

use crate::Toolbox;
use crate::config::{LoadError, named, places};
use crate::part::PartMaker;

/// Shows changes of a script in a question in the same format as the file tools.
#[cfg(feature = "file")]
const TEXT_DIFF: Option<TextDiff> = Some(tools_file::diff);
/// None: this build has no file tools.
#[cfg(not(feature = "file"))]
const TEXT_DIFF: Option<TextDiff> = None;

impl PartMaker<'_> {
    /// The gates, with empty state. They follow configuration changes. `hosts` are the executors
    /// with the host's own tools.
    pub(crate) fn gates(
        &mut self,
        judge: Option<Arc<dyn Judge>>,
        hosts: &[DynExecutor],
        guest: Option<CallerId>,
    ) -> Result<Arc<Gates>, LoadError> {
        let (loaded, config) = (self.loaded, &self.config.tools);
        let (approvals, quota) = (&config.approvals, &config.caller_quota);
        #[cfg(feature = "postgres")]
        let (approved, counted) = (
            tools_team::approvals::shared(approvals).map_err(|fault| loaded.fault_in("tools.approvals", fault))?,
            tools_team::quota::shared(quota).map_err(|fault| loaded.fault_in("tools.caller_quota", fault))?,
        );
        #[cfg(not(feature = "postgres"))]
        let (approved, counted, _) = (None, None, quota);
        let settings = GateSettings {
            rules: approvals.rules(&places::state_dir(), approved, TEXT_DIFF).of_caller(guest),
            approvals: approvals.clone(),
            callers: counted.unwrap_or_else(|| Arc::new(MemoryAccounts::new(Arc::new(SystemClock)))),
            judge,
            secrets: self.credentials.now(),
            resets: places::resets_dir(),
        };
        let hosts = hosts.iter().flat_map(|executor| executor.tool_definitions().to_vec());
        let hosts: BTreeSet<ToolName> = hosts.map(|tool| tool.name.clone()).collect();
        let gates = Gates::new(settings, &named(self.config, &hosts).gates());
        let gates = Arc::new(gates.map_err(|fault| loaded.fault(&fault.key, fault.problem))?);
        for place in [GatePosition::BeforeCall, GatePosition::AroundExecution] {
            self.list.layers.extend(gates.layers(place));
        }
        self.list.ends.register(&gates, |gates, session| gates.state.rules.end(session));
        let following = Arc::clone(&gates);
        self.list.live.follow(move |loaded| {
            let compiled = following.compile(&named(&loaded.config, &hosts).gates());
            compiled.map_err(|fault| loaded.fault(&fault.key, fault.problem))
        });
        Ok(gates)
    }
}

impl Toolbox {
    /// Predicts the decision about a call and names the rule behind it. The call is not run, no
    /// question is asked and nothing is recorded.
    pub async fn explain(&self, call: ToolCall, cx: &CallContext) -> Explanation {
        self.parts().gates.predict(call, &self.stack, cx).await
    }

    /// The judge of calls that another program runs. It uses the same gates and record as our own
    /// calls, and runs nothing.
    #[cfg(feature = "hosts")]
    pub fn hosted_calls(&self) -> tools_policy::HostedCalls {
        tools_policy::HostedCalls::new(self.inner.judging.clone(), Arc::clone(&self.stack))
    }
}
