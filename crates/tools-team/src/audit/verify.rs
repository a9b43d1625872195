//! Verifies all chains of a database: each from its first line to its last, and against the notes
//! of the other chains.

use std::{cmp::Ordering, collections::BTreeMap};

use serde::{Deserialize, Serialize};
use sqlx::PgConnection;
use tools_audit::{AuditError, Broken, Head, unseal, verify_after};
use tools_store::{signed, unsigned};

use super::heads;
use super::prune::{self, PruneRecords, PrunedChain};
use super::reader::{AuditDatabase, LINES};
use super::schema::failed;

/// Result of a check of all chains.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct TeamReport {
    /// The chains, oldest first.
    pub chains: Vec<Chain>,
    /// Number of heads noted by other chains that were compared.
    pub noted: u64,
    /// Heads noted elsewhere that no chain contains.
    pub missing_heads: Vec<Head>,
    /// Chains that were removed because of their age, as they were then.
    pub pruned: Vec<PrunedChain>,
}

/// Result for one chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// Its name.
    pub chain: String,
    /// The machine, as its first line says; empty if nothing is left of the chain.
    pub host: String,
    /// The process, as its first line says.
    pub pid: u64,
    /// Number of lines.
    pub lines: u64,
    /// Its last line; `None` if it has none.
    pub head: Option<Head>,
    /// Number of calls that could not be recorded, as later lines say.
    pub lost: u64,
    /// Number of the last line that other chains noted: removal of later lines would go unnoticed.
    pub noted: u64,
    /// The first place where it is not intact.
    pub broken: Option<Broken>,
}

impl TeamReport {
    /// Whether every line is unchanged and none is missing, as far as this can be known.
    pub fn is_intact(&self) -> bool {
        self.missing_heads.is_empty() && self.chains.iter().all(|chain| chain.broken.is_none())
    }
}

/// Noted heads of each chain: number and hash, and a chain that noted them.
type NotedHeads = BTreeMap<String, NotedHeadsOfChain>;
type NotedHeadsOfChain = BTreeMap<(u64, String), String>;

impl AuditDatabase {
    /// Verifies every chain in one snapshot, that it contains what others noted, and that one of
    /// them contains `heads`, which were noted elsewhere.
    ///
    /// # Errors
    /// If the database cannot be used. Faults of the chains are in the report.
    pub async fn verify(&self, known: &[Head]) -> Result<TeamReport, AuditError> {
        Ok(self.examine(known).await?.0)
    }

    /// Like [`Self::verify`], also returning what chains say about removed chains.
    pub(super) async fn examine(&self, known: &[Head]) -> Result<(TeamReport, PruneRecords), AuditError> {
        let mut snapshot = self.snapshot().await?;
        let mut report = TeamReport::default();
        let (mut noted, mut tombs) = (NotedHeads::new(), PruneRecords::default());
        for (name, seq, hash) in chains(&mut snapshot).await? {
            let head = Head { seq: unsigned(seq), hash };
            let chain = check(&mut snapshot, name, &head, &mut noted, &mut tombs).await?;
            // A process that recorded nothing left no line that could be missing.
            if chain.lines > 0 || head.seq > 0 {
                report.chains.push(chain);
            }
        }
        for (name, heads) in &noted {
            report.noted += heads.len() as u64;
            let is_there = report.chains.iter().any(|chain| chain.chain == *name);
            let found = match tombs.chains.get(name) {
                Some(pruned) if !is_there => match contradicts(pruned, heads) {
                    None => continue,
                    contradiction => contradiction,
                },
                _ => compare(&mut snapshot, name, heads).await?,
            };
            if !report.chains.iter().any(|chain| chain.chain == *name) {
                report.chains.push(Chain { chain: name.clone(), ..Chain::default() });
            }
            let Some(chain) = report.chains.iter_mut().find(|chain| chain.chain == *name) else { continue };
            chain.noted = heads.keys().map(|(seq, _)| *seq).max().unwrap_or_default();
            if chain.broken.is_none() {
                chain.broken = found;
            }
        }
        for head in known {
            let lines = lines_of_number(&mut snapshot, head.seq).await?;
            let is_there = |line: &String| unseal(line.as_bytes()).is_some_and(|sealed| sealed.head() == *head);
            let is_last = |pruned: &PrunedChain| pruned.seq == head.seq && head.hash == pruned.hash;
            if !lines.iter().any(is_there) && !tombs.chains.values().any(is_last) {
                report.missing_heads.push(head.clone());
            }
        }
        report.pruned = tombs.chains.values().cloned().collect();
        Ok((report, tombs))
    }
}

/// Names and heads of all chains, including those of which only lines are left.
async fn chains(snapshot: &mut PgConnection) -> Result<Vec<(String, i64, String)>, AuditError> {
    sqlx::query_as(
        "SELECT id, seq, hash FROM haft_audit_chain
         UNION ALL
         SELECT DISTINCT chain, 0::bigint, '' FROM haft_audit_line
         WHERE NOT EXISTS (SELECT 1 FROM haft_audit_chain WHERE id = haft_audit_line.chain)
         ORDER BY 1",
    )
    .fetch_all(snapshot)
    .await
    .map_err(failed)
}

