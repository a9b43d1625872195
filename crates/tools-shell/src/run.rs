//! Runs one command from its start to its envelope: drains streams in bounded memory, enforces the
//! time limit, ends the process tree.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::Receiver;
use tokio::time::{Instant, sleep_until};
use tools_core::{
    CallContext, ClaimSource, CommandEnd, Digest, ErrorDetail, OriginalText, OutputStream, Redactor, StopReason,
    SummaryKind, ToolError, ToolOutput, keys,
};
use tools_sandbox::kernel::{MaskRules, NetworkLease, Sandbox};
use tools_sandbox::process::{Exit, ProcessSpec, ProcessTree, SideChannel, own_variables, scrubbed};

use crate::capture::{HeadTail, incomplete_end};
use crate::combined_output::{CombinedOutput, CommandOutput};
use crate::envelope::{SandboxReport, ShellOutputEnvelope};
use crate::error::ShellError;
use crate::exit;
use crate::pipeline::Pipeline;
use crate::policy::ShellPolicy;
use crate::prompt::PromptWatch;
use crate::temp::TempWatch;
use crate::ungranted;
use tools_sandbox::obeyed::{Guard, GuardFindings, note, note_in, replaced_note, unmasked_note};

/// Time to wait for output of processes that a command left running.
pub(crate) const DRAIN: Duration = Duration::from_millis(100);
/// Maximum number of bytes read from a pipe at once.
pub(crate) const CHUNK: usize = 64 * 1024;

/// Maximum number of bytes kept of each stream if a tap takes the output.
const ENDS: usize = 8 * 1024;

/// Everything one run needs.
pub(crate) struct Plan<'a> {
    pub(crate) command: &'a str,
    pub(crate) workdir: &'a Path,
    pub(crate) policy: &'a ShellPolicy,
    pub(crate) sandbox: &'a Sandbox,
    pub(crate) pipeline: Option<Pipeline>,
    pub(crate) redactor: &'a dyn Redactor,
    /// The check, before the run, of files that outside programs obey.
    pub(crate) guard: Guard,
    /// Paths that no command may read, whatever is granted.
    pub(crate) hidden: &'a MaskRules,
    /// The way out, if the network is gated.
    pub(crate) network_lease: Option<Arc<dyn NetworkLease>>,
}

/// Runs the command. A drop at any await kills it and all it started.
pub(crate) async fn run(plan: &Plan<'_>, cx: &CallContext) -> Result<ToolOutput, ToolError> {
    let started = Instant::now();
    let limit = Duration::from_secs(plan.policy.config.timeout);
    let grace = Duration::from_millis(plan.policy.config.kill_grace_ms);
    // The call's own deadline drops this future without notice: the output is only kept if the
    // command ends earlier.
    let call_end = cx.deadline().map(|deadline| deadline.checked_sub(grace + DRAIN).unwrap_or(started));

    let RunningCommand { tree, side } = start(plan, cx).await?;
    // It may have waited for another command first.
    let until = Instant::now() + limit;
    let mut run = Run::new(tree, TempWatch::new(plan.sandbox, plan.policy.temporary_files), plan.policy, cx);
    let stopped = run.until_ended(until, call_end, grace).await;
    let exit = run.finish().await;
    let pipe_status = pipe_status(plan.pipeline.as_ref(), side);
    let elapsed = started.elapsed();
    let code = if stopped == Some(StopReason::TimedOut) { exit::TIMED_OUT } else { exit::code(exit) };
    let replaced = replaced_note(run.tree.replaced(), plan.workdir);
    let Run { stdout, stderr, both, .. } = run;
    let printed = RunOutput { stdout: stdout.kept, stderr: stderr.kept, both: both.finish(Some(code)).await };
    let after = plan.guard.after(cx.writes());
    let end = End { exit, code, stopped, elapsed, pipe_status, after, replaced };
    conclude(printed, &end, plan, cx)
}

/// A command that runs.
pub(crate) struct RunningCommand {
    pub(crate) tree: ProcessTree,
    pub(crate) side: Option<Receiver>,
}

/// Starts the command, in the foreground or background.
pub(crate) async fn start(plan: &Plan<'_>, cx: &CallContext) -> Result<RunningCommand, ShellError> {
    let mut tree = ProcessTree::spawn_noting(&spec(plan, cx), plan.sandbox, cx.writes()).await?;
    if let Some(network_lease) = &plan.network_lease {
        network_lease.started(tree.id());
    }
    let side = tree.take_side();
    Ok(RunningCommand { tree, side })
}

