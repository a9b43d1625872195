//! `haft audit`: prints, follows and verifies the record of calls.

#[cfg(feature = "postgres")]
mod database;
mod report;

use std::{path::Path, time::Duration};

use haft::audit::view::{Follower, Row, rows};
use haft::audit::{Head, Report, verify_with};
use serde::Serialize;

use crate::{
    args::{AuditVerb, CommonArgs},
    commands::{open::load, record_file::RecordFile, replay},
    exit::Exit,
    output::{self, one_line},
};

pub(crate) async fn run(common: &CommonArgs, verb: &AuditVerb) -> Result<Exit, String> {
    #[cfg(feature = "postgres")]
    if let Some(command) = database::DatabaseCommand::of(verb)
        && let Some(database) = haft::team::audit::AuditDatabase::of(&load(common)?.config.tools.audit)?
    {
        return command.run(common, &database).await;
    }
    match verb {
        AuditVerb::View { file } => view(common, &log(common, file.as_deref()).await?),
        AuditVerb::Tail { lines, no_follow, file } => {
            tail(common, &log(common, file.as_deref()).await?, *lines, !no_follow).await
        }
        AuditVerb::Verify { file, head } => check(common, &log(common, file.as_deref()).await?, head),
        AuditVerb::Prune { days, dry_run } => {
            let verb = if *dry_run { "would be" } else { "is" };
            Err(format!(
                "nothing older than {days} days {verb} removed: the record is in a file, whose older parts can be moved away"
            ))
        }
        AuditVerb::Replay { file, all } => replay::run(common, file.as_deref(), *all).await,
        AuditVerb::Report { file, out, all, calls } => {
            let of_folder = !all && file.is_none() && common.session.is_none();
            report::write(common, &log(common, file.as_deref()).await?, out.as_deref(), *calls, of_folder)
        }
    }
}

/// Opens the named file, else the configured record: its file, or a copy of its database.
async fn log(common: &CommonArgs, file: Option<&Path>) -> Result<RecordFile, String> {
    match file {
        Some(file) => Ok(RecordFile::of(file)),
        None => RecordFile::configured(&load(common)?.config).await,
    }
}

fn view(common: &CommonArgs, file: &Path) -> Result<Exit, String> {
    let rows = rows(file).map_err(|error| error.to_string())?;
    if rows.is_empty() && !common.json && !common.quiet {
        output::note("no calls are recorded");
    }
    for row in &rows {
        print(common, row);
    }
    Ok(Exit::Ok)
}

async fn tail(common: &CommonArgs, file: &Path, lines: usize, follow: bool) -> Result<Exit, String> {
    let mut follower = Follower::from_last(file, lines).map_err(|error| error.to_string())?;
    loop {
        for line in follower.poll().map_err(|error| error.to_string())? {
            if common.json {
                output::line(&String::from_utf8_lossy(&line));
            } else if let Some(row) = Row::of(&line) {
                print(common, &row);
            }
        }
        if !follow || output::is_unread() {
            return Ok(Exit::Ok);
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

fn print(common: &CommonArgs, row: &Row) {
    if common.json {
        return output::json(row);
    }
    let time = row.ts.get(11..19).unwrap_or(&row.ts);
    let about: String = one_line(&row.about).chars().take(60).collect();
    output::line(&format!(
        "{:>5} {time} {:<16} {:<6} {:<24} {:>6} ms  {about:<60}  {}",
        row.seq,
        row.tool,
        row.decision,
        row.outcome,
        row.duration_ms,
        one_line(&row.by)
    ));
}

fn check(common: &CommonArgs, file: &Path, heads: &[Head]) -> Result<Exit, String> {
    let report = verify_with(file, heads).map_err(|error| error.to_string())?;
    Ok(print_report(common, &report, report.is_intact(), |report| described(file, report)))
}

/// Prints the result of a check: as JSON with `intact`, or as text.
fn print_report<R: Serialize>(common: &CommonArgs, report: &R, intact: bool, described: impl Fn(&R) -> String) -> Exit {
    #[derive(Serialize)]
    struct Checked<'a, R> {
        #[serde(flatten)]
        report: &'a R,
        intact: bool,
    }

    if common.json {
        output::json(&Checked { report, intact });
    } else {
        output::line(&described(report));
    }
    if intact { Exit::Ok } else { Exit::ToolFailed }
}

fn described(file: &Path, report: &Report) -> String {
    let mut lines = vec![match &report.broken {
        None => {
            format!("{}: {} lines, {} sessions, chain unbroken", file.display(), report.lines, report.sessions.len())
        }
        Some(broken) => format!(
            "{}: BROKEN at line {}: {} ({} places in all)",
            file.display(),
            broken.line,
            one_line(&broken.why),
            report.broken_count
        ),
    }];
    for damage in &report.damaged {
        lines.push(format!(
            "line {}: a write was cut off after {} bytes; the chain continues",
            damage.line, damage.bytes
        ));
    }
    if report.lost > 0 {
        lines.push(format!("{} calls could not be recorded, according to later lines", report.lost));
    }
    if let Some(continuation) = &report.continues {
        let fits = match continuation.fits {
            Some(true) => "and fits its end",
            Some(false) => "and does NOT fit its end",
            None => "which is not here to be looked at",
        };
        lines.push(format!("continues {}, {fits}", one_line(&continuation.file)));
    }
    for earlier in &report.earlier {
        let file = one_line(&earlier.file);
        lines.push(match &earlier.broken {
            None => format!("{file}: {} lines, chain unbroken", earlier.lines),
            Some(broken) => format!("{file}: BROKEN at line {}: {}", broken.line, one_line(&broken.why)),
        });
    }
    if let Some(Head { seq, hash }) = &report.replaces {
        lines.push(format!("an earlier log of {seq} lines was archived; its head: {seq}:{hash}"));
    }
    if let (Some(seq), Some(head)) = (report.last_seq, &report.head) {
        let noted = match report.heads {
            0 => "no head to compare with: a missing end would not be noticed",
            _ => "keep it elsewhere and verify it with `--head`",
        };
        lines.push(format!("head: {seq}:{head} ({noted})"));
    }
    lines.join("\n")
}
