//! Removes old chains. They are verified first, and their name, length and last hash are recorded
//! in another chain in the same transaction. Notes of other chains about a removed chain are
//! compared with that record, so that removal in any other way is detected as before.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use thiserror::Error;
use tools_audit::{AuditError, Head};
use tools_core::{Clock as _, SystemClock};
use tools_store::signed;

use super::chain::{self, Batch};
use super::heads::{self, NotedHead};
use super::reader::AuditDatabase;
use super::schema::failed;
use super::verify::TeamReport;

/// Event name of a line that names removed chains.
pub(super) const EVENT: &str = "chains_pruned";
/// Maximum number of chains in one line and one transaction.
const MAX_CHAINS: usize = 200;
/// Milliseconds of a day.
const DAY_MS: i64 = 24 * 3600 * 1000;

/// Facts about a removed chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrunedChain {
    /// Its name.
    pub chain: String,
    /// The machine.
    pub host: String,
    /// The process.
    pub pid: u64,
    /// Number of its last line.
    pub seq: u64,
    /// Hash of its last line.
    pub hash: String,
}

/// Result of removing old chains.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PruneReport {
    /// The chains that were removed, or would be.
    pub chains: Vec<PrunedChain>,
    /// The head of the chain that names them; `None` if nothing was removed.
    pub noted_in: Option<Head>,
}

/// Whether chains are removed or only looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PruneMode {
    /// Nothing changes.
    DryRun,
    /// They are removed.
    Remove,
}

/// Reason why nothing was removed.
#[derive(Debug, Error)]
pub enum PruneError {
    /// Less than a day, which would remove chains of running processes.
    #[error("at least one day is expected: a process that is idle shows once in an hour that it is there")]
    TooRecent,
    /// The record is not intact.
    #[error("the record is broken: `haft audit verify` says where; nothing is removed from it")]
    Broken(Box<TeamReport>),
    /// The database cannot be used.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// The removed chains that a line names; empty for any other line.
pub(super) fn of_line(line: &str) -> Vec<PrunedChain> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Members {
        event: String,
        chains: Vec<PrunedChain>,
    }
    if !line.contains(r#""event":"chains_pruned""#) {
        return vec![];
    }
    let members: Members = serde_json::from_str(line).unwrap_or_default();
    if members.event == EVENT { members.chains } else { vec![] }
}

/// Statements of chains about removed chains.
#[derive(Debug, Default)]
pub(super) struct PruneRecords {
    /// Removed chains by name.
    pub(super) chains: BTreeMap<String, PrunedChain>,
    /// Pairs of a chain and the removed chain that it names.
    said_by: BTreeSet<(String, String)>,
    /// Pairs of a chain and the chain whose head it noted.
    noted_by: BTreeSet<(String, String)>,
}

impl PruneRecords {
    pub(super) fn add(&mut self, by: &str, pruned: PrunedChain) {
        self.said_by.insert((by.to_owned(), pruned.chain.clone()));
        self.chains.insert(pruned.chain.clone(), pruned);
    }

    pub(super) fn noted(&mut self, by: &str, chain: &str) {
        self.noted_by.insert((by.to_owned(), chain.to_owned()));
    }

    /// Removed chains that remaining chains have noted, but that only chains about to be removed
    /// name.
    fn left_without(&self, going: &BTreeSet<&str>) -> Vec<PrunedChain> {
        let needed: BTreeSet<&str> = self
            .noted_by
            .iter()
            .filter(|(by, _)| !going.contains(by.as_str()))
            .map(|(_, chain)| chain.as_str())
            .collect();
        let stays = |chain: &str| self.said_by.iter().any(|(by, said)| said == chain && !going.contains(by.as_str()));
        let of_going = self.said_by.iter().filter(|(by, _)| going.contains(by.as_str())).map(|(_, chain)| chain);
        let left: BTreeSet<&String> =
            of_going.filter(|chain| needed.contains(chain.as_str()) && !stays(chain)).collect();
        left.into_iter().filter_map(|chain| self.chains.get(chain).cloned()).collect()
    }
}