/// How a run ended.
struct End {
    exit: Exit,
    /// The reported exit code.
    code: i32,
    stopped: Option<StopReason>,
    elapsed: Duration,
    pipe_status: Option<Vec<i32>>,
    after: GuardFindings,
    /// The note on files that others replaced during the run.
    replaced: Option<String>,
}

/// The output of a run.
struct RunOutput {
    stdout: HeadTail,
    stderr: HeadTail,
    both: CommandOutput,
}

/// Bash's report on the parts of the last pipeline.
pub(crate) fn pipe_status(pipeline: Option<&Pipeline>, side: Option<Receiver>) -> Option<Vec<i32>> {
    let (pipeline, side) = (pipeline?, side?);
    let mut report = [0; SideChannel::MAX_BYTES];
    let count = side.try_read(&mut report).ok()?;
    pipeline.statuses(report.get(..count)?)
}

fn spec(plan: &Plan<'_>, cx: &CallContext) -> ProcessSpec {
    let mut spec = ProcessSpec::new(bash(), plan.workdir);
    spec.args = ["--norc", "--noprofile", "-c", plan.command].map(Into::into).into();
    spec.env = scrubbed(own_variables().into_iter(), cx.env(), &plan.policy.config.env_pass, plan.redactor);
    plan.sandbox.name_temp(&mut spec.env);
    plan.sandbox.name_caches(&mut spec.env, |name| cx.env().contains_key(name));
    if let Some(network_lease) = &plan.network_lease {
        let variables = network_lease.variables();
        spec.env.retain(|(name, _)| variables.iter().all(|(set, _)| set != name));
        spec.env.extend(variables);
    }
    if let Some(pipeline) = &plan.pipeline {
        spec.env.push(("BASH_ENV".into(), format!("/dev/fd/{}", SideChannel::INPUT).into()));
        spec.side = Some(SideChannel { input: pipeline.prelude().into_bytes() });
    }
    spec
}

fn bash() -> PathBuf {
    let usual = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"].map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let searched = std::env::split_paths(&path).map(|folder| folder.join("bash"));
    let found = usual.iter().cloned().chain(searched).find(|path| path.is_absolute() && path.exists());
    found.unwrap_or_else(|| PathBuf::from("/bin/bash"))
}

/// One stream of a command.
struct Stream {
    kind: OutputStream,
    pipe: Option<Receiver>,
    kept: HeadTail,
    /// The beginning of an incomplete character, for those who watch.
    begun: Vec<u8>,
}

impl Stream {
    fn new(kind: OutputStream, pipe: Option<Receiver>, most: usize) -> Self {
        Self { kind, pipe, kept: HeadTail::new(most), begun: Vec::new() }
    }

    fn take(&mut self, bytes: &[u8], both: &mut CombinedOutput, cx: &CallContext) {
        self.kept.push(bytes);
        both.push(self.kind, bytes);
        if let Some(tap) = cx.tap().filter(|tap| tap.takes(self.kind)) {
            tap.take(self.kind, bytes);
        } else if cx.events().is_live() && !bytes.is_empty() {
            self.begun.extend_from_slice(bytes);
            let whole = self.begun.len() - incomplete_end(&self.begun);
            let text = String::from_utf8_lossy(&self.begun[..whole]).into_owned();
            self.begun.drain(..whole);
            cx.events().output(self.kind, text);
        }
    }

    /// Takes the present content of the pipe without waiting.
    fn take_rest(&mut self, buffer: &mut [u8], both: &mut CombinedOutput, cx: &CallContext) {
        let pipe = self.pipe.take();
        take_ready(pipe.as_ref(), buffer, |bytes| self.take(bytes, both, cx));
    }
}

/// Waits for the next bytes of a pipe, and removes the pipe at its end; without a pipe it waits for
/// ever. Can be dropped.
pub(crate) async fn next_chunk(pipe: &mut Option<Receiver>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else {
        return std::future::pending().await;
    };
    match open.read(buffer).await {
        Ok(0) | Err(_) => {
            *pipe = None;
            0
        }
        Ok(count) => count,
    }
}

/// Takes the present content of a pipe without waiting.
pub(crate) fn take_ready(pipe: Option<&Receiver>, buffer: &mut [u8], mut take: impl FnMut(&[u8])) {
    while let Some(count) = pipe.and_then(|pipe| pipe.try_read(buffer).ok()).filter(|count| *count > 0) {
        take(&buffer[..count]);
    }
}

