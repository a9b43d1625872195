//! The single list of gates. Order, compilation, reload, `explain`, lint, the reference pages and
//! the listed tools all use it: a new gate is one more entry here.

use std::{borrow::Cow, path::Path, sync::Arc};

use tools_core::{CallContext, Explain, Invocation, KeyFault, Layer, Shared, Stack, ToolCall, ToolDef};

use super::{GateSettings, GateState};
use crate::Explanation;
use crate::adversarial::{AdversarialConfig, AdversarialGate};
use crate::anomaly::{AnomalyConfig, AnomalyGate};
use crate::caller_quota::{CallerQuotaConfig, CallerQuotaGate};
use crate::gate::{AnyGate, CompileContext, Gate, GateInfo, GateLayer, GatePosition, ReadRestriction};
use crate::grounding::GroundingGate;
use crate::permissions::{PermissionGate, PermissionsConfig, TestedExample};
use crate::placement::PlacementGate;
use crate::quota::QuotaGate;
use crate::rules::{AuthorizationConfig, PolicyConfig, PolicyGate};
use crate::trust::{TrustConfig, TrustGate};
use crate::utility::{UtilityConfig, UtilityGate};

/// The gates, outermost first.
pub const GATES: &[GateRow] = &[
    row::<QuotaGate>(|state| {
        let gate = QuotaGate::new(Arc::clone(&state.ledger));
        wired(gate, state.quota.clone(), |sections| &sections.max_tool_calls_per_session)
    }),
    row::<CallerQuotaGate>(|state| {
        let gate = CallerQuotaGate::new(Arc::clone(&state.callers));
        wired(gate, Shared::default(), |sections| sections.caller_quota)
    }),
    row::<UtilityGate>(|state| {
        wired(UtilityGate::new(Arc::clone(&state.history)), Shared::default(), |sections| sections.utility)
    }),
    row::<GroundingGate>(|state| {
        let gate = GroundingGate::new(Arc::clone(&state.texts));
        wired(gate, Shared::default(), |sections| &sections.hallucination_detection)
    }),
    row::<PolicyGate>(|_| wired(PolicyGate, Shared::default(), |sections| &sections.rules)),
    row::<AdversarialGate>(|state| {
        let gate = AdversarialGate::new(state.judge.clone(), state.secrets.clone(), Arc::clone(&state.texts));
        wired(gate, Shared::default(), |sections| sections.adversarial_policy)
    }),
    row::<TrustGate>(|state| {
        wired(TrustGate::new(Arc::clone(&state.health)), Shared::default(), |sections| sections.trust)
    }),
    row::<PlacementGate>(|state| wired(PlacementGate::new(state.secrets.clone()), Shared::default(), |_| &())),
    row::<PermissionGate>(|state| {
        wired(PermissionGate::new(Arc::clone(&state.rules)), Shared::default(), |sections| &sections.permissions)
    }),
    row::<AnomalyGate>(|state| {
        wired(AnomalyGate::new(Arc::clone(&state.health)), state.anomaly.clone(), |sections| sections.anomaly)
    }),
];

/// The sections that gates are compiled from.
#[derive(Debug)]
pub struct GateSections<'a> {
    /// `tools.max_tool_calls_per_session`.
    pub max_tool_calls_per_session: Option<u64>,
    /// `[tools.caller_quota]`.
    pub caller_quota: &'a CallerQuotaConfig,
    /// `[tools.utility]`.
    pub utility: &'a UtilityConfig,
    /// `agent.hallucination_detection`.
    pub hallucination_detection: bool,
    /// `[tools.policy]` and `[tools.authorization]`.
    pub rules: (PolicyConfig, AuthorizationConfig),
    /// `[tools.adversarial_policy]`.
    pub adversarial_policy: &'a AdversarialConfig,
    /// The reason why there is no model for it; empty if there is one.
    pub no_judge: String,
    /// `[tools.trust]`.
    pub trust: &'a TrustConfig,
    /// `[tools.permissions]`.
    pub permissions: Cow<'a, PermissionsConfig>,
    /// `[tools.anomaly]`.
    pub anomaly: &'a AnomalyConfig,
}

/// One gate of the list.
pub struct GateRow {
    /// Its description.
    pub about: GateInfo,
    wire: fn(&GateState) -> WiredGate,
}

/// A gate and the function that compiles its policy again.
struct WiredGate {
    gate: Arc<dyn AnyGate>,
    compile: Box<Compile>,
}

/// Whether a canonical path is closed.
type Denies = Arc<dyn Fn(&Path) -> bool + Send + Sync>;
/// Puts a compiled policy in force.
type Swap = Box<dyn FnOnce() + Send>;
type Compile = dyn Fn(&GateSections<'_>, &CompileContext<'_>) -> Result<Swap, KeyFault> + Send + Sync;

const fn row<G: Gate>(wire: fn(&GateState) -> WiredGate) -> GateRow {
    GateRow { about: G::ABOUT, wire }
}

