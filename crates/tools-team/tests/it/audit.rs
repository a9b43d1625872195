//! The record: what is acknowledged is there, and what is missing is noticed.

use std::sync::Arc;

use tools_audit::{AuditError, AuditSink as _, Head};
use tools_team::audit::{AuditDatabase, PostgresSink, PruneError, PruneMode, TeamReport};

use crate::{database, server, tamper};

fn body(call: usize) -> String {
    format!(r#""ts":"2026-01-02T03:04:05.678Z","session":"s{}","call_id":"c{call}""#, call % 2)
}

async fn append(sink: &PostgresSink, calls: std::ops::Range<usize>) -> Head {
    let mut head = Head::default();
    for call in calls {
        head = sink.store(body(call)).await.unwrap();
    }
    head
}

async fn verify(address: &str) -> TeamReport {
    AuditDatabase::at(address).unwrap().verify(&[]).await.unwrap()
}

/// Problem of the only chain that has one.
fn problem(report: &TeamReport, chain: &str) -> String {
    let broken: Vec<_> = report.chains.iter().filter(|chain| chain.broken.is_some()).collect();
    assert_eq!(broken.iter().map(|chain| chain.chain.as_str()).collect::<Vec<_>>(), [chain], "{report:?}");
    assert!(!report.is_intact());
    broken[0].broken.clone().unwrap().why
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_process_has_a_chain_and_a_cut_one_is_noticed() {
    let Some(server) = server() else { return };
    let address = database(&server, "chains").await;
    let (one, two) = (PostgresSink::at(&address).unwrap(), PostgresSink::at(&address).unwrap());
    // Both make the schema at once, as two machines would.
    let (first, second) = tokio::join!(append(&one, 0..20), append(&two, 0..20));
    // Lines of several callers go together, in order of the chain.
    let one = Arc::new(one);
    let tasks = (20..120).map(|call| {
        let one = Arc::clone(&one);
        tokio::spawn(async move { one.store(body(call)).await.unwrap() })
    });
    let mut numbers = vec![];
    for task in tasks.collect::<Vec<_>>() {
        numbers.push(task.await.unwrap().seq);
    }
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 100);
    // A destructor appends without waiting for a task.
    let last = tokio::task::block_in_place(|| one.append(&body(120))).unwrap();
    let report = verify(&address).await;
    assert!(report.is_intact() && report.chains.len() == 2, "{report:?}");
    let found = |chain: &str| report.chains.iter().find(|found| found.chain == chain).unwrap().clone();
    assert_eq!(found(one.chain()).head, Some(last.clone()));
    assert!(found(one.chain()).pid == u64::from(std::process::id()) && !found(one.chain()).host.is_empty());
    let known = AuditDatabase::at(&address).unwrap();
    assert!(known.verify(&[first.clone(), second.clone(), last.clone()]).await.unwrap().is_intact());
    let unknown = known.verify(&[Head { seq: last.seq, hash: "a".repeat(64) }]).await.unwrap();
    assert!(!unknown.is_intact() && unknown.missing_heads.len() == 1);

    // Another process begins, and notes both.
    let (chain_one, chain_two) = (one.chain().to_owned(), two.chain().to_owned());
    drop((one, two));
    let three = PostgresSink::at(&address).unwrap();
    append(&three, 0..1).await;
    let report = verify(&address).await;
    assert!(report.is_intact() && report.noted >= 2, "{report:?}");

    // Sessions are read across chains.
    let page = known.of_session("s1", 0, 1_000).await.unwrap();
    assert!(page.rows.len() == 10 + 10 + 50 && page.next.is_none(), "{}", page.rows.len());
    assert!(page.rows.iter().all(|row| row.session == "s1"));
    let first = known.of_session("s1", 0, 60).await.unwrap();
    let rest = known.of_session("s1", first.next.unwrap(), 60).await.unwrap();
    assert_eq!([first.rows, rest.rows].concat(), page.rows);
    assert!(known.of_session("", 0, 10).await.unwrap().rows.is_empty());

    // The end of a dead process's chain is cut, and its head moved back: it holds by itself.
    let cut = format!("DELETE FROM haft_audit_line WHERE chain = '{chain_one}' AND seq > 100");
    assert!(tamper(&address, &cut).await > 0);
    let why = problem(&verify(&address).await, &chain_one);
    assert!(why.starts_with("the end is missing"), "{why}");
    let moved = format!(
        "UPDATE haft_audit_chain SET seq = 100, call_seq = 100,
             hash = (SELECT right(left(line, -2), 64) FROM haft_audit_line WHERE chain = '{chain_one}' AND seq = 100)
         WHERE id = '{chain_one}'"
    );
    assert_eq!(tamper(&address, &moved).await, 1);
    let why = problem(&verify(&address).await, &chain_one);
    assert_eq!(why, format!("the line is missing: the chain `{}` noted it", three.chain()));
    // The same without a trace of the chain.
    tamper(&address, &format!("DELETE FROM haft_audit_line WHERE chain = '{chain_one}'")).await;
    tamper(&address, &format!("DELETE FROM haft_audit_chain WHERE id = '{chain_one}'")).await;
    let why = problem(&verify(&address).await, &chain_one);
    assert!(why.starts_with("the line is missing"), "{why}");
    // And a changed line.
    let changed =
        format!(r#"UPDATE haft_audit_line SET line = replace(line, '"c7"', '"c8"') WHERE chain = '{chain_two}'"#);
    assert!(tamper(&address, &changed).await > 0);
    let report = verify(&address).await;
    let two = report.chains.iter().find(|chain| chain.chain == chain_two).unwrap();
    assert_eq!(two.broken.clone().unwrap().why, "the line was changed after it was written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_that_somebody_changed_is_not_written_to() {
    let Some(server) = server() else { return };
    let address = database(&server, "changed").await;
    let sink = PostgresSink::at(&address).unwrap();
    append(&sink, 0..5).await;
    tamper(&address, "DELETE FROM haft_audit_line WHERE seq > 3").await;
    tamper(&address, "UPDATE haft_audit_chain SET seq = 3").await;
    let error = sink.store(body(5)).await.unwrap_err();
    assert!(matches!(error, AuditError::Changed(_)), "{error:?}");
    assert!(matches!(sink.prepare(), Err(AuditError::Changed(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_a_database_nothing_is_acknowledged_and_a_call_knows_before_it_runs() {
    let Some(server) = server() else { return };
    let address = database(&server, "away").await;
    let sink = PostgresSink::at(&address).unwrap();
    let before = append(&sink, 0..3).await;
    drop(server);
    assert!(matches!(sink.store(body(3)).await, Err(AuditError::Database(_))));
    assert!(matches!(sink.prepare(), Err(AuditError::Database(_))));
    assert!(before.seq > 3);
    // A process that begins meanwhile knows it at its first call.
    let late = PostgresSink::at(&address).unwrap();
    let prepared = tokio::task::spawn_blocking(move || late.prepare()).await.unwrap();
    assert!(matches!(prepared, Err(AuditError::Database(_))));
    assert!(PostgresSink::at("mysql://x").is_err());
}

/// Makes chains look as old as that many days.
async fn age(address: &str, days: u32, chains: &[&str]) {
    for chain in chains {
        let aged =
            format!("UPDATE haft_audit_chain SET moved_at = moved_at - {days} * 86400000::bigint WHERE id = '{chain}'");
        assert_eq!(tamper(address, &aged).await, 1);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn old_chains_go_and_what_others_noted_of_them_still_holds() {
    let Some(server) = server() else { return };
    let address = database(&server, "pruned").await;
    let record = AuditDatabase::at(&address).unwrap();
    // Each process notes the ones before it.
    let mut names = vec![];
    let mut heads = vec![];
    for _ in 0..4 {
        let sink = PostgresSink::at(&address).unwrap();
        heads.push(append(&sink, 0..10).await);
        names.push(sink.chain().to_owned());
    }
    age(&address, 40, &[&names[0], &names[1]]).await;
    assert!(matches!(record.prune(0, PruneMode::Remove).await, Err(PruneError::TooRecent)));
    let looked = record.prune(30, PruneMode::DryRun).await.unwrap();
    let mut found: Vec<&str> = looked.chains.iter().map(|chain| chain.chain.as_str()).collect();
    found.sort_unstable();
    let mut expected = vec![names[0].as_str(), names[1].as_str()];
    expected.sort_unstable();
    assert_eq!((found, verify(&address).await.chains.len()), (expected, 4), "nothing went");
    let pruned = record.prune(30, PruneMode::Remove).await.unwrap();
    assert_eq!(pruned.chains, looked.chains);
    let report = record.verify(&[heads[1].clone(), heads[3].clone(), pruned.noted_in.unwrap()]).await.unwrap();
    assert!(report.is_intact() && report.pruned.len() == 2 && report.chains.len() == 3, "{report:?}");
    // Heads in the middle of what is gone cannot be confirmed any more.
    let middle = Head { seq: heads[1].seq - 1, ..heads[1].clone() };
    assert!(!record.verify(&[middle]).await.unwrap().is_intact());

    // A later run takes the chain away that names them, and keeps what is still needed.
    let naming = report.chains.iter().find(|chain| !names.contains(&chain.chain)).unwrap().chain.clone();
    age(&address, 80, &[&naming, &names[2]]).await;
    let again = record.prune(30, PruneMode::Remove).await.unwrap();
    assert_eq!(again.chains.len(), 2);
    let report = verify(&address).await;
    assert!(report.is_intact() && report.chains.len() == 2, "{report:?}");
    assert!(report.pruned.iter().any(|chain| chain.chain == names[2]), "{report:?}");

    // What is removed in another way is found out, and a broken record loses nothing.
    let last = &names[3];
    let new = PostgresSink::at(&address).unwrap();
    append(&new, 0..1).await;
    tamper(&address, &format!("DELETE FROM haft_audit_line WHERE chain = '{last}'")).await;
    tamper(&address, &format!("DELETE FROM haft_audit_chain WHERE id = '{last}'")).await;
    let why = problem(&verify(&address).await, last);
    assert!(why.starts_with("the line is missing"), "{why}");
    assert!(matches!(record.prune(30, PruneMode::Remove).await, Err(PruneError::Broken(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_that_was_cut_before_it_was_removed_contradicts_the_others() {
    let Some(server) = server() else { return };
    let address = database(&server, "cut_then_pruned").await;
    let one = PostgresSink::at(&address).unwrap();
    append(&one, 0..10).await;
    let name = one.chain().to_owned();
    drop(one);
    let two = PostgresSink::at(&address).unwrap();
    append(&two, 0..1).await;
    age(&address, 40, &[&name]).await;
    AuditDatabase::at(&address).unwrap().prune(30, PruneMode::Remove).await.unwrap();
    assert!(verify(&address).await.is_intact());
    // As if it had been removed with fewer lines than the other process noted.
    let forged = format!(
        r#"UPDATE haft_audit_line SET line = regexp_replace(line, '"seq":11,"hash"', '"seq":9,"hash"')
           WHERE line LIKE '%chains_pruned%{name}%'"#
    );
    assert_eq!(tamper(&address, &forged).await, 1);
    let report = verify(&address).await;
    let broken = report.chains.iter().filter(|chain| chain.broken.is_some()).count();
    assert_eq!(broken, 2, "the line that names it was changed, and the other chain noted more: {report:?}");
}
