//! The record of one call: the fields of a line, made from the invocation, its notes and its
//! outcome.
//!
//! `v`, `seq`, `prev` and `hash` are not here: a sink adds them when it chains the line.

mod notes;
mod subjects;
mod text;

use std::borrow::Cow;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, value::RawValue};
use tools_core::{
    Approval, CallOrigin, CallPhase, CallerId, ErrorDetail, FilterStats, GateNote, Invocation, InvokedAs, Outcome,
    Redactor, Refusal, SpeculationOutcome, Taint, ToolError, ToolErrorCategory, ToolOutput, TrustLevel, Verdict, keys,
    sha256_hex,
};

use self::notes::KnownNotes;
use self::subjects::{files, subject};
use self::text::{ITEMS, parameters, shortened};

pub use subjects::{Files, RecordedSubject};

/// Maximum length in characters of a recorded result or message.
const RESULT_CHARS: usize = 500;

/// Code of a call whose process was killed.
const KILLED: &str = "killed";

/// Keys of other crates' notes that have fields of their own here.
mod known {
    pub(super) const CHECKPOINT: &str = "checkpoint";
    pub(super) const ROLLBACK: &str = "rollback";
}

/// One line of the log, version 1. Fields that say nothing are left out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Entry<'a> {
    /// When the call arrived, RFC 3339 with milliseconds, UTC.
    pub ts: String,
    /// Id of the session.
    pub session: Cow<'a, str>,
    /// Working directory of the call; missing in lines of older versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir: Option<Cow<'a, str>>,
    /// Id of the call.
    pub call_id: Cow<'a, str>,
    /// Id of the call that caused this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_call_id: Option<Cow<'a, str>>,
    /// Turn of the conversation, from 1; missing if no agent made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// Names of the agents, from the outermost to the one that made the call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Option<Vec<String>>")]
    pub agent_path: Vec<Cow<'a, str>>,
    /// Form of the call in the model's answer: `native`, `fenced` or `delegated`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub invocation: Option<InvokedAs>,
    /// `untrusted` if the model had read text from outside before it made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub taint: Option<Taint>,
    /// `early` if the call was started before the model's answer was complete; `discarded` if the
    /// complete answer did not contain it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub speculative: Option<SpeculationOutcome>,
    /// Role in which the model made the call: `planner`, `executor`, `verifier`, `autonomous`.
    #[schemars(with = "String")]
    pub phase: CallPhase,
    /// Name of the called tool.
    pub tool: Cow<'a, str>,
    /// The parameters, redacted; long strings are cut.
    #[schemars(with = "Map<String, Value>")]
    pub call: Box<RawValue>,
    /// SHA-256 of all parameters as canonical JSON (sorted keys, no white space), after redaction,
    /// so that a short secret cannot be guessed from it.
    pub args_sha256: String,
    /// Subjects of the call: the commands, paths, hosts and others that it touches.
    pub subjects: Vec<RecordedSubject<'a>>,
    /// Number of all subjects, if `subjects` has only some of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subjects_total: Option<usize>,
    /// The caller: the principal on whose behalf the call was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_id: Option<Cow<'a, str>>,
    /// Trust in the origin of the call: `Trusted`, `Provisional`, `Untrusted`.
    pub trust: Cow<'a, str>,
    /// Final decision of the gates.
    #[schemars(with = "String")]
    pub decision: Verdict,
    /// The person who approved the call, or refused it if the decision is `deny`; missing if no
    /// person answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approver: Option<Cow<'a, str>>,
    /// Decision of each gate, in order.
    #[schemars(with = "Vec<Map<String, Value>>")]
    pub gates: Vec<GateNote>,
    /// SHA-256 of the rules in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_sha256: Option<Cow<'a, str>>,
    /// Notes of gates and tools.
    #[serde(flatten)]
    #[schemars(with = "KnownNotes")]
    pub notes: Map<String, Value>,
    /// Source of the result's content.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub result_source: Option<tools_core::ClaimSource>,
    /// Warnings about the call to the person and the model.
    pub warnings: Vec<String>,
    /// Beginning of the text that the model got, redacted. `not_executed`: the tool did not run.
    /// `unknown`: the process was killed while the tool ran; another process wrote the line later,
    /// and durations end at the start of the tool.
    pub result: Cow<'a, str>,
    /// SHA-256 of the whole text that the model got.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_sha256: Option<String>,
    /// Category of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_category: Option<&'static str>,
    /// Code of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
    /// Message of the error, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<Cow<'a, str>>,
    /// Exit code of the command; `null` for other tools.
    pub exit_code: Option<i64>,
    /// Signal that ended the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i64>,
    /// Whether a part of the result was lost or moved to the overflow store.
    pub truncated: bool,
    /// Sizes of the output in bytes.
    pub bytes: Bytes,
    /// Report of the output filter.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub filter: Option<FilterStats>,
    /// Changes of files by the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fs: Option<Files<'a>>,
    /// Number of runs of the tool. 0: the call was refused, or answered without a run.
    pub attempts: u32,
    /// Total duration in milliseconds.
    pub duration_ms: u64,
    /// Parts of the duration in milliseconds.
    pub ms: Milliseconds,
}

