//! Defines a gate as one value with its name, sections, compilation, decision and position. A list
//! of gates is enough to order, compile, swap, explain, check and document them; [`GateLayer`]
//! makes a layer of each.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use tools_core::{
    ConfirmPrompt, Invocation, KeyFault, Layer, LayerInfo, Next, Outcome, Shared, ToolDef, ToolError, TrustLevel,
    Verdict, keys,
};

/// Description of a gate, available without creating the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateInfo {
    /// Its permanent snake_case name, used for the layer, in the record and in `haft layers`.
    pub name: &'static str,
    /// The configuration keys that it is compiled from.
    pub sections: &'static [&'static str],
    /// When a change of those keys takes effect.
    pub applies: Applies,
    /// Its position.
    pub position: GatePosition,
    /// The categories and codes of its refusals; empty if it refuses nothing.
    pub refuses_with: &'static [&'static str],
    /// Reason of the position.
    pub why_here: &'static str,
}

impl GateInfo {
    /// Its row in a list of layers.
    pub fn layer(&self) -> LayerInfo {
        LayerInfo { name: self.name, owner: "tools-policy", refuses_with: self.refuses_with, why: self.why_here }
    }
}

/// When a changed configuration takes effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// At the next call.
    Reload,
    /// At the next start of the program.
    NextStart,
}

/// Position of a gate relative to the layers that store, filter and serve results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GatePosition {
    /// Before anything is done for a call.
    BeforeCall,
    /// Around the execution itself.
    AroundExecution,
}

/// Further input for compiling a section.
#[derive(Debug, Clone, Copy, Default)]
pub struct CompileContext<'a> {
    /// The folder for `~` in patterns.
    pub home: Option<&'a Path>,
}

/// Decision of a gate about a call.
#[derive(Debug, Clone, Default)]
pub struct Ruling {
    /// Its verdict; `None` if it has none, and then nothing is recorded.
    pub verdict: Option<Verdict>,
    /// The refusal of a call that does not pass. Without a verdict, the call could not be judged.
    pub refusal: Option<ToolError>,
    /// The rule or default that decided, in the words of the configuration.
    pub decided_by: String,
    /// Whether a rule decided, which the record then names.
    pub is_rule: bool,
    /// The reason of the approval in the record.
    pub approved_by: Option<&'static str>,
    /// The gate on whose behalf this one decides; `None` if it decides for itself.
    pub on_behalf_of: Option<&'static str>,
    /// Whether it answers the tool's own wish for a person, by a rule that names this very call.
    pub answers_tool: bool,
    /// Trust of the call for inner layers, if it is lower than before.
    pub trust: Option<TrustLevel>,
}

impl Ruling {
    /// Creates a ruling without a verdict.
    pub fn none() -> Self {
        Self::default()
    }

    /// The call may run.
    pub fn allow(decided_by: impl Into<String>) -> Self {
        Self { verdict: Some(Verdict::Allow), decided_by: decided_by.into(), ..Self::default() }
    }

    /// A person has to approve; `refusal` carries the question.
    pub fn ask(decided_by: impl Into<String>, refusal: ToolError) -> Self {
        Self { verdict: Some(Verdict::Ask), refusal: Some(refusal), decided_by: decided_by.into(), ..Self::default() }
    }

    /// The call does not run.
    pub fn deny(decided_by: impl Into<String>, refusal: ToolError) -> Self {
        Self { verdict: Some(Verdict::Deny), refusal: Some(refusal), decided_by: decided_by.into(), ..Self::default() }
    }

    /// The call cannot be judged; `error` is the failure of its inspection.
    pub(crate) fn unreadable(error: ToolError) -> Self {
        Self { refusal: Some(error), ..Self::default() }
    }
}

