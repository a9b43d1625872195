//! Runs one call: dispatches it, asks through the client if approval is needed, and dispatches it
//! again. `tools_core` defines these steps; this module only connects them to the client.

use async_trait::async_trait;
use rmcp::model::{
    ElicitRequest, ElicitRequestParams, ElicitResult, ErrorCode, InputRequest, InputRequiredResult, ProgressToken,
    ProtocolVersion,
};
use rmcp::service::{RequestContext, ServiceError};
use rmcp::{ErrorData, RoleServer};
use serde_json::json;
use tokio_util::sync::CancellationToken;
use tools_core::{
    Absence, Answer, Approval, ApprovalContext, ApprovalRequest, CallContext, CallDigest, CallerId, ConfirmPrompt,
    Confirmer, Decisions, Desk, EventSink, InputError, InputKind, Journal, NobodyToAsk, RecordedResult, RefusalReason,
    Stack, SystemClock, ToolCall, ToolError, ToolErrorCategory, announce, is_hidden, is_unanswered, refusal, settle,
};

use crate::builder::Settings;
use crate::input::{APPROVAL, ClientInput, shows_forms};
use crate::late_questions::{LateQuestions, OPEN_FOR, OpenForm};
use crate::lifetime::PATIENCE;
use crate::pending::{HandleTarget, OpenQuestions, WaitingCall, is_of_input};
use crate::progress::{Feed, FeedConsumer, reporting};
use crate::question::{Form, FormView, is_unseen};
use crate::revision::asks_by_itself;

/// Result of running a call.
pub(crate) enum CallOutcome {
    Recorded(Box<RecordedResult>),
    /// The client has to ask a person and send the call again.
    Ask(InputRequiredResult),
    /// The request itself is invalid.
    Refused(ErrorData),
}

impl CallOutcome {
    fn recorded(recorded: RecordedResult) -> Self {
        Self::Recorded(Box::new(recorded))
    }
}

/// A call being run.
pub(crate) struct Runner<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) pending: &'a OpenQuestions,
    pub(crate) late: &'a LateQuestions,
    pub(crate) stack: &'a Stack,
    pub(crate) request: &'a RequestContext<RoleServer>,
    /// Context with the request's cancellation token.
    pub(crate) context: CallContext,
    /// Input that tools request from the client, and its answers.
    pub(crate) input: &'a ClientInput,
}