/// Sizes of an output in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Bytes {
    /// Size before filtering and truncation; missing if not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<u64>,
    /// Size of the text that the model got.
    pub model: u64,
}

/// Parts of a call's duration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Milliseconds {
    /// From the model's request until the call's turn came; missing if no agent made the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<u64>,
    /// Until the tool first ran.
    pub gates: u64,
    /// Time that a person took to answer; not part of `duration_ms`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<u64>,
    /// From the first run of the tool to the end.
    pub run: u64,
}

/// End of a call, as far as this layer saw it.
pub(crate) enum Ending<'a> {
    /// With a result.
    Returned(&'a Outcome),
    /// Its future was dropped.
    Dropped,
    /// The call is still running: this is recorded if the process is killed now.
    Killed,
}

/// Arrival of a call: the time of day, and the start for durations.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) at: Timestamp,
    pub(crate) arrived: Instant,
}

/// A person's answer about a call, if one was asked.
#[derive(Clone, Copy, Default)]
pub(crate) struct HumanAnswer<'a> {
    pub(crate) approval: Option<&'a Approval>,
    pub(crate) refusal: Option<&'a Refusal>,
}

impl<'a> HumanAnswer<'a> {
    pub(crate) fn yes(approval: Option<&'a Approval>) -> Self {
        Self { approval, refusal: None }
    }

    /// The person who answered.
    fn by(&self) -> Option<&'a CallerId> {
        self.approval.map(Approval::by).or_else(|| self.refusal.map(|refusal| &refusal.by))
    }

    /// Time until the person answered.
    fn waited(&self) -> Option<Duration> {
        self.approval.map(Approval::waited).or_else(|| self.refusal.map(|refusal| refusal.waited))
    }
}

impl<'a> Entry<'a> {
    /// Makes the entry of a call that ends now; `policy` is the digest of the rules that it was
    /// judged by.
    pub(crate) fn new(
        inv: &'a Invocation,
        answer: HumanAnswer<'a>,
        policy: Option<&'a str>,
        ending: &Ending<'a>,
        arrival: Arrival,
        redactor: &dyn Redactor,
    ) -> Self {
        let took = arrival.arrived.elapsed();
        let (call, cx) = (inv.call.as_ref(), &inv.context);
        let journal = cx.journal();
        let runs = journal.runs();
        let (call_text, args_sha256) = parameters(inv, redactor);
        let touched = inv.inspection().map(|inspection| inspection.subjects.as_slice());
        let touched = touched.unwrap_or_default();
        let mut notes = journal.values();
        let number = |notes: &mut Map<String, Value>, key| notes.remove(key).and_then(|value| value.as_i64());
        let (exit_code, signal) = (number(&mut notes, keys::EXIT_CODE), number(&mut notes, keys::SIGNAL));
        let attempts = number(&mut notes, keys::ATTEMPTS).and_then(|count| u32::try_from(count).ok());
        let raw = number(&mut notes, keys::RAW_BYTES).and_then(|count| u64::try_from(count).ok());
        let checkpoint = notes.remove(known::CHECKPOINT);
        for value in notes.values_mut().filter(|value| !value.is_number()) {
            *value = redactor.redact_json(value);
        }
        let is_running = matches!(ending, Ending::Killed);
        let end = End::of(ending, inv, answer.refusal.is_some(), is_running || runs.count > 0);
        let ended = end.error.map(ToolError::detail);
        let (error_exit, error_signal) = match ended {
            Some(ErrorDetail::Shell { exit_code, signal }) => (Some(i64::from(*exit_code)), signal.map(i64::from)),
            _ => (None, None),
        };
        let before_run = runs.since.map_or(took, |since| since.duration_since(arrival.arrived));
        Self {
            ts: format!("{:.3}", arrival.at),
            session: cx.session().as_str().into(),
            workdir: Some(redactor.redact(&cx.workdir().to_string_lossy()).into_owned().into()),
            call_id: call.id.as_str().into(),
            parent_call_id: cx.parent().map(|parent| parent.as_str().into()),
            turn: cx.origin().map(|origin| origin.turn),
            agent_path: cx
                .origin()
                .map(|origin| origin.agent_path.split('/').map(Cow::Borrowed).collect())
                .unwrap_or_default(),
            invocation: cx.origin().map(|origin| origin.invocation),
            taint: cx.origin().and_then(|origin| origin.taint),
            speculative: cx.origin().and_then(|origin| origin.speculative),
            phase: cx.phase(),
            tool: redactor.redact(call.tool.as_str()),
            call: call_text,
            args_sha256,
            subjects: touched.iter().take(ITEMS).map(|one| subject(one, redactor)).collect(),
            subjects_total: (touched.len() > ITEMS).then_some(touched.len()),
            caller_id: call.caller_id.as_ref().map(|caller| caller.as_str().into()),
            trust: trust(cx.trust()).into(),
            decision: end.decision,
            approver: answer.by().map(|by| by.as_str().into()),
            gates: journal.gates(),
            policy_sha256: policy.map(Cow::Borrowed),
            fs: files(inv, end.done(), exit_code.is_some(), checkpoint, redactor),
            result: end.result(notes.contains_key(known::ROLLBACK), redactor),
            notes,
            result_source: end.output.map(|output| output.source),
            warnings: journal
                .warnings()
                .iter()
                .map(|text| shortened(text, RESULT_CHARS, redactor).into_owned())
                .collect(),
            result_sha256: end.text().map(|text| sha256_hex(text.as_bytes())),
            error_category: end.category.map(ToolErrorCategory::label),
            error_code: end.code,
            error_message: end.error.map(|error| shortened(error.message(), RESULT_CHARS, redactor)),
            exit_code: exit_code.or(error_exit),
            signal: signal.or(error_signal),
            truncated: end.output.is_some_and(|output| output.truncated),
            bytes: Bytes { raw, model: end.text().map_or(0, |text| text.len()) as u64 },
            filter: end.output.and_then(|output| output.filter.clone()),
            attempts: attempts.unwrap_or_else(|| runs.count.max(u32::from(is_running))),
            duration_ms: milliseconds(took),
            ms: Milliseconds {
                wait: cx.origin().map(|origin| milliseconds(waited(origin, arrival))),
                gates: milliseconds(before_run),
                approval: answer.waited().filter(|waited| !waited.is_zero()).map(milliseconds),
                run: milliseconds(took.saturating_sub(before_run)),
            },
        }
    }

