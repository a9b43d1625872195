//! The dispatcher: an ordered list of layers around one executor.

use std::{any::Any, collections::HashMap, fmt, panic::AssertUnwindSafe, sync::Arc};

use futures_util::FutureExt;

use crate::{
    Approval, CallContext, EarlyRun, ErasedToolExecutor, Inspection, Invocation, Journal, Layer, Next, Outcome,
    StandIns, ToolCall, ToolDef, ToolDefs, ToolError, ToolExecutor, ToolListCache, ToolName, resolve_alias,
    tools::script_changed,
};

use super::layer::{Path, not_found, run_until_deadline};
use super::panics::panic_to_error;

/// An ordered list of layers around one executor: the only way in.
///
/// A stack is not an executor. Layers apply once, at the top; executors join below, in a
/// [`crate::CompositeExecutor`], so that no call is judged or recorded twice.
pub struct Stack {
    layers: Vec<Arc<dyn Layer>>,
    leaf: Arc<dyn ErasedToolExecutor>,
    by_name: ToolListCache<HashMap<ToolName, Arc<ToolDef>>>,
    stand_ins: Option<Arc<dyn StandIns>>,
    /// Data that lives as long as the stack.
    _held: Option<Arc<dyn Any + Send + Sync>>,
}

/// The actual call behind an alias or stand-in.
struct TargetCall {
    call: ToolCall,
    /// The consent, rebound to the actual call.
    approval: Option<Approval>,
    /// Reason why the actual call cannot be determined.
    fault: Option<ToolError>,
}

/// A result together with the notes made on the way to it.
#[derive(Debug)]
pub struct RecordedResult {
    /// The result.
    pub outcome: Outcome,
    /// Notes of gates and tools.
    pub journal: Journal,
}

impl Stack {
    /// Puts `layers`, outermost first, around `executor`.
    pub fn new(layers: Vec<Arc<dyn Layer>>, executor: impl ToolExecutor + 'static) -> Self {
        let leaf: Arc<dyn ErasedToolExecutor> = Arc::new(executor);
        let by_name = ToolListCache::new(leaf.tool_definitions_erased(), by_name);
        Self { layers, leaf, by_name, stand_ins: None, _held: None }
    }

    /// Lets names that no executor owns stand for calls of its tools.
    #[must_use]
    pub fn with_stand_ins(self, stand_ins: Arc<dyn StandIns>) -> Self {
        Self { stand_ins: Some(stand_ins), ..self }
    }

    /// Keeps `held` alive as long as the stack: the policies of its tools.
    #[must_use]
    pub fn holding(self, held: Arc<dyn Any + Send + Sync>) -> Self {
        Self { _held: Some(held), ..self }
    }

    /// Runs a call that nobody was asked about.
    ///
    /// # Errors
    /// Whatever a layer or the executor refuses or fails with; `ConfirmationRequired` carries the
    /// question.
    pub async fn dispatch(&self, call: ToolCall, cx: &CallContext) -> Outcome {
        self.run(call, None, cx).await.outcome
    }

    /// Runs a call that a person agreed to, and consumes the consent. Every gate judges it again.
    ///
    /// # Errors
    /// `PolicyBlocked/approval_mismatch` when the consent was given to another call, else as
    /// [`Stack::dispatch`].
    pub async fn dispatch_confirmed(&self, call: ToolCall, approval: Approval, cx: &CallContext) -> Outcome {
        self.run(call, Some(approval), cx).await.outcome
    }

