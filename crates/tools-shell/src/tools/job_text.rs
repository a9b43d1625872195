//! Results of the tools on jobs: the output of the command as text, its state as data, the report
//! as an object.

use tools_core::{
    AnswerBudget, CallContext, ClaimSource, CommandEnd, OriginalText, StopReason, SummaryKind, ToolOutput, Window, keys,
};

use crate::combined_output::CommandOutput;
use crate::jobs::{Job, JobReport, JobState};

/// Bytes reserved for the line below the text.
const NOTES: usize = 400;
/// Minimum length in bytes of a page, however small the answer may be.
const MIN_PAGE_BYTES: u64 = 256;

/// The result of a call that reads a job from `since` on: one part without a gap, as much as the
/// answer can hold.
pub(super) fn window(job: &Job, report: JobReport, since: u64, cx: &CallContext) -> ToolOutput {
    let budget = cx.answer().less(NOTES);
    // Once the job has ended, output that the log lost is returned whole, once, and shortened like
    // any output.
    if report.state == JobState::Ended && report.lost > 0 && cx.intake().is_some() && job.held() > 0 {
        return output(job, &report, cx);
    }
    let report = fitting(job, report, since, budget);
    let running = report.state == JobState::Running;
    let window = Window {
        from: since.saturating_add(report.lost).min(report.next),
        to: report.next,
        total: (!running).then_some(report.next + report.rest),
        next: (running || report.rest > 0).then_some(report.next),
    };
    ToolOutput { window: Some(window), ..output(job, &report, cx) }
}

/// The report from `since` on, as much of it as fits.
fn fitting(job: &Job, mut report: JobReport, since: u64, budget: AnswerBudget) -> JobReport {
    let mut most = (report.stdout.len() + report.stderr.len()) as u64;
    while !budget.holds(&text(&report)) && most > MIN_PAGE_BYTES {
        most = most.min(budget.bytes as u64).min(most - most / 8).max(MIN_PAGE_BYTES);
        report = job.report(since, most);
    }
    report
}

/// The result of a call about a job. An ended job also returns, once, the output that the report
/// lost, if somebody stores it.
pub(super) fn output(job: &Job, report: &JobReport, cx: &CallContext) -> ToolOutput {
    if let Some(code) = report.exit_code {
        cx.journal().note(keys::EXIT_CODE, code);
    }
    if let Some(signal) = report.signal {
        cx.journal().note(keys::SIGNAL, signal);
    }
    let is_partial = report.lost > 0 && cx.intake().is_some();
    // It contains both streams combined, without loss.
    let whole = if is_partial { job.take_whole() } else { None };
    let ended = ended(report, whole.is_some());
    let (complete, digest) = match whole {
        Some(CommandOutput::Taken(_, digest)) => (None, Some(*digest)),
        Some(held) => {
            let (text, gap) = held.into_parts();
            (Some(OriginalText { text: text.into(), shown: SummaryKind::Ends, gap }), None)
        }
        None => (None, None),
    };
    ToolOutput {
        complete,
        digest,
        summary: text(report),
        raw_response: serde_json::to_value(report).ok(),
        truncated: report.lost > 0,
        source: ClaimSource::Command,
        ended: Some(CommandEnd { line: Some(job.line.clone()), ..ended }),
        ..ToolOutput::default()
    }
}

fn text(report: &JobReport) -> String {
    let mut text = String::with_capacity(report.stdout.len() + report.stderr.len() + 1);
    // A page may end inside a line, so nothing is appended to it.
    for part in [&report.stdout, &report.stderr].into_iter().filter(|part| !part.is_empty()) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(part);
    }
    text
}

/// The state of the command. Lost output does not count if the whole output is handed on.
fn ended(report: &JobReport, is_handed_on: bool) -> CommandEnd {
    let (id, seconds) = (&report.id, report.duration_ms / 1000);
    let mut notes = vec![match (report.state, report.exit_code) {
        (JobState::Running, _) => format!("`{id}` has run for {seconds} s"),
        (JobState::Ended, Some(0)) if report.signal.is_none() => format!("`{id}` ended with exit code 0"),
        (JobState::Ended, _) => format!("`{id}` has ended"),
    }];
    notes.extend(report.note.clone());
    if report.left_running > 0 {
        notes.push(format!("left running and ended: {}", report.left_running));
    }
    if report.lost > 0 && !is_handed_on {
        notes.push(format!("{} bytes before this are no longer kept here", report.lost));
    }
    if report.rest > 0 {
        notes.push(format!("{} bytes follow", report.rest));
    }
    if report.state == JobState::Running || report.rest > 0 {
        notes.push(format!("next: {}", report.next));
    }
    let stopped = match (report.timed_out, report.killed) {
        (true, _) => Some(StopReason::TimedOut),
        (_, true) => Some(StopReason::Killed),
        _ => None,
    };
    CommandEnd { exit: report.exit_code, signal: report.signal, stopped, notes, line: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> JobReport {
        JobReport {
            id: "job-1".to_owned(),
            state: JobState::Running,
            stdout: "out".to_owned(),
            stderr: "err\n".to_owned(),
            exit_code: None,
            signal: None,
            timed_out: false,
            killed: false,
            next: 7,
            lost: 0,
            rest: 0,
            duration_ms: 2500,
            left_running: 0,
            pipe_status: None,
            note: None,
        }
    }

    #[test]
    fn a_report_reads_as_text() {
        let check = |report: &JobReport, expected: &str| {
            let output = ToolOutput { ended: Some(ended(report, false)), ..ToolOutput::text(text(report)) };
            assert_eq!(output.to_text(), expected);
        };
        check(&report(), "out\nerr\n[`job-1` has run for 2 s; next: 7]");
        let ended = JobReport { state: JobState::Ended, exit_code: Some(7), lost: 9, ..report() };
        check(&ended, "out\nerr\n[exit code 7; `job-1` has ended; 9 bytes before this are no longer kept here]");
        let part = JobReport { exit_code: Some(0), lost: 0, rest: 5, ..ended.clone() };
        check(&part, "out\nerr\n[`job-1` ended with exit code 0; 5 bytes follow; next: 7]");
        let killed =
            JobReport { killed: true, signal: Some(15), stdout: String::new(), stderr: String::new(), ..ended };
        check(&killed, "[stopped; `job-1` has ended; 9 bytes before this are no longer kept here]");
    }
}