/// Wires a gate whose policy is compiled from the configuration that `section` returns.
fn wired<G: Gate>(
    gate: G,
    policy: Shared<G::Policy>,
    section: for<'a> fn(&'a GateSections<'_>) -> &'a G::Config,
) -> WiredGate {
    let gate = Arc::new(GateLayer::new(gate, policy.clone()));
    let compile = move |sections: &GateSections<'_>, cx: &CompileContext<'_>| {
        let (policy, compiled) = (policy.clone(), G::compile(section(sections), cx)?);
        Ok(Box::new(move || policy.store(compiled)) as Swap)
    };
    WiredGate { gate, compile: Box::new(compile) }
}

/// The gates in the order of [`GATES`], and their memory.
pub struct Gates {
    /// Their memory.
    pub state: GateState,
    wired: Vec<WiredGate>,
}

impl Gates {
    /// Creates the gates under these sections, with empty memory.
    ///
    /// # Errors
    /// The first section that cannot be compiled.
    pub fn new(settings: GateSettings, sections: &GateSections<'_>) -> Result<Self, KeyFault> {
        let state = GateState::new(settings);
        let gates = Self { wired: GATES.iter().map(|row| (row.wire)(&state)).collect(), state };
        gates.compile(sections)?();
        Ok(gates)
    }

    /// Compiles other sections without changing anything. The returned function puts all of them in
    /// force; running calls keep their policies, and the gates keep their memory.
    ///
    /// # Errors
    /// The first section that cannot be compiled. A gate that asks a model cannot be switched on
    /// without one.
    pub fn compile(&self, sections: &GateSections<'_>) -> Result<impl FnOnce() + Send + use<>, KeyFault> {
        if sections.adversarial_policy.enabled && self.state.judge.is_none() {
            let problem = format!("a model judges calls, and {}", sections.no_judge);
            return Err(KeyFault::new("tools.adversarial_policy.enabled", problem));
        }
        let home = tools_sandbox::home();
        let cx = CompileContext { home: home.as_deref() };
        let compiled = self.wired.iter().map(|wired| (wired.compile)(sections, &cx)).collect::<Result<Vec<_>, _>>()?;
        Ok(move || compiled.into_iter().for_each(|swap| swap()))
    }

    /// The layers at one position, outermost first.
    pub fn layers(&self, position: GatePosition) -> impl Iterator<Item = Arc<dyn Layer>> {
        let here = self.all().filter(move |gate| gate.about().position == position);
        here.map(|gate| Arc::clone(gate) as Arc<dyn Layer>)
    }

    fn all(&self) -> impl Iterator<Item = &Arc<dyn AnyGate>> + Clone {
        self.wired.iter().map(|wired| &wired.gate)
    }

    /// The paths that gates do not let a tool read in calls from `workdir`.
    pub fn closes(&self, tool: &str, workdir: &Path) -> Vec<ReadRestriction> {
        self.all().filter_map(|gate| gate.closes(tool, workdir)).collect()
    }

    /// A predicate for the canonical paths that `tool` may not read in calls from `workdir`; `None`
    /// if it may read all.
    pub fn denies(&self, tool: &str, workdir: &Path) -> Option<Denies> {
        let closed = Some(self.closes(tool, workdir)).filter(|closed| !closed.is_empty())?;
        Some(Arc::new(move |path: &Path| closed.iter().any(|one| (one.denies)(path))))
    }

    /// The predicted decision about a call. Changes nothing that the gates remember.
    pub fn explain(&self, inv: &Invocation) -> Explanation {
        Explanation::of(self.all(), inv)
    }

    /// The predicted decision about a call, which is not run: no question is asked and nothing is
    /// recorded. Stored approvals are read again.
    pub async fn predict(&self, call: ToolCall, stack: &Stack, cx: &CallContext) -> Explanation {
        // A failed read has the same effect here as for calls.
        let _ = self.state.rules.refresh().await;
        self.explain(&stack.inspect(call, cx).await)
    }

    /// Tests every rule with its examples. Nothing runs.
    pub async fn tested(&self, rules: &PermissionsConfig, stack: &Stack, cx: &CallContext) -> Vec<TestedExample> {
        let definitions = stack.definitions();
        let mut tested = Vec::new();
        for example in rules.examples() {
            let decided = match example.call(&definitions) {
                Ok(call) => Ok(self.predict(call, stack, cx).await),
                Err(problem) => Err(problem),
            };
            tested.push(example.tested(decided));
        }
        tested
    }

    /// [`Self::predict`] as a function, for callers that ask before they act.
    pub fn explainer(self: &Arc<Self>) -> Explain {
        let gates = Arc::clone(self);
        Arc::new(move |inv| {
            let explained = gates.explain(inv);
            (explained.verdict, explained.decided_by)
        })
    }

    /// Warnings about configuration that does not do what it seems to do; `tools` are the existing
    /// tools.
    pub fn lint(&self, tools: &[Arc<ToolDef>]) -> Vec<String> {
        self.all().flat_map(|gate| gate.lint(tools)).collect()
    }
}

tools_core::partial_debug!(Gates { health: state.health });