impl Runner<'_> {
    pub(crate) async fn run(&self, call: ToolCall, state: Option<String>) -> CallOutcome {
        let digest = call.digest();
        match Box::pin(self.asking(call, state)).await {
            CallOutcome::Recorded(recorded) => match self.input_of(&recorded, digest) {
                Some(asks) => asks,
                None => CallOutcome::recorded(self.advised(*recorded, digest)),
            },
            other => other,
        }
    }

    /// Input or capability that the client has to provide, if the call ended for lack of it.
    fn input_of(&self, recorded: &RecordedResult, digest: CallDigest) -> Option<CallOutcome> {
        let error = recorded.outcome.as_ref().err().filter(|_| !asks_by_itself(self.request))?;
        match std::error::Error::source(error).and_then(|source| source.downcast_ref::<InputError>())? {
            InputError::Awaited => {
                let waiting = WaitingCall { question: None, answers: self.input.known() };
                let state = self.pending.ask(waiting, digest, self.settings.question_timeout);
                Some(CallOutcome::Ask(InputRequiredResult::new(Some(self.input.awaited()), Some(state))))
            }
            InputError::NotOffered(kind) => {
                let capability = match kind {
                    InputKind::Form => "elicitation",
                    InputKind::Completion => "sampling",
                    InputKind::Roots => "roots",
                    _ => return None,
                };
                let data = json!({"requiredCapabilities": {capability: {}}});
                let code = ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY;
                Some(CallOutcome::Refused(ErrorData::new(code, error.to_string(), Some(data))))
            }
            _ => None,
        }
    }

    async fn asking(&self, call: ToolCall, state: Option<String>) -> CallOutcome {
        let can_ask = shows_forms(self.request.client_capabilities().as_ref());
        let Some(state) = state else { return self.beginning(call, can_ask).await };
        match self.pending.take(&state, call.digest()) {
            HandleTarget::Open(waiting) => {
                let WaitingCall { question, answers } = *waiting;
                self.input.add_earlier(answers);
                match question {
                    Some((form, asked)) => CallOutcome::recorded(Box::pin(self.go_on(&form, asked)).await),
                    None => self.beginning(call, can_ask).await,
                }
            }
            HandleTarget::Late | HandleTarget::Unknown if is_of_input(&state) => {
                let text = "`requestState` is none that was given out for this call, or it is too old: make the call \
                            without it";
                CallOutcome::Refused(ErrorData::invalid_params(text, None))
            }
            // The person answered too late: ask again.
            HandleTarget::Late if can_ask => Box::pin(self.ask_in_result(call)).await,
            HandleTarget::Late | HandleTarget::Unknown => CallOutcome::recorded(Box::pin(self.stale(call)).await),
        }
    }

    /// Runs a call that does not continue an earlier one.
    async fn beginning(&self, call: ToolCall, can_ask: bool) -> CallOutcome {
        if can_ask && !asks_by_itself(self.request) {
            return Box::pin(self.ask_in_result(call)).await;
        }
        let fallback = self.fallback();
        let client = Client { runner: self, call: call.digest(), fallback: fallback.as_deref() };
        let otherwise = fallback.as_deref().unwrap_or(&NobodyToAsk);
        let (confirmer, by): (&dyn Confirmer, CallerId) =
            if can_ask { (&client, self.person()) } else { (otherwise, CallerId::person()) };
        let (questions, desk) = Desk::open();
        let context = self.context.clone().with_questions(questions);
        let asking = Runner { context, ..*self };
        CallOutcome::recorded(Box::pin(desk.while_running(confirmer, asking.settle(call, confirmer, &by))).await)
    }

    async fn settle(&self, call: ToolCall, confirmer: &dyn Confirmer, by: &CallerId) -> RecordedResult {
        let asking = ApprovalContext { confirmer, decisions: self.decisions(), by, clock: &SystemClock };
        settle(call, &self.context, asking, |call, approval| self.dispatch(call, approval)).await
    }

    /// Runs a call; if it needs approval, returns the question to the client, which answers in a
    /// later request.
    async fn ask_in_result(&self, call: ToolCall) -> CallOutcome {
        let recorded = self.dispatch(call.clone(), None).await;
        let asked = match ApprovalRequest::about(&call, &recorded.outcome) {
            Ok(Some(asked)) => asked,
            Ok(None) => return CallOutcome::recorded(recorded),
            Err(error) => return CallOutcome::recorded(replaced(recorded, error)),
        };
        announce(&asked, &call, &self.context).await;
        let Some(form) = self.form(asked.prompt()) else {
            let answer = or_fallback(self.fallback().as_deref(), asked.prompt(), Absence::NotShown).await;
            return CallOutcome::recorded(self.answered(asked, answer, CallerId::person()).await);
        };
        let request = InputRequest::Elicitation(ElicitRequest::new(elicitation(&form)));
        let waiting = WaitingCall { question: Some((form, asked)), answers: self.input.known() };
        let state = self.pending.ask(waiting, call.digest(), self.settings.question_timeout);
        CallOutcome::Ask(InputRequiredResult::new(Some([(APPROVAL.to_owned(), request)].into()), Some(state)))
    }

    /// Continues a call that came back with a person's answer.
    async fn go_on(&self, form: &Form, asked: ApprovalRequest) -> RecordedResult {
        let answer = self.input.take_approval().and_then(|answer| serde_json::from_value::<ElicitResult>(answer).ok());
        match answer.map_or(Answer::Nobody(Absence::NoAnswer), |answer| form.read(&answer)) {
            Answer::Nobody(Absence::Dismissed) => {
                let fallback = self.fallback();
                let answer = or_fallback(fallback.as_deref(), asked.prompt(), Absence::Dismissed).await;
                self.answered(asked, answer, CallerId::person()).await
            }
            answer => self.answered(asked, answer, self.person()).await,
        }
    }

    /// Applies the answer.
    async fn answered(&self, asked: ApprovalRequest, answer: Answer, by: CallerId) -> RecordedResult {
        let settled = asked.answered(answer, by, &SystemClock);
        match settled.apply(self.decisions(), &self.context).await {
            Ok((call, approval)) => self.dispatch(call, Some(approval)).await,
            Err(error) => failed(error),
        }
    }

    /// Refuses a call whose answer belongs to no question. It is judged again, so that the record
    /// has a gate's verdict and not the client's claim.
    async fn stale(&self, call: ToolCall) -> RecordedResult {
        let recorded = self.dispatch(call, None).await;
        match &recorded.outcome {
            Err(error) if error.category() == ToolErrorCategory::ConfirmationRequired => {
                let error = refusal(error, &RefusalReason::Stale);
                replaced(recorded, error)
            }
            _ => recorded,
        }
    }

    /// Who is asked if the client cannot ask; `None` if the host has no other way.
    fn fallback(&self) -> Option<Box<dyn Confirmer>> {
        let fallback = self.settings.fallback.as_ref()?;
        Some(fallback.confirmer(&self.client_name(), &self.context))
    }

    /// Adds to a result without approval how a person can be asked and whether a late answer
    /// counts.
    fn advised(&self, recorded: RecordedResult, call: CallDigest) -> RecordedResult {
        let error = match &recorded.outcome {
            Err(error) if is_unanswered(error) => error,
            _ => return recorded,
        };
        let late = self.late.holds(call).then(|| {
            format!(
                "The question stays open for {} minutes: if the user answers it, make the same call again, and that answer counts.",
                OPEN_FOR.as_secs() / 60
            )
        });
        let fallback = self.settings.fallback.as_ref().map(|fallback| fallback.advice().to_owned());
        let mut advice = error.suggestion().to_owned();
        for more in late.into_iter().chain(fallback) {
            let end = if advice.ends_with('.') { "" } else { "." };
            advice = format!("{advice}{end} {more}");
        }
        let error = error.clone().with_suggestion(advice);
        replaced(recorded, error)
    }

    fn decisions(&self) -> Option<&dyn Decisions> {
        self.settings.decisions.as_deref()
    }

    fn form(&self, prompt: &ConfirmPrompt) -> Option<Form> {
        let titles = self.request.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2025_11_25);
        let shown = FormView { three_rows: FormView::is_three_rows(&self.client_name()), titles };
        Form::new(prompt, self.settings.decisions.is_some(), shown)
    }

    /// The client's own name, made safe to show.
    fn client_name(&self) -> String {
        let client = self.request.client_info().map(|info| info.name).unwrap_or_default();
        client.chars().filter(|c| !is_hidden(*c)).take(100).collect()
    }

    /// Runs the call through the stack and reports its progress if the client wants that.
    async fn dispatch(&self, call: ToolCall, approval: Option<Approval>) -> RecordedResult {
        let Some(token) = self.request.meta.get_progress_token() else {
            return self.bounded(call, approval, &self.context).await;
        };
        Box::pin(self.dispatch_reporting(call, approval, token)).await
    }

    async fn dispatch_reporting(
        &self,
        call: ToolCall,
        approval: Option<Approval>,
        token: ProgressToken,
    ) -> RecordedResult {
        let feed = std::sync::Arc::new(Feed::default());
        let context = self.context.clone().with_events(EventSink::new(FeedConsumer(std::sync::Arc::clone(&feed))));
        let running = self.bounded(call, approval, &context);
        reporting(running, &feed, &self.request.peer, token).await
    }

    /// Gives a cancelled call a short time to record itself; then drops its future.
    async fn bounded(&self, call: ToolCall, approval: Option<Approval>, context: &CallContext) -> RecordedResult {
        let tool = call.tool.clone();
        let overdue = async {
            context.cancel().cancelled().await;
            tokio::time::sleep(PATIENCE).await;
        };
        tokio::select! {
            biased;
            recorded = self.stack.run(call, approval, context) => recorded,
            () = overdue => failed(ToolError::new(
                ToolErrorCategory::Cancelled,
                "cancelled",
                format!("the call of `{tool}` was cancelled"),
            )),
        }
    }

    /// Refuses a call of a client whose roots leave no workspace.
    ///
    /// It goes through the layers with a token that is already cancelled: it is recorded, but never
    /// run.
    pub(crate) async fn refuse_outside(&self, call: ToolCall) -> RecordedResult {
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let context = self.context.clone().with_cancel(cancelled);
        let recorded = self.stack.run(call, None, &context).await;
        let error = ToolError::new(
            ToolErrorCategory::PolicyBlocked,
            "no_usable_root",
            "none of the roots this client offers lies inside the workspace of this server",
        );
        let advice = "Tell the user that the client's folder and the server's workspace have nothing in common.";
        replaced(recorded, error.with_suggestion(advice))
    }

    /// Approver: the person behind this client.
    fn person(&self) -> CallerId {
        CallerId::parse(&format!("mcp:{}", self.client_name())).unwrap_or_else(|_| CallerId::generate())
    }
}