impl AuditDatabase {
    /// Removes the chains to which nothing was added for `days`, after all chains were verified.
    ///
    /// # Errors
    /// [`PruneError`]; chains removed before an error of the database are named in the record.
    pub async fn prune(&self, days: u32, mode: PruneMode) -> Result<PruneReport, PruneError> {
        if days == 0 {
            return Err(PruneError::TooRecent);
        }
        let (report, tombs) = self.examine(&[]).await?;
        if !report.is_intact() {
            return Err(PruneError::Broken(Box::new(report)));
        }
        let cutoff = SystemClock.now().as_millisecond() - i64::from(days) * DAY_MS;
        let old = self.idle_since(cutoff).await?;
        let found = report.chains.iter().filter(|chain| old.contains(&chain.chain)).filter_map(|chain| {
            let Head { seq, hash } = chain.head.clone()?;
            Some(PrunedChain { chain: chain.chain.clone(), host: chain.host.clone(), pid: chain.pid, seq, hash })
        });
        let chains: Vec<PrunedChain> = found.collect();
        if mode == PruneMode::DryRun || chains.is_empty() {
            return Ok(PruneReport { chains, noted_in: None });
        }
        let mut own = OwnChain::new();
        let mut removed = Vec::new();
        for some in chains.chunks(MAX_CHAINS) {
            let going: BTreeSet<&str> = some.iter().chain(&removed).map(|chain| chain.chain.as_str()).collect();
            let staying = heads_of(&report, &going);
            removed.extend(self.remove(&mut own, some, cutoff, &tombs, &staying).await?);
        }
        Ok(PruneReport { chains: removed, noted_in: (own.head.seq > 0).then_some(own.head) })
    }

    /// Chains to which nothing was added since a time.
    async fn idle_since(&self, cutoff: i64) -> Result<BTreeSet<String>, AuditError> {
        let idle: Vec<String> = sqlx::query_scalar("SELECT id FROM haft_audit_chain WHERE moved_at < $1")
            .bind(cutoff)
            .fetch_all(self.server().reader().await.map_err(failed)?)
            .await
            .map_err(failed)?;
        Ok(idle.into_iter().collect())
    }

    /// Removes chains that did not change since they were verified, and names them, in one
    /// transaction.
    async fn remove(
        &self,
        own: &mut OwnChain,
        chains: &[PrunedChain],
        cutoff: i64,
        tombs: &PruneRecords,
        staying: &[NotedHead],
    ) -> Result<Vec<PrunedChain>, AuditError> {
        let mut change = self.server().write().await.map_err(failed)?;
        let mut removed = Vec::new();
        for chain in chains {
            if remove(&mut change, chain, cutoff).await.map_err(failed)? {
                removed.push(chain.clone());
            }
        }
        if removed.is_empty() {
            return Ok(removed);
        }
        let going: BTreeSet<&str> = removed.iter().map(|chain| chain.chain.as_str()).collect();
        let named: Vec<PrunedChain> = removed.iter().cloned().chain(tombs.left_without(&going)).collect();
        let mut bodies = vec![body(&named)];
        bodies.extend(staying.chunks(MAX_CHAINS).map(heads::body));
        let head = own.add(&mut change, bodies).await?;
        change.commit().await.map_err(failed)?;
        own.head = head;
        Ok(removed)
    }
}

async fn remove(change: &mut PgConnection, chain: &PrunedChain, cutoff: i64) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("DELETE FROM haft_audit_chain WHERE id = $1 AND seq = $2 AND hash = $3 AND moved_at < $4")
        .bind(&chain.chain)
        .bind(signed(chain.seq))
        .bind(&chain.hash)
        .bind(cutoff)
        .execute(&mut *change)
        .await?;
    if gone.rows_affected() == 0 {
        return Ok(false);
    }
    sqlx::query("DELETE FROM haft_audit_line WHERE chain = $1").bind(&chain.chain).execute(change).await?;
    Ok(true)
}

/// The heads of the remaining chains.
fn heads_of(report: &TeamReport, going: &BTreeSet<&str>) -> Vec<NotedHead> {
    let staying = report.chains.iter().filter(|chain| !going.contains(chain.chain.as_str()));
    let head = |chain: &super::Chain| {
        let Head { seq, hash } = chain.head.clone()?;
        Some(NotedHead { chain: chain.chain.clone(), seq, hash })
    };
    staying.filter_map(head).collect()
}

fn body(chains: &[PrunedChain]) -> String {
    let chains = serde_json::to_string(chains).unwrap_or_default();
    format!(r#""ts":"{:.3}","event":"{EVENT}","chains":{chains}"#, SystemClock.now())
}

/// The chain of the process that removes others.
struct OwnChain {
    name: String,
    head: Head,
}

impl OwnChain {
    fn new() -> Self {
        Self { name: uuid::Uuid::new_v4().to_string(), head: Head::default() }
    }

    /// Adds lines; returns the head after them, which applies once the transaction is committed.
    async fn add(&self, change: &mut PgConnection, bodies: Vec<String>) -> Result<Head, AuditError> {
        let host = crate::host();
        let mut began = None;
        if self.head.seq == 0 {
            chain::begin(change, &self.name, &host, std::process::id()).await.map_err(failed)?;
            began = Some(chain::began(&self.name, &host));
        }
        let batch = Batch::seal(&self.head, began.iter().chain(&bodies).map(String::as_str));
        if !batch.store(change, &self.name).await.map_err(failed)? {
            return Err(AuditError::Changed(self.name.clone()));
        }
        Ok(batch.after)
    }
}
