//! Verifies all chains of a record in a database, and prints its lines as they are added.

use std::time::Duration;

use haft::audit::Head;
use haft::audit::view::Row;
use haft::team::audit::{AuditDatabase, Chain, PruneMode, PrunedChain, TeamReport};

use super::{print, print_report};
use crate::args::{AuditVerb, CommonArgs};
use crate::exit::Exit;
use crate::output::{self, one_line};

/// Verb that handles a database differently from a file.
pub(super) enum DatabaseCommand<'a> {
    Tail { lines: usize, follow: bool },
    Verify { heads: &'a [Head] },
    Prune { days: u32, mode: PruneMode },
}

impl<'a> DatabaseCommand<'a> {
    /// `None` for verbs that read a copy of the record, and if a file is named.
    pub(super) fn of(verb: &'a AuditVerb) -> Option<Self> {
        match verb {
            AuditVerb::Tail { lines, no_follow, file: None } => Some(Self::Tail { lines: *lines, follow: !no_follow }),
            AuditVerb::Verify { head, file: None } => Some(Self::Verify { heads: head }),
            AuditVerb::Prune { days, dry_run } => {
                Some(Self::Prune { days: *days, mode: if *dry_run { PruneMode::DryRun } else { PruneMode::Remove } })
            }
            _ => None,
        }
    }

    pub(super) async fn run(self, common: &CommonArgs, database: &AuditDatabase) -> Result<Exit, String> {
        match self {
            Self::Tail { lines, follow } => tail(common, database, lines, follow).await,
            Self::Verify { heads } => check(common, database, heads).await,
            Self::Prune { days, mode } => prune(common, database, days, mode).await,
        }
    }
}

async fn tail(common: &CommonArgs, database: &AuditDatabase, lines: usize, follow: bool) -> Result<Exit, String> {
    let mut after = database.before_last(lines).await.map_err(|error| error.to_string())?;
    loop {
        let page = database.lines(after).await.map_err(|error| error.to_string())?;
        for line in &page.lines {
            if common.json {
                output::line(line);
            } else if let Some(row) = Row::of(line.as_bytes()) {
                print(common, &row);
            }
        }
        after = page.last.unwrap_or(after);
        if page.next.is_some() {
            continue;
        }
        if !follow || output::is_unread() {
            return Ok(Exit::Ok);
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
}

async fn check(common: &CommonArgs, database: &AuditDatabase, heads: &[Head]) -> Result<Exit, String> {
    let report = database.verify(heads).await.map_err(|error| error.to_string())?;
    Ok(print_report(common, &report, report.is_intact(), described))
}

async fn prune(common: &CommonArgs, database: &AuditDatabase, days: u32, mode: PruneMode) -> Result<Exit, String> {
    let pruned = database.prune(days, mode).await.map_err(|error| error.to_string())?;
    if common.json {
        output::json(&pruned);
        return Ok(Exit::Ok);
    }
    let verb = if mode == PruneMode::DryRun { "would be removed" } else { "removed" };
    for PrunedChain { chain, host, pid, seq, hash } in &pruned.chains {
        let (chain, host) = (one_line(chain), one_line(host));
        output::line(&format!("{verb}: {chain} ({host}, process {pid}), {seq} lines; head: {seq}:{hash}"));
    }
    if !common.quiet {
        let noted = pruned.noted_in.map(|head| format!("; they are named in the record, head: {head}"));
        output::note(&format!("{} chains {verb}{}", pruned.chains.len(), noted.unwrap_or_default()));
    }
    Ok(Exit::Ok)
}

fn described(report: &TeamReport) -> String {
    let state = if report.is_intact() { "unbroken" } else { "BROKEN" };
    let lines: u64 = report.chains.iter().map(|chain| chain.lines).sum();
    let mut text = vec![format!(
        "PostgreSQL: {} chains, {lines} lines, {} heads noted of each other: {state}",
        report.chains.len(),
        report.noted
    )];
    if !report.pruned.is_empty() {
        text.push(format!("{} older chains were removed, and are named in the record", report.pruned.len()));
    }
    text.extend(report.chains.iter().map(described_chain));
    for Head { seq, hash } in &report.missing_heads {
        text.push(format!("no chain has the head {seq}:{hash}"));
    }
    text.join("\n")
}

fn described_chain(chain: &Chain) -> String {
    let name = format!("{} ({}, process {})", one_line(&chain.chain), one_line(&chain.host), chain.pid);
    let mut parts = vec![match &chain.broken {
        Some(broken) => format!("{name}: BROKEN at line {}: {}", broken.line, one_line(&broken.why)),
        None => format!("{name}: {} lines, unbroken, noted up to {}", chain.lines, chain.noted),
    }];
    if chain.lost > 0 {
        parts.push(format!("{} calls could not be recorded, according to later lines", chain.lost));
    }
    parts.extend(chain.head.as_ref().map(|head| format!("head: {head}")));
    parts.join("; ")
}