/// Asks elsewhere if the client gave no answer; without another way, the answer stays.
async fn or_fallback(fallback: Option<&dyn Confirmer>, prompt: &ConfirmPrompt, absence: Absence) -> Answer {
    match fallback {
        Some(fallback) => match fallback.confirm(prompt).await {
            Answer::Nobody(Absence::CannotAsk) => Answer::Nobody(absence),
            answer => answer,
        },
        None => Answer::Nobody(absence),
    }
}

/// The person behind a client that can be asked while its call waits.
struct Client<'a> {
    runner: &'a Runner<'a>,
    call: CallDigest,
    fallback: Option<&'a dyn Confirmer>,
}

impl Client<'_> {
    /// The client's answer to the question; the answer to an earlier identical question counts. A
    /// question without an answer in time stays open.
    async fn answer(&self, form: &Form, prompt: &ConfirmPrompt) -> Result<Answer, ServiceError> {
        let (runner, patience) = (self.runner, self.runner.settings.question_timeout);
        let mut standing = match runner.late.take(self.call, prompt) {
            Some(mut earlier) => match earlier.answered(patience).await.map(|result| form.read(&result)) {
                // Dismissed or failed in the meantime: ask again.
                Ok(Answer::Nobody(_)) => OpenForm::ask(&runner.request.peer, elicitation(form)).await?,
                Ok(answer) => return Ok(answer),
                Err(ServiceError::Timeout { .. }) => {
                    runner.late.keep(self.call, prompt, earlier);
                    return Ok(Answer::Nobody(Absence::NoAnswer));
                }
                Err(_) => OpenForm::ask(&runner.request.peer, elicitation(form)).await?,
            },
            None => OpenForm::ask(&runner.request.peer, elicitation(form)).await?,
        };
        let asked_at = tokio::time::Instant::now();
        match standing.answered(patience).await {
            Err(ServiceError::Timeout { .. }) => {
                runner.late.keep(self.call, prompt, standing);
                Ok(Answer::Nobody(Absence::NoAnswer))
            }
            answered => {
                let answer = form.read(&answered?);
                let is_unseen = is_unseen(&runner.client_name(), &answer, asked_at.elapsed());
                Ok(if is_unseen { Answer::Nobody(Absence::Dismissed) } else { answer })
            }
        }
    }
}

#[async_trait]
impl Confirmer for Client<'_> {
    /// Ends at an answer or at the deadline. Dropping it withdraws the question.
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        let Self { runner, fallback, .. } = self;
        let Some(form) = runner.form(prompt) else { return or_fallback(*fallback, prompt, Absence::NotShown).await };
        match self.answer(&form, prompt).await {
            Ok(Answer::Nobody(Absence::Dismissed)) => or_fallback(*fallback, prompt, Absence::Dismissed).await,
            Ok(answer) => answer,
            Err(error) => {
                tracing::warn!(%error, "the question was not answered");
                Answer::Nobody(Absence::NoAnswer)
            }
        }
    }
}

fn elicitation(form: &Form) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: form.message.clone(),
        requested_schema: form.schema(),
    }
}

pub(crate) fn failed(error: ToolError) -> RecordedResult {
    RecordedResult { outcome: Err(error), journal: Journal::default() }
}

fn replaced(recorded: RecordedResult, error: ToolError) -> RecordedResult {
    RecordedResult { outcome: Err(error), ..recorded }
}