    /// The members of the line, without braces, as a sink expects them.
    ///
    /// # Errors
    /// When it cannot be encoded, which is impossible for an entry made of a call.
    pub(crate) fn to_body(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string(self)?;
        text.pop();
        text.remove(0);
        Ok(text)
    }
}

/// Time that a call waited in its batch.
fn waited(origin: &CallOrigin, arrival: Arrival) -> Duration {
    arrival.arrived.saturating_duration_since(origin.asked.into_std())
}

/// End of a call, split into its parts.
struct End<'a> {
    decision: Verdict,
    executed: bool,
    output: Option<&'a ToolOutput>,
    error: Option<&'a ToolError>,
    category: Option<ToolErrorCategory>,
    code: Option<&'static str>,
}

impl<'a> End<'a> {
    fn of(ending: &Ending<'a>, inv: &Invocation, declined: bool, reached: bool) -> Self {
        use ToolErrorCategory as C;
        let verdict = inv.context.journal().verdict().unwrap_or(Verdict::Allow);
        let (output, error) = match ending {
            Ending::Returned(Ok(output)) => (Some(output), None),
            Ending::Returned(Err(error)) => (error.output(), Some(error)),
            Ending::Dropped | Ending::Killed => (None, None),
        };
        let category = match ending {
            Ending::Returned(_) => error.map(ToolError::category),
            Ending::Dropped | Ending::Killed => Some(C::Cancelled),
        };
        // An executor may refuse before it does anything.
        let refused = matches!(
            category,
            Some(C::ConfirmationRequired | C::ToolNotFound | C::InvalidParameters | C::TypeMismatch)
        );
        let executed = reached && !refused;
        let decision = match category {
            _ if declined => Verdict::Deny,
            Some(C::ConfirmationRequired) => Verdict::Ask,
            Some(C::PolicyBlocked) if !executed => Verdict::Deny,
            _ if verdict == Verdict::Deny => Verdict::Deny,
            _ => Verdict::Allow,
        };
        Self {
            decision,
            executed,
            output,
            error,
            category,
            code: match ending {
                Ending::Returned(_) => error.map(ToolError::code),
                Ending::Dropped => Some("dropped"),
                Ending::Killed => Some(KILLED),
            },
        }
    }

    /// The output of a call that did not fail.
    fn done(&self) -> Option<&'a ToolOutput> {
        self.output.filter(|_| self.error.is_none())
    }

    /// The text for the model; `None` if there was none.
    fn text(&self) -> Option<Cow<'a, str>> {
        self.output.map(ToolOutput::to_text).or_else(|| self.error.map(|error| error.message().into()))
    }

    fn result(&self, is_rolled_back: bool, redactor: &dyn Redactor) -> Cow<'a, str> {
        // A result from a cache counts as a result although nothing ran for it.
        match self.output {
            Some(output) => shortened(&output.to_text(), RESULT_CHARS, redactor).into_owned().into(),
            None if !self.executed => "not_executed".into(),
            None if is_rolled_back => "rolled_back".into(),
            None => match self.category {
                _ if self.code == Some(KILLED) => "unknown".into(),
                Some(ToolErrorCategory::Cancelled) => "cancelled".into(),
                _ => "failed".into(),
            },
        }
    }
}

fn trust(level: TrustLevel) -> &'static str {
    match level {
        TrustLevel::Untrusted => "Untrusted",
        TrustLevel::Provisional => "Provisional",
        TrustLevel::Trusted => "Trusted",
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
