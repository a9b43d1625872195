//! Accounts of callers: exact over processes, and typed when they cannot be reached.

use std::sync::Arc;

use tools_policy::caller_quota::{CallerAccounts as _, CallerLimit, ChargeResult};
use tools_team::quota::PostgresAccounts;

use crate::{database, server, tamper};

/// A window that does not end during a test.
const LIMIT: CallerLimit = CallerLimit { calls: 150, window_s: 366 * 24 * 3600 };

async fn paid(accounts: &[Arc<PostgresAccounts>], caller: &'static str, calls: usize) -> usize {
    let tasks = (0..calls).map(|call| {
        let accounts = Arc::clone(&accounts[call % accounts.len()]);
        tokio::spawn(async move { accounts.charge(caller, LIMIT).await.unwrap() })
    });
    let mut paid = 0;
    for task in tasks.collect::<Vec<_>>() {
        paid += usize::from(task.await.unwrap() == ChargeResult::Paid);
    }
    paid
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_all_processes_together_no_more_is_paid_than_the_limit() {
    let Some(server) = server() else { return };
    let address = database(&server, "accounts").await;
    let open = || Arc::new(PostgresAccounts::at(&address).unwrap());
    let processes = [open(), open(), open()];
    assert_eq!(paid(&processes, "http:alice", 100).await, 100);
    assert_eq!(paid(&processes, "http:alice", 300).await, 50);
    assert_eq!(paid(&processes, "http:bob", 10).await, 10, "another caller has its own account");
    assert!(processes[0].used("http:alice", LIMIT).is_none());
    // A window that is over.
    let earlier = "UPDATE haft_quota_account SET began_at = began_at - window_s WHERE caller = 'http:alice'";
    assert_eq!(tamper(&address, earlier).await, 1);
    assert_eq!(paid(&processes, "http:alice", 300).await, 150);
    drop(server);
    let error = processes[0].charge("http:bob", LIMIT).await.unwrap_err();
    assert!(error.to_string().starts_with("the accounts of callers cannot be reached"), "{error}");
}