struct Run<'a> {
    tree: ProcessTree,
    temp: TempWatch,
    stdout: Stream,
    stderr: Stream,
    /// Both streams combined, in order of arrival.
    both: CombinedOutput,
    cx: &'a CallContext,
    buffers: [Vec<u8>; 2],
}

impl<'a> Run<'a> {
    fn new(mut tree: ProcessTree, temp: TempWatch, policy: &ShellPolicy, cx: &'a CallContext) -> Self {
        let most = stream_bytes(policy);
        // The tap has all bytes; the result is only for the record.
        let most = if cx.tap().is_some() { most.min(ENDS) } else { most };
        let stdout = Stream::new(OutputStream::Stdout, tree.take_stdout(), most);
        let stderr = Stream::new(OutputStream::Stderr, tree.take_stderr(), most);
        let intake = if cx.tap().is_some() { None } else { cx.intake().cloned() };
        let both = CombinedOutput::new(most.saturating_mul(2), intake);
        Self { tree, temp, stdout, stderr, both, cx, buffers: [vec![0; CHUNK], vec![0; CHUNK]] }
    }

    /// Drains until the command has ended, and a little longer if it left processes running. Asks
    /// it to end when its time is up or it waits for an answer, and returns the reason.
    async fn until_ended(&mut self, until: Instant, call_end: Option<Instant>, grace: Duration) -> Option<StopReason> {
        let sooner = |until: Instant| call_end.map_or(until, |end| end.min(until));
        let mut stopped = None;
        let mut watch = PromptWatch::new();
        let mut until = until;
        let mut deadline = sooner(until);
        let mut ended = false;
        loop {
            if ended && self.stdout.pipe.is_none() && self.stderr.pipe.is_none() {
                return stopped;
            }
            let [out, err] = &mut self.buffers;
            let is_full = self.both.is_full();
            tokio::select! {
                () = self.both.room(), if is_full => {}
                count = next_chunk(&mut self.stdout.pipe, out), if !is_full => {
                    watch.push(&out[..count]);
                    self.stdout.take(&out[..count], &mut self.both, self.cx);
                }
                count = next_chunk(&mut self.stderr.pipe, err), if !is_full => {
                    watch.push(&err[..count]);
                    self.stderr.take(&err[..count], &mut self.both, self.cx);
                }
                _ = self.tree.wait(), if !ended => {
                    ended = true;
                    deadline = deadline.min(Instant::now() + DRAIN);
                }
                () = sleep_until(watch.look_at()), if !ended && stopped.is_none() => {
                    if let Some(question) = watch.look(&self.tree) {
                        stopped = Some(StopReason::AwaitsInput(question));
                        let _ = self.tree.signal(15);
                        deadline = Instant::now() + grace;
                    }
                }
                () = sleep_until(self.temp.look_at()), if !ended && stopped.is_none() => {
                    if let Some(what) = self.temp.look() {
                        stopped = Some(StopReason::OverLimit(what));
                        let _ = self.tree.signal(15);
                        deadline = Instant::now() + grace;
                    }
                }
                () = sleep_until(deadline) => {
                    if ended || stopped.is_some() {
                        return stopped;
                    }
                    until += self.tree.take_stopped_time();
                    if sooner(until) > deadline {
                        deadline = sooner(until);
                        continue;
                    }
                    stopped = Some(StopReason::TimedOut);
                    // The command may have ended by itself just now; the wait above detects that.
                    let _ = self.tree.signal(15);
                    deadline = Instant::now() + grace;
                }
            }
        }
    }

    /// Ends remaining processes and takes their output.
    async fn finish(&mut self) -> Exit {
        self.tree.finish().await;
        let exit = self.tree.wait().await;
        let [out, err] = &mut self.buffers;
        self.stdout.take_rest(out, &mut self.both, self.cx);
        self.stderr.take_rest(err, &mut self.both, self.cx);
        exit
    }
}

