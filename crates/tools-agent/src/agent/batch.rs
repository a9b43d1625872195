//! Makes the calls of one answer. Each gets one result, in their order, even if the turn is
//! dropped.

use std::sync::Arc;

use futures_util::{StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use tokio_util::sync::CancellationToken;
use tools_core::{BatchId, CallContext, CallDigest, EarlyRun, Inspection, SpeculationOutcome, ToolCall};
use tools_providers::{Block, Message, Reply, Role, Usage};

use super::Agent;
use super::calls::{Done, RequestedCall, Slot, called_off, looping};
use super::early::{belonging, discard};
use super::make::{CallDisposition, CallOutcome};
use super::shared::Shared;
use super::state::State;
use crate::{Admission, AgentEvent, Compression, Stop, compress::CompressRequest, plan::may_run_at_once};

/// Maximum number of calls that run concurrently.
const AT_ONCE: usize = 16;

/// An answer whose calls are being made. On drop, the answer goes into the conversation with the
/// results so far.
struct Open<'a> {
    state: &'a mut State,
    message: Option<Message>,
    usage: Usage,
    slots: Vec<Slot>,
    /// Runs of the first calls, which were started while the model wrote.
    early: &'a [EarlyRun],
    /// Whether the calls are in the text of the answer.
    is_fenced: bool,
    /// A summary that was written in the meantime.
    compression: Option<Compression>,
}

impl Agent {
    /// Makes the calls of an answer and adds both to the conversation; returns the stop if the turn
    /// must end.
    pub(super) async fn answer_calls(
        &mut self,
        reply: Reply,
        wanted: Vec<RequestedCall>,
        early: Vec<EarlyRun>,
        cancel: &CancellationToken,
    ) -> Option<Stop> {
        let shared = Arc::clone(&self.shared);
        let invocation = self.invoked_as();
        let origin = shared.origin(self.state.turn, invocation, self.state.is_tainted);
        let cx = shared.context(cancel).in_batch(BatchId::generate()).from_origin(origin);
        let slots: Vec<Slot> = wanted
            .into_iter()
            .map(|mut wanted| {
                let call = self.state.call_id(&wanted.id);
                wanted.call = wanted.call.map(|made| made.with_id(call.clone()));
                Slot { wanted, call, done: None }
            })
            .collect();
        let turn = self.state.turn;
        let belonging = belonging(&early, wanted_calls(&slots));
        let mut open = Open {
            early: &early[..belonging],
            state: &mut self.state,
            message: Some(reply.message),
            usage: reply.usage,
            slots,
            is_fenced: !shared.provider.model().supports_tool_use,
            compression: None,
        };
        open.announce(&shared).await;
        let stop = open.run(&shared, &cx).await;
        let stop = stop.or_else(|| open.watch());
        open.close();
        for used in shared.accounts.iter().filter_map(|accounts| accounts.take(cx.conversation())) {
            self.state.charge(used);
        }
        discard(&shared, &cx, turn, early).await;
        stop
    }
}