/// Content of a chain's first line.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ChainStart {
    chain: String,
    host: String,
    pid: u64,
}

/// The fault if others noted more of a removed chain than its record says.
fn contradicts(pruned: &PrunedChain, heads: &NotedHeadsOfChain) -> Option<Broken> {
    let mut beyond = heads.iter().filter(|((seq, hash), _)| match seq.cmp(&pruned.seq) {
        Ordering::Less => false,
        Ordering::Equal => pruned.hash != *hash,
        Ordering::Greater => true,
    });
    let ((seq, _), by) = beyond.next()?;
    let why = format!("the chain was removed with {} lines, and the chain `{by}` noted another line {seq}", pruned.seq);
    Some(Broken { line: *seq, why })
}

/// Verifies one chain by itself and collects its notes about others.
async fn check(
    snapshot: &mut PgConnection,
    name: String,
    head: &Head,
    noted: &mut NotedHeads,
    tombs: &mut PruneRecords,
) -> Result<Chain, AuditError> {
    let mut chain = Chain { chain: name, ..Chain::default() };
    let mut end = Head::default();
    loop {
        let lines: Vec<(i64, String)> =
            sqlx::query_as("SELECT seq, line FROM haft_audit_line WHERE chain = $1 AND seq > $2 ORDER BY seq LIMIT $3")
                .bind(&chain.chain)
                .bind(signed(end.seq))
                .bind(LINES)
                .fetch_all(&mut *snapshot)
                .await
                .map_err(failed)?;
        let Some((_, first)) = lines.first() else { break };
        if chain.lines == 0 {
            let began: ChainStart = serde_json::from_str(first).unwrap_or_default();
            if began.chain != chain.chain {
                broken(&mut chain, 1, "the first line is of another chain".to_owned());
            }
            (chain.host, chain.pid) = (began.host, began.pid);
        }
        let text: String = lines.iter().flat_map(|(_, line)| [line.as_str(), "\n"]).collect();
        let report = verify_after(end.clone(), text.as_bytes()).map_err(failed)?;
        if let Some(found) = report.broken {
            broken(&mut chain, end.seq + found.line, found.why);
        }
        for (line, text) in (end.seq + 1..).zip(lines.iter().map(|(_, text)| text)) {
            if text.contains('\n') {
                broken(&mut chain, line, "the line has a line break".to_owned());
            }
            for pruned in prune::of_line(text) {
                tombs.add(&chain.chain, pruned);
            }
            for head in heads::of_line(text) {
                tombs.noted(&chain.chain, &head.chain);
                noted.entry(head.chain).or_default().insert((head.seq, head.hash), chain.chain.clone());
            }
        }
        chain.lines += report.lines;
        chain.lost += report.lost;
        let (last, hash) = (lines.last().map_or(0, |(seq, _)| unsigned(*seq)), report.head.unwrap_or_default());
        end = Head { seq: last.max(end.seq + 1), hash };
    }
    chain.head = (chain.lines > 0).then(|| end.clone());
    if end.seq < head.seq {
        let why = format!("the end is missing: {} lines, up to number {}", head.seq - end.seq, head.seq);
        broken(&mut chain, end.seq + 1, why);
    } else if end != *head {
        broken(&mut chain, end.seq, "the last line is not the one that the chain was left with".to_owned());
    }
    Ok(chain)
}

fn broken(chain: &mut Chain, line: u64, why: String) {
    if chain.broken.as_ref().is_none_or(|broken| line < broken.line) {
        chain.broken = Some(Broken { line, why });
    }
}

/// Compares a chain with the notes of others.
async fn compare(
    snapshot: &mut PgConnection,
    chain: &str,
    heads: &NotedHeadsOfChain,
) -> Result<Option<Broken>, AuditError> {
    let numbers: Vec<i64> = heads.keys().map(|(seq, _)| signed(*seq)).collect();
    let lines: Vec<(i64, String)> =
        sqlx::query_as("SELECT seq, line FROM haft_audit_line WHERE chain = $1 AND seq = ANY($2)")
            .bind(chain)
            .bind(numbers)
            .fetch_all(snapshot)
            .await
            .map_err(failed)?;
    let lines: BTreeMap<u64, String> = lines.into_iter().map(|(seq, line)| (unsigned(seq), line)).collect();
    for ((seq, hash), by) in heads {
        let found = lines.get(seq).and_then(|line| unseal(line.as_bytes()));
        let why = match found {
            Some(sealed) if sealed.seq == *seq && sealed.hash == hash => continue,
            Some(_) => format!("the line is not the one whose hash the chain `{by}` noted"),
            None => format!("the line is missing: the chain `{by}` noted it"),
        };
        return Ok(Some(Broken { line: *seq, why }));
    }
    Ok(None)
}

async fn lines_of_number(snapshot: &mut PgConnection, seq: u64) -> Result<Vec<String>, AuditError> {
    sqlx::query_scalar("SELECT line FROM haft_audit_line WHERE seq = $1")
        .bind(signed(seq))
        .fetch_all(snapshot)
        .await
        .map_err(failed)
}