fn conclude(printed: RunOutput, end: &End, plan: &Plan<'_>, cx: &CallContext) -> Result<ToolOutput, ToolError> {
    let End { exit, code, elapsed, .. } = *end;
    let RunOutput { stdout, stderr, both } = printed;
    let timed_out = end.stopped == Some(StopReason::TimedOut);
    let question = match &end.stopped {
        Some(StopReason::AwaitsInput(question)) => Some(question.clone()),
        _ => None,
    };
    let (stdout_bytes, stderr_bytes) = (stdout.total(), stderr.total());
    let lost = stdout.lost() + stderr.lost();
    let envelope = ShellOutputEnvelope {
        stdout: stdout.into_text(),
        stderr: stderr.into_text(),
        exit_code: Some(code),
        truncated: lost > 0,
        truncated_reason: (lost > 0).then(|| format!("{lost} bytes beyond `max_output_bytes` were left out")),
        signal: exit.signal,
        timed_out,
        duration_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        sandbox: SandboxReport::from(plan.sandbox.strength()),
        stdout_bytes,
        stderr_bytes,
        pipe_status: end.pipe_status.clone(),
        awaited_input: question.clone(),
        job_id: None,
        left_running: exit.left_running,
        obeyed: end.after.obeyed.clone(),
        unmasked: end.after.unmasked.clone(),
        rollback: None,
    };
    note_in(cx, &envelope.obeyed);
    cx.journal().note(keys::EXIT_CODE, code);
    cx.journal().note(keys::SANDBOX, envelope.sandbox.level.clone());
    if let Some(signal) = exit.signal {
        cx.journal().note(keys::SIGNAL, signal);
    }
    let failure = match (question, &end.stopped) {
        (Some(question), _) => Some(ShellError::AwaitsInput { question }),
        (None, Some(StopReason::OverLimit(what))) => Some(ShellError::OverLimit { what: what.clone() }),
        (None, _) if timed_out => Some(ShellError::TimedOut { after: elapsed }),
        (None, _) => exit::failure(code, exit.signal),
    };
    let mut notes = notes(&envelope, plan.pipeline.as_ref());
    if let Some(replaced) = &end.replaced {
        cx.journal().warn(replaced.clone());
        notes.push(replaced.clone());
    }
    notes.extend(plan.network_lease.iter().flat_map(|network_lease| network_lease.refused()));
    if code != 0 {
        notes.extend(ungranted::notes(&envelope.stderr, plan.workdir, plan.sandbox, plan.hidden));
    }
    let ended = CommandEnd { exit: Some(code), signal: exit.signal, stopped: end.stopped.clone(), notes, line: None };
    let text = text(both, plan.policy);
    let output = ToolOutput {
        summary: text.summary,
        complete: text.complete,
        digest: text.digest,
        ended: Some(ended),
        truncated: text.is_lost,
        raw_response: serde_json::to_value(&envelope).ok(),
        source: ClaimSource::Command,
        ..ToolOutput::default()
    };
    match failure {
        None => Ok(output),
        Some(failure) => {
            let detail = ErrorDetail::Shell { exit_code: code, signal: exit.signal };
            Err(ToolError::from(failure).with_detail(detail).with_output(output))
        }
    }
}

/// The text of a result.
struct Text {
    summary: String,
    complete: Option<OriginalText>,
    digest: Option<Digest>,
    /// Whether some bytes are in neither of them.
    is_lost: bool,
}

fn text(both: CommandOutput, policy: &ShellPolicy) -> Text {
    match both {
        CommandOutput::Taken(ends, digest) => {
            Text { summary: ends.into_text(), complete: None, digest: Some(*digest), is_lost: false }
        }
        CommandOutput::Held(kept) => {
            let shown = kept.narrowed(shown_bytes(policy));
            let is_lost = kept.lost() > 0;
            let complete = (shown.lost() > kept.lost()).then(|| {
                let (text, gap) = kept.into_parts();
                OriginalText { text: text.into(), shown: SummaryKind::Ends, gap }
            });
            Text { summary: shown.into_text(), complete, digest: None, is_lost }
        }
    }
}

/// Number of bytes of both streams that the model gets if nobody takes long text.
fn shown_bytes(policy: &ShellPolicy) -> usize {
    stream_bytes(policy).saturating_mul(2)
}

/// Number of bytes kept of each stream.
fn stream_bytes(policy: &ShellPolicy) -> usize {
    usize::try_from(policy.config.max_output_bytes).unwrap_or(usize::MAX).clamp(2, 1 << 30)
}

/// Notes on facts that the exit code alone does not show.
fn notes(envelope: &ShellOutputEnvelope, pipeline: Option<&Pipeline>) -> Vec<String> {
    let ended_well = envelope.exit_code == Some(0) && envelope.signal.is_none() && envelope.awaited_input.is_none();
    let hidden = envelope.pipe_status.as_ref().zip(pipeline).filter(|_| ended_well);
    let mut notes = Vec::from_iter(hidden.and_then(|(all, pipeline)| pipeline.hidden_failure(all)));
    if envelope.left_running > 0 {
        notes.push(format!("left running and ended: {}", envelope.left_running));
    }
    notes.extend(note(&envelope.obeyed));
    notes.extend(unmasked_note(&envelope.unmasked));
    notes
}