impl Open<'_> {
    async fn announce(&self, shared: &Shared) {
        for slot in &self.slots {
            let params = slot.wanted.call.as_ref().ok().map(|call| serde_json::Value::Object(call.params.clone()));
            let (id, tool) = (slot.wanted.id.clone(), slot.wanted.name.clone());
            shared.events.send(AgentEvent::Called { call: slot.call.clone(), id, tool, params }).await;
        }
    }

    /// Makes the calls.
    async fn run(&mut self, shared: &Arc<Shared>, cx: &CallContext) -> Option<Stop> {
        let (admitted, stop) = self.admit(shared);
        let through_gates = admitted.iter().filter(|(_, made)| matches!(made, CallDisposition::Call(_))).count();
        // If the batch exceeds the quota, the gate refuses its calls one by one, which records
        // them.
        let fits = through_gates == 0 || shared.host.reserve(cx, through_gates as u64);
        if admitted.len() > 1 && may_all_run_at_once(shared, cx, &admitted).await {
            self.at_once(shared, cx, admitted).await;
        } else {
            self.in_order(shared, cx, admitted).await;
        }
        if let Some(stop) = stop {
            self.call_off_rest(shared, cx).await;
            return Some(stop);
        }
        if cx.cancel().is_cancelled() {
            self.call_off_rest(shared, cx).await;
            return Some(Stop::Cancelled);
        }
        let is_used_up = |slot: &Slot| slot.done.as_ref().is_some_and(|done| done.code == Some("quota_blocked"));
        (!fits || self.slots.iter().any(is_used_up)).then_some(Stop::Quota)
    }

    /// Decides for each call whether and how it is made. Returns the stop if a call is repeated too
    /// often; that call and those after it are not made.
    fn admit(&mut self, shared: &Shared) -> (Vec<(usize, CallDisposition)>, Option<Stop>) {
        let mut admitted = Vec::with_capacity(self.slots.len());
        for (index, slot) in self.slots.iter().enumerate() {
            let call = match &slot.wanted.call {
                Ok(call) => call.clone(),
                Err(error) => {
                    let written = slot.wanted.written.clone();
                    admitted
                        .push((index, CallDisposition::Unreadable(slot.wanted.name.clone(), error.clone(), written)));
                    continue;
                }
            };
            let definition = shared.host.definition(&call.tool);
            if !self.state.used.contains(&definition.name) {
                self.state.used.push(definition.name.clone());
            }
            match self.state.doom.admit(call.digest(), definition.poll) {
                Admission::Go => admitted.push((index, CallDisposition::Call(call))),
                Admission::Refuse => {
                    let error = looping(call.tool.as_str());
                    admitted.push((index, CallDisposition::Refuse(call, error)));
                }
                Admission::Stop => {
                    let notice = format!(
                        "`{}` was called five times in a row with the same parameters and the same end",
                        call.tool
                    );
                    return (admitted, Some(Stop::DoomLoop { notice }));
                }
            }
        }
        (admitted, None)
    }

    async fn in_order(&mut self, shared: &Arc<Shared>, cx: &CallContext, admitted: Vec<(usize, CallDisposition)>) {
        for (index, making) in admitted {
            if cx.cancel().is_cancelled() {
                return;
            }
            self.at_once(shared, cx, vec![(index, making)]).await;
        }
    }

    /// Makes calls concurrently, and serves their requests to the agent.
    async fn at_once(&mut self, shared: &Arc<Shared>, cx: &CallContext, admitted: Vec<(usize, CallDisposition)>) {
        let mut waiting = admitted.into_iter();
        let mut running: FuturesUnordered<BoxFuture<'static, (usize, CallOutcome)>> = FuturesUnordered::new();
        let mut wishes = shared.desk.open(&shared.path, cx);
        let mut serving: Option<BoxFuture<'static, Option<Compression>>> = None;
        loop {
            while running.len() < AT_ONCE
                && let Some((index, making)) = waiting.next()
            {
                let (shared, cx) = (Arc::clone(shared), self.context(cx, index));
                let (call, id) = (self.slots[index].call.clone(), self.slots[index].wanted.id.clone());
                running.push(Box::pin(async move { (index, making.run(&shared, &cx, call, id).await) }));
            }
            tokio::select! {
                biased;
                made = running.next() => match made {
                    Some((index, made)) => self.take(shared, index, made),
                    None => break,
                },
                wish = wishes.next(), if serving.is_none() => serving = Some(self.serve(shared, cx, wish)),
                compression = async { serving.as_mut().expect("the condition says so").await }, if serving.is_some() => {
                    serving = None;
                    self.compression = self.compression.take().or(compression);
                }
            }
        }
    }

    /// The context of a call, with its run if it was started early.
    fn context(&self, cx: &CallContext, index: usize) -> CallContext {
        let Some(run) = self.early.get(index) else { return cx.clone() };
        let origin = cx.origin().cloned().map(|origin| origin.speculated(SpeculationOutcome::Early));
        let cx = cx.clone().started_early(run.clone());
        match origin {
            Some(origin) => cx.from_origin(origin),
            None => cx,
        }
    }

    /// Begins to serve a call's request for compression.
    fn serve(
        &self,
        shared: &Arc<Shared>,
        cx: &CallContext,
        wish: CompressRequest,
    ) -> BoxFuture<'static, Option<Compression>> {
        let selection = self.state.history.select(wish.keep_last).filter(|_| self.compression.is_none());
        let messages = selection.map(|selection| self.state.history.messages()[..selection.end].to_vec());
        let tokens = self.state.history.budget().tokens(self.state.shown.bytes);
        Box::pin(wish.serve(Arc::clone(&shared.compressor), selection.zip(messages), tokens, cx.clone()))
    }

    fn take(&mut self, shared: &Shared, index: usize, made: CallOutcome) {
        let CallOutcome { done, digest } = made;
        if let Some(digest) = digest {
            self.state.doom.ended(digest, done.category);
        }
        if let Ok(call) = &self.slots[index].wanted.call {
            let model = shared.provider.model().id.as_str();
            self.state.reputation.note(model, &call.tool, done.category);
        }
        self.state.is_tainted |= done.is_untrusted();
        self.state.totals.calls += 1;
        self.slots[index].done = Some(done);
    }

    /// Records that the remaining calls are not made.
    async fn call_off_rest(&mut self, shared: &Arc<Shared>, cx: &CallContext) {
        for index in 0..self.slots.len() {
            if self.slots[index].done.is_some() {
                continue;
            }
            let slot = &self.slots[index];
            let making = match &slot.wanted.call {
                Ok(call) => CallDisposition::Refuse(call.clone(), called_off(call.tool.as_str())),
                Err(error) => CallDisposition::Unreadable(slot.wanted.name.clone(), error.clone(), None),
            };
            let (call, id) = (slot.call.clone(), slot.wanted.id.clone());
            let made = making.run(shared, cx, call, id).await;
            self.state.totals.calls += 1;
            self.slots[index].done = Some(made.done);
        }
    }

    /// Checks whether the calls gave the same results again.
    fn watch(&mut self) -> Option<Stop> {
        let texts: Vec<String> = self
            .slots
            .iter()
            .map(|slot| slot.done.as_ref().map(|done| done.text.clone()).unwrap_or_default())
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let calls: Vec<CallDigest> =
            self.slots.iter().filter_map(|slot| Some(slot.wanted.call.as_ref().ok()?.digest())).collect();
        self.state.doom.outputs(&texts, &calls).map(|notice| Stop::DoomLoop { notice })
    }

    /// Adds the answer and the results to the conversation.
    fn close(mut self) {
        self.put_down();
    }

    fn put_down(&mut self) {
        let Some(message) = self.message.take() else { return };
        let results: Vec<_> = self.slots.iter().map(Slot::result).collect();
        self.state.echoes = results.iter().map(|result| result.text.clone()).collect();
        let blocks = if self.is_fenced {
            let text = |(index, result): (usize, &tools_providers::ToolResult)| {
                Block::Text(format!("[result {} of `{}`]\n{}\n", index + 1, result.name, result.text))
            };
            results.iter().enumerate().map(text).collect()
        } else {
            results.into_iter().map(Block::ToolResult).collect()
        };
        self.state.history.exchange(message, Message { role: Role::User, blocks }, &self.usage);
        if let Some(compression) = self.compression.take() {
            self.state.history.swap(compression);
        }
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.put_down();
    }
}