    /// As [`Stack::dispatch`] or, with an approval, [`Stack::dispatch_confirmed`]; also returns the
    /// notes made on the way.
    pub async fn run(&self, call: ToolCall, approval: Option<Approval>, cx: &CallContext) -> RecordedResult {
        let context = cx.for_call(&call);
        let journal = context.journal().clone();
        let TargetCall { call, approval, fault } = self.meant_by(call, approval, &context);
        let definition = self.definition_or_cautious(&call.tool);
        let (path, inspection) = match (fault, &approval) {
            (Some(fault), _) => (Path::Mismatched, Err(fault)),
            (None, None) => (Path::Unconfirmed, self.look(&call, &context).await),
            (None, Some(approval)) if approval.covers(&call) => self.look_under(approval, &call, &context).await,
            (None, Some(_)) => (Path::Mismatched, Err(Approval::mismatch(&call))),
        };
        let context = match &inspection {
            Ok(inspection) => context.judged_with(inspection.script_states()),
            Err(_) => context,
        };
        let inv = Invocation::new(Arc::new(call), definition, context, inspection);
        let outcome = Next { rest: &self.layers, leaf: self.leaf.as_ref(), path }.run(&inv).await;
        RecordedResult { outcome: asking_about(outcome, &inv), journal }
    }