/// A check that may refuse a call. Called by [`GateLayer`] for calls, and by `explain`, which stops
/// after [`Gate::decide`].
pub trait Gate: Send + Sync + Sized + 'static {
    /// Its part of the configuration.
    type Config;
    /// The compiled configuration. The default lets every call pass.
    type Policy: Default + Send + Sync + 'static;
    /// State held while the call runs, and dropped with it.
    type Held: Default + Send;

    /// Name, position and reasons.
    const ABOUT: GateInfo;

    /// Compiles its part of the configuration.
    ///
    /// # Errors
    /// The first invalid key.
    fn compile(config: &Self::Config, cx: &CompileContext<'_>) -> Result<Self::Policy, KeyFault>;

    /// Reloads state that others may change. Called before [`Gate::decide`].
    fn prepare(&self, inv: &Invocation) -> impl Future<Output = ()> + Send {
        let _ = inv;
        std::future::ready(())
    }

    /// The ruling about a call from present knowledge. It changes nothing, does not wait and asks
    /// nobody: a gate that asks a model returns [`Verdict::Ask`] here.
    fn decide(&self, policy: &Arc<Self::Policy>, inv: &Invocation) -> Ruling;

    /// Acts on the decision: charges an account, asks a model, takes the right to probe. The
    /// returned ruling decides.
    fn settle(
        &self,
        policy: &Arc<Self::Policy>,
        ruling: Ruling,
        inv: &Invocation,
        is_confirmed: bool,
    ) -> impl Future<Output = (Ruling, Self::Held)> + Send {
        let _ = (policy, inv, is_confirmed);
        std::future::ready((ruling, Self::Held::default()))
    }

    /// Records how a call ended that this gate let through.
    fn ended(
        &self,
        policy: &Arc<Self::Policy>,
        held: Self::Held,
        inv: &Invocation,
        is_confirmed: bool,
        outcome: &Outcome,
    ) {
        let _ = (policy, held, inv, is_confirmed, outcome);
    }

    /// The parts of the call as this gate judges them; `None` for gates that judge it as a whole.
    fn describe(&self, policy: &Arc<Self::Policy>, inv: &Invocation) -> Option<ConfirmPrompt> {
        let _ = (policy, inv);
        None
    }

    /// Whether every call of a tool is refused, so that a model need not see the tool.
    fn hides(policy: &Self::Policy, tool: &str) -> bool {
        let _ = (policy, tool);
        false
    }

    /// The paths that `tool` may not read in any call from `workdir`: searches leave them out and
    /// commands cannot open them. `None` if there are none.
    fn closes(policy: &Arc<Self::Policy>, tool: &str, workdir: &Path) -> Option<ReadRestriction> {
        let _ = (policy, tool, workdir);
        None
    }

    /// Warnings about configuration that does not do what it seems to do; `tools` are the existing
    /// tools.
    fn lint(&self, policy: &Arc<Self::Policy>, tools: &[Arc<ToolDef>]) -> Vec<String> {
        let _ = (policy, tools);
        vec![]
    }
}

/// A gate of any type, as an item of a list of gates.
pub trait AnyGate: Layer {
    /// Its description.
    fn about(&self) -> &'static GateInfo;

    /// The ruling about a call; see [`Gate::decide`].
    fn decide(&self, inv: &Invocation) -> Ruling;

    /// The parts of the call; see [`Gate::describe`].
    fn describe(&self, inv: &Invocation) -> Option<ConfirmPrompt>;

    /// Warnings about configuration; see [`Gate::lint`].
    fn lint(&self, tools: &[Arc<ToolDef>]) -> Vec<String>;

    /// The paths that a tool may not read; see [`Gate::closes`].
    fn closes(&self, tool: &str, workdir: &Path) -> Option<ReadRestriction>;
}

/// Paths that a gate closes to a tool.
pub struct ReadRestriction {
    /// Whether a canonical path is closed.
    pub denies: Box<dyn Fn(&Path) -> bool + Send + Sync>,
    /// The closed places outside of any workspace that rules name without a wildcard.
    pub places: Vec<PathBuf>,
}

tools_core::partial_debug!(ReadRestriction { places });