/// The calls of an answer, in order; `None` for an invalid one.
fn wanted_calls(slots: &[Slot]) -> impl Iterator<Item = Option<&ToolCall>> {
    slots.iter().map(|slot| slot.wanted.call.as_ref().ok())
}

/// Whether calls may run concurrently, based on the host's inspections.
async fn may_all_run_at_once(shared: &Shared, cx: &CallContext, admitted: &[(usize, CallDisposition)]) -> bool {
    let mut inspections: Vec<Option<Inspection>> = Vec::with_capacity(admitted.len());
    for (_, making) in admitted {
        match making {
            CallDisposition::Call(call) => inspections.push(inspected(shared, cx, call).await),
            // A call that does not run conflicts with none.
            CallDisposition::Refuse(..) | CallDisposition::Unreadable(..) => {
                inspections.push(Some(Inspection::read_only()));
            }
        }
    }
    may_run_at_once(inspections.iter().map(Option::as_ref))
}

async fn inspected(shared: &Shared, cx: &CallContext, call: &ToolCall) -> Option<Inspection> {
    let inv = shared.host.inspect(call.clone(), cx).await;
    match inv.inspection() {
        Ok(inspection) => Some(inspection.clone()),
        // Its owner refuses it, whatever runs concurrently.
        Err(_) => Some(Inspection::read_only()),
    }
}

/// The outcome of a call that was made.
impl From<Done> for CallOutcome {
    fn from(done: Done) -> Self {
        Self { done, digest: None }
    }
}