    /// The subjects of a call that a person agreed to, with the code files that were part of the
    /// question.
    async fn look_under<'a>(
        &self,
        approval: &'a Approval,
        call: &ToolCall,
        cx: &CallContext,
    ) -> (Path<'a>, Result<Inspection, ToolError>) {
        let inspection = self.look(call, cx).await;
        let other = inspection.as_ref().ok().and_then(|found| approval.other_script(&found.script_states()));
        match other {
            Some(path) => (Path::Mismatched, Err(script_changed(&path, cx))),
            None => (Path::Confirmed(approval), inspection),
        }
    }

    /// Finds the subjects of a call and the tool it names, without running anything and without any
    /// layer.
    ///
    /// An unknown tool has the traits [`crate::ToolTraits::CAUTIOUS`].
    pub async fn inspect(&self, call: ToolCall, cx: &CallContext) -> Invocation {
        let context = cx.for_call(&call);
        let TargetCall { call, fault, .. } = self.meant_by(call, None, &context);
        let definition = self.definition_or_cautious(&call.tool);
        let inspection = match fault {
            Some(fault) => Err(fault),
            None => self.look(&call, &context).await,
        };
        Invocation::new(Arc::new(call), definition, context, inspection)
    }

    /// Starts a call before the model has finished requesting it, past all layers: the caller has
    /// found out that they would let it run ([`Stack::inspect`]). `None` if it may change
    /// something, reach outside, or need a person.
    ///
    /// Its result goes only to a call that passes all layers in a context with this run
    /// ([`CallContext::started_early`]).
    pub fn start_early(&self, inv: &Invocation) -> Option<EarlyRun> {
        EarlyRun::start(inv, Arc::clone(&self.leaf))
    }

    /// Resolves a call by an alias or a stand-in name to the actual call.
    fn meant_by(&self, call: ToolCall, approval: Option<Approval>, cx: &CallContext) -> TargetCall {
        let as_it_is = |call, approval, fault| TargetCall { call, approval, fault };
        if self.exact(&call.tool).is_some() {
            return as_it_is(call, approval, None);
        }
        let stands_for = match &self.stand_ins {
            Some(stand_ins) => stand_ins.meant(&call, cx),
            None => Ok(None),
        };
        let meant = match stands_for {
            Err(fault) => return as_it_is(call, approval, Some(fault)),
            // A hidden tool cannot be reached by another name either.
            Ok(Some(meant)) if !self.hides(&meant.tool) => meant,
            Ok(_) => {
                let Some(tool) = self.meant(&call.tool) else { return as_it_is(call, approval, None) };
                if !self.hides(&tool) {
                    cx.journal().warn_once(format!("the tool `{}` is called `{tool}` here", call.tool));
                }
                ToolCall { tool, ..call.clone() }
            }
        };
        let approval = approval.map(|given| if given.covers(&call) { given.rebound(&meant) } else { given });
        as_it_is(meant, approval, None)
    }

    /// The tool that an unknown name means: `bash` for `shell`. `None` for the name of a tool, and
    /// for a name without meaning.
    fn meant(&self, name: &ToolName) -> Option<ToolName> {
        let is_tool = |name: &str| ToolName::parse(name).is_ok_and(|name| self.exact(&name).is_some());
        resolve_alias(name.as_str(), is_tool).and_then(|name| ToolName::parse(&name).ok())
    }

    /// The subjects of the call. An unknown tool is detected here, so that the first gate refuses
    /// it with similar names instead of asking a person about it.
    async fn look(&self, call: &ToolCall, cx: &CallContext) -> Result<Inspection, ToolError> {
        if self.owned(&call.tool).is_none() {
            let listed = self.listed();
            return Err(not_found(call, listed.iter().map(|definition| definition.name.as_str())));
        }
        let looking = AssertUnwindSafe(self.leaf.inspect_erased(call, cx)).catch_unwind();
        panic_to_error(run_until_deadline(call, cx, looking).await?, call.tool.as_str())
    }

    fn definition_or_cautious(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.owned(tool).unwrap_or_else(|| Arc::new(ToolDef::unknown(tool.clone())))
    }

    /// The tools shown to a model: all but those that a layer refuses regardless of parameters.
    pub fn listed(&self) -> ToolDefs {
        let all = self.definitions();
        let is_hidden = |tool: &Arc<ToolDef>| self.hides(&tool.name);
        if all.iter().any(is_hidden) { all.iter().filter(|tool| !is_hidden(tool)).cloned().collect() } else { all }
    }

    fn hides(&self, tool: &ToolName) -> bool {
        self.layers.iter().any(|layer| layer.hides(tool.as_str()))
    }

    /// All tools, in the order in which a model sees them.
    pub fn definitions(&self) -> ToolDefs {
        self.leaf.tool_definitions_erased()
    }

    /// The tool of this name, the stand-in of this name in some session, or the aliased tool
    /// (`bash` for `shell`); `None` if there is none.
    pub fn definition(&self, tool: &ToolName) -> Option<Arc<ToolDef>> {
        let stands_in = || self.stand_ins.as_ref()?.definition(tool);
        self.exact(tool).or_else(stands_in).or_else(|| self.exact(&self.meant(tool)?))
    }

    /// As [`Stack::definition`], with a cautious definition without schema for an unknown tool.
    pub fn definition_or_unknown(&self, tool: &ToolName) -> Arc<ToolDef> {
        self.definition(tool).unwrap_or_else(|| Arc::new(ToolDef::unknown(tool.clone())))
    }

    /// The tool of this name, or the aliased tool; `None` if no executor owns it.
    fn owned(&self, tool: &ToolName) -> Option<Arc<ToolDef>> {
        self.exact(tool).or_else(|| self.exact(&self.meant(tool)?))
    }

    fn exact(&self, tool: &ToolName) -> Option<Arc<ToolDef>> {
        self.by_name.of(self.definitions()).get(tool).cloned()
    }

    /// The names of the layers, outermost first.
    pub fn layer_names(&self) -> Vec<&'static str> {
        self.layers.iter().map(|layer| layer.name()).collect()
    }
}

fn by_name(definitions: &ToolDefs) -> HashMap<ToolName, Arc<ToolDef>> {
    definitions.iter().map(|definition| (definition.name.clone(), Arc::clone(definition))).collect()
}

/// Adds to a question the state of the code files when the call was judged, so that consent covers
/// them in that state.
fn asking_about(outcome: Outcome, inv: &Invocation) -> Outcome {
    outcome.map_err(|error| match (error.prompt(), inv.inspection()) {
        (Some(prompt), Ok(inspection)) => {
            let prompt = prompt.clone().about_scripts(inspection.script_states());
            error.with_prompt(prompt)
        }
        _ => error,
    })
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stack").field("layers", &self.layer_names()).finish_non_exhaustive()
    }
}