/// A gate as a layer, with a policy that may be swapped.
#[derive(Debug)]
pub struct GateLayer<G: Gate> {
    gate: G,
    policy: Shared<G::Policy>,
}

impl<G: Gate> GateLayer<G> {
    /// Creates the layer of a gate under a policy.
    pub fn new(gate: G, policy: Shared<G::Policy>) -> Self {
        Self { gate, policy }
    }
}

#[async_trait]
impl<G: Gate> Layer for GateLayer<G> {
    fn name(&self) -> &'static str {
        G::ABOUT.name
    }

    fn hides(&self, tool: &str) -> bool {
        G::hides(&self.policy.load(), tool)
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let policy = self.policy.load();
        let is_confirmed = next.approval().is_some();
        self.gate.prepare(inv).await;
        let ruling = self.gate.decide(&policy, inv);
        let (ruling, held) = self.gate.settle(&policy, ruling, inv, is_confirmed).await;
        let (trust, next) = (ruling.trust, if ruling.answers_tool { next.answered() } else { next });
        if let Err(error) = enter::<G>(ruling, inv, is_confirmed) {
            return Err(with_predicted_changes(error, inv).await);
        }
        let outcome = match trust {
            Some(level) => next.run(&inv.in_context(inv.context.clone().capped(level))).await,
            None => next.run(inv).await,
        };
        self.gate.ended(&policy, held, inv, is_confirmed, &outcome);
        outcome
    }
}

/// Records the ruling and refuses a call that does not pass.
fn enter<G: Gate>(ruling: Ruling, inv: &Invocation, is_confirmed: bool) -> Result<(), ToolError> {
    let journal = inv.context.journal();
    let Some(verdict) = ruling.verdict else { return ruling.refusal.map_or(Ok(()), Err) };
    journal.gate(G::ABOUT.name, verdict);
    if ruling.is_rule {
        journal.note(keys::POLICY_MATCH, ruling.decided_by);
    }
    match (verdict, ruling.refusal) {
        (Verdict::Allow, _) => {
            if let Some(why) = ruling.approved_by {
                journal.note(keys::APPROVED_BY, why);
            }
            Ok(())
        }
        (Verdict::Ask, Some(_)) if is_confirmed => {
            journal.note(keys::APPROVED_BY, "person");
            Ok(())
        }
        (_, Some(refusal)) => Err(refusal),
        (_, None) => Err(unsettled(G::ABOUT.name, inv)),
    }
}

/// Adds a preview of the changes to the question of a refusal. The preview is computed only here,
/// when a person is to be asked.
async fn with_predicted_changes(error: ToolError, inv: &Invocation) -> ToolError {
    match (error.prompt(), inv.inspection()) {
        (Some(prompt), Ok(inspection)) => {
            let prompt = prompt.clone().with_predicted_changes(inspection).await;
            error.with_prompt(prompt)
        }
        _ => error,
    }
}

/// The refusal for a gate that neither lets a call through nor gives a reason.
fn unsettled(gate: &str, inv: &Invocation) -> ToolError {
    let message = format!("the gate `{gate}` came to no decision about `{}`", inv.call.tool);
    ToolError::new(tools_core::ToolErrorCategory::PolicyBlocked, "gate_undecided", message)
}

impl<G: Gate> AnyGate for GateLayer<G> {
    fn about(&self) -> &'static GateInfo {
        const { &G::ABOUT }
    }

    fn decide(&self, inv: &Invocation) -> Ruling {
        self.gate.decide(&self.policy.load(), inv)
    }

    fn describe(&self, inv: &Invocation) -> Option<ConfirmPrompt> {
        self.gate.describe(&self.policy.load(), inv)
    }

    fn lint(&self, tools: &[Arc<ToolDef>]) -> Vec<String> {
        self.gate.lint(&self.policy.load(), tools)
    }

    fn closes(&self, tool: &str, workdir: &Path) -> Option<ReadRestriction> {
        G::closes(&self.policy.load(), tool, workdir)
    }
}
