//! The task of a job: drains its streams, enforces its time limit, handles requests to end it, and
//! reports its end. Dropping the task kills the job and all its processes.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tools_core::{Intake, OutputStream};

use super::job::{Job, JobEnd};
use super::log::Source;
use crate::combined_output::CombinedOutput;
use crate::exit;
use crate::pipeline::Pipeline;
use crate::prompt::PromptWatch;
use crate::run::{CHUNK, DRAIN, RunningCommand, next_chunk, pipe_status, take_ready};
use crate::temp::TempWatch;
use tools_sandbox::kernel::NetworkLease;
use tools_sandbox::obeyed::{Guard, note, replaced_note, unmasked_note};

/// A job that was started and is not followed yet.
pub(crate) struct NewJob {
    pub(crate) started: RunningCommand,
    /// Its command line.
    pub(crate) line: Arc<str>,
    pub(crate) pipeline: Option<Pipeline>,
    pub(crate) limit: Duration,
    pub(crate) grace: Duration,
    pub(crate) guard: Guard,
    pub(crate) temp: TempWatch,
    /// Kept for as long as the job runs.
    pub(crate) network_lease: Option<Arc<dyn NetworkLease>>,
}

#[derive(PartialEq, Eq)]
enum JobStop {
    No,
    TimedOut,
    Killed,
    AwaitsInput(String),
    OverLimit(String),
}

impl NewJob {
    /// Follows the job to its end; `intake` takes long output.
    pub(crate) async fn run(self, job: Arc<Job>, intake: Option<Arc<dyn Intake>>) {
        let Self {
            started: RunningCommand { mut tree, side },
            pipeline,
            limit,
            grace,
            guard,
            mut temp,
            network_lease,
            line: _,
        } = self;
        let (mut stdout, mut stderr) = (tree.take_stdout(), tree.take_stderr());
        let (mut out, mut err) = (vec![0; CHUNK], vec![0; CHUNK]);
        let mut deadline = Instant::now() + limit;
        let (mut ended, mut stopped) = (false, JobStop::No);
        let mut watch = PromptWatch::new();
        let is_taken = intake.is_some();
        let mut whole = CombinedOutput::new(0, intake);
        while !ended || stdout.is_some() || stderr.is_some() {
            let is_full = whole.is_full();
            tokio::select! {
                () = whole.room(), if is_full => {}
                count = next_chunk(&mut stdout, &mut out), if !is_full => {
                    watch.push(&out[..count]);
                    whole.push(OutputStream::Stdout, &out[..count]);
                    job.push(Source::Stdout, &out[..count]);
                }
                count = next_chunk(&mut stderr, &mut err), if !is_full => {
                    watch.push(&err[..count]);
                    whole.push(OutputStream::Stderr, &err[..count]);
                    job.push(Source::Stderr, &err[..count]);
                }
                _ = tree.wait(), if !ended => {
                    ended = true;
                    deadline = deadline.min(Instant::now() + DRAIN);
                }
                () = job.stop.notified(), if stopped == JobStop::No && !ended => {
                    stopped = JobStop::Killed;
                    let _ = tree.signal(15);
                    deadline = Instant::now() + grace;
                }
                () = sleep_until(watch.look_at()), if stopped == JobStop::No && !ended => {
                    if let Some(question) = watch.look(&tree) {
                        stopped = JobStop::AwaitsInput(question);
                        let _ = tree.signal(15);
                        deadline = Instant::now() + grace;
                    }
                }
                () = sleep_until(temp.look_at()), if stopped == JobStop::No && !ended => {
                    if let Some(what) = temp.look() {
                        stopped = JobStop::OverLimit(what);
                        let _ = tree.signal(15);
                        deadline = Instant::now() + grace;
                    }
                }
                () = sleep_until(deadline) => {
                    if ended || stopped != JobStop::No {
                        break;
                    }
                    let still = tree.take_stopped_time();
                    if !still.is_zero() {
                        deadline += still;
                        continue;
                    }
                    stopped = JobStop::TimedOut;
                    let _ = tree.signal(15);
                    deadline = Instant::now() + grace;
                }
            }
        }
        tree.finish().await;
        let exit = tree.wait().await;
        for (pipe, source, stream) in
            [(&stdout, Source::Stdout, OutputStream::Stdout), (&stderr, Source::Stderr, OutputStream::Stderr)]
        {
            take_ready(pipe.as_ref(), &mut out, |bytes| {
                whole.push(stream, bytes);
                job.push(source, bytes);
            });
        }
        let timed_out = stopped == JobStop::TimedOut;
        let killed = stopped == JobStop::Killed;
        let pipe_status = pipe_status(pipeline.as_ref(), side);
        let exit_code = if timed_out { exit::TIMED_OUT } else { exit::code(exit) };
        let hidden = pipeline.as_ref().zip(pipe_status.as_ref()).filter(|_| exit_code == 0);
        let why = match stopped {
            JobStop::AwaitsInput(question) => Some(format!("it waited for an answer to `{question}`")),
            JobStop::OverLimit(what) => Some(format!("it took too much of {what}")),
            _ => hidden.and_then(|(pipeline, statuses)| pipeline.hidden_failure(statuses)),
        };
        let after = guard.after(None);
        let whole = whole.finish(Some(exit_code)).await;
        let end = JobEnd {
            exit_code,
            signal: exit.signal,
            timed_out,
            killed,
            left_running: exit.left_running,
            note: joined(
                why.into_iter()
                    .chain(note(&after.obeyed))
                    .chain(unmasked_note(&after.unmasked))
                    .chain(replaced_note(tree.replaced(), guard.root()))
                    .chain(network_lease.iter().flat_map(|network_lease| network_lease.refused())),
            ),
            pipe_status,
            elapsed: job.elapsed(),
        };
        job.end(end, is_taken.then_some(whole));
    }
}

fn joined(notes: impl Iterator<Item = String>) -> Option<String> {
    notes.reduce(|all, note| format!("{all}; {note}"))
}
