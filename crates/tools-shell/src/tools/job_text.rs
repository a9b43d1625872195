//! What the tools on jobs give back: the report as an object, and as text for the model.

use tools_core::{CallContext, ClaimSource, Complete, Shown, ToolOutput, keys};

use crate::jobs::{Job, JobReport, JobState};

/// The result of a call about a job. One that has ended gives what the report has lost along, once, where somebody stores
/// it.
pub(super) fn output(job: &Job, report: &JobReport, cx: &CallContext) -> ToolOutput {
    if let Some(code) = report.exit_code {
        cx.journal().note(keys::EXIT_CODE, code);
    }
    if let Some(signal) = report.signal {
        cx.journal().note(keys::SIGNAL, signal);
    }
    let is_partial = report.lost > 0 && cx.storable() > 0;
    let whole = if is_partial { job.take_whole() } else { None };
    let whole = whole.map(|stdout| {
        // Both streams are in it, as they came, and nothing is lost to whoever reads it.
        text(&JobReport { stdout, stderr: String::new(), lost: 0, ..report.clone() })
    });
    ToolOutput {
        complete: whole.map(|text| Complete { text: text.into(), shown: Shown::Ends }),
        summary: text(report),
        raw_response: serde_json::to_value(report).ok(),
        truncated: report.lost > 0,
        source: ClaimSource::Command,
        ..ToolOutput::default()
    }
}

fn text(report: &JobReport) -> String {
    let mut text = String::new();
    for part in [&report.stdout, &report.stderr] {
        text.push_str(part);
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    let mut notes = vec![state(report)];
    notes.extend(report.note.clone());
    if report.left_running > 0 {
        notes.push(format!("left running and ended: {}", report.left_running));
    }
    if report.lost > 0 {
        notes.push(format!("{} bytes are no longer kept here", report.lost));
    }
    if report.state == JobState::Running {
        notes.push(format!("next: {}", report.next));
    }
    format!("{text}[{}]", notes.join("; "))
}

fn state(report: &JobReport) -> String {
    let (id, seconds) = (&report.id, report.duration_ms / 1000);
    match (report.state, report.exit_code, report.signal) {
        (JobState::Running, ..) => format!("`{id}` has run for {seconds} s"),
        _ if report.timed_out => format!("`{id}` was stopped after {seconds} s: its time was up"),
        _ if report.killed => format!("`{id}` was ended"),
        (_, _, Some(signal)) => format!("`{id}` ended by signal {signal}"),
        (_, Some(code), _) => format!("`{id}` ended with exit code {code}"),
        _ => format!("`{id}` ended"),
    }
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
            duration_ms: 2500,
            left_running: 0,
            pipe_status: None,
            note: None,
        }
    }

    #[test]
    fn a_report_reads_as_text() {
        assert_eq!(text(&report()), "out\nerr\n[`job-1` has run for 2 s; next: 7]");
        let ended = JobReport { state: JobState::Ended, exit_code: Some(7), lost: 9, ..report() };
        assert_eq!(text(&ended), "out\nerr\n[`job-1` ended with exit code 7; 9 bytes are no longer kept here]");
        let killed =
            JobReport { killed: true, signal: Some(15), stdout: String::new(), stderr: String::new(), ..ended };
        assert_eq!(text(&killed), "[`job-1` was ended; 9 bytes are no longer kept here]");
    }
}
