//! Approvals that several processes share: each sees what others stored and revoked, with the texts
//! of scripts, and what counts while the database is away.

use std::sync::Arc;

use jiff::Timestamp;
use tools_core::{CallerId, ContentDigest, Script, ToolName};
use tools_policy::permissions::{ApprovalStore as _, OnUnreadable, Scope, StoredApproval};
use tools_team::approvals::{ApprovalDatabase, PostgresApprovals};

use crate::{database, server, tamper};

fn approved(pattern: &str) -> StoredApproval {
    StoredApproval {
        scope: Scope::Project { project: "/w".into() },
        caller: None,
        tool: ToolName::parse("bash").unwrap(),
        pattern: pattern.to_owned(),
        rejects: false,
        scripts: None,
        at: Timestamp::UNIX_EPOCH,
        expires: None,
        revoked: false,
    }
}

/// What another process would open.
fn process(address: &str) -> PostgresApprovals {
    PostgresApprovals::over(Arc::new(ApprovalDatabase::at(address).unwrap()), OnUnreadable::Forget)
}

async fn standing(approvals: &PostgresApprovals) -> Vec<StoredApproval> {
    approvals.read().await.unwrap().rules.approvals().cloned().collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_process_stores_and_revokes_the_others_see() {
    let Some(server) = server() else { return };
    let address = database(&server, "approvals").await;
    let (one, two) = (process(&address), process(&address));
    assert!(standing(&one).await.is_empty());
    let text = "make install\n";
    let script =
        Script { path: "/w/x.sh".into(), digest: Some(ContentDigest::of(text.as_bytes())), text: Some(text.into()) };
    let of_script = StoredApproval { scripts: Some(vec![script]), ..approved("sh x.sh") };
    let of_alice = StoredApproval { caller: Some(CallerId::parse("http:alice").unwrap()), ..approved("make *") };
    for line in [&approved("make *"), &of_alice, &of_script] {
        one.add(line).await.unwrap();
    }
    let expected = vec![approved("make *"), of_alice.clone(), of_script.clone()];
    assert_eq!((standing(&one).await, standing(&two).await), (expected.clone(), expected));
    let number = two.read().await.unwrap().number;
    assert_eq!(two.read().await.unwrap().number, number, "nothing changed");
    // The later of two lines about the same counts; another caller's stays.
    let rejected = StoredApproval { rejects: true, ..approved("make *") };
    two.add(&rejected).await.unwrap();
    two.add(&StoredApproval { revoked: true, ..of_script }).await.unwrap();
    let expected = vec![of_alice, rejected];
    assert_eq!((standing(&one).await, standing(&two).await), (expected.clone(), expected));
    assert!(one.read().await.unwrap().number > number);
    // A text that is not what its digest says is not shown.
    assert_eq!(tamper(&address, "UPDATE haft_approval_script SET text = 'forged'").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_many_that_store_at_once_no_line_is_lost_and_a_database_put_back_is_noticed() {
    let Some(server) = server() else { return };
    let address = database(&server, "approvals_at_once").await;
    let processes: Vec<Arc<PostgresApprovals>> = (0..4).map(|_| Arc::new(process(&address))).collect();
    let tasks = (0..24_usize).map(|number| {
        let process = Arc::clone(&processes[number % processes.len()]);
        tokio::spawn(async move {
            process.add(&approved(&format!("make {number}"))).await.unwrap();
            // Whoever stored something sees it at once, whatever the others do.
            let seen = standing(&process).await;
            assert!(seen.iter().any(|one| one.pattern == format!("make {number}")));
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    for process in &processes {
        assert_eq!(standing(process).await.len(), 24);
    }
    // As after a backup was put back: the last lines are gone, and others have their numbers.
    let cut = "DELETE FROM haft_approval_line WHERE number > 12";
    assert_eq!(tamper(&address, cut).await, 12);
    assert_eq!(standing(&processes[0]).await.len(), 12);
    processes[1].add(&approved("other")).await.unwrap();
    assert_eq!(standing(&processes[0]).await.len(), 13);
    drop(server);
    let error = processes[0].read().await.unwrap_err();
    assert!(error.to_string().starts_with("the stored approvals cannot be used"), "{error}");
    assert!(processes[0].add(&approved("x")).await.is_err());
}
