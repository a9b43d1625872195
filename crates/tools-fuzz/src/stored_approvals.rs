//! Any bytes as the file of stored approvals: invalid lines are counted, and the others are
//! unchanged after writing and reading.

use tools_policy::permissions::read_approvals;

pub(crate) fn check(bytes: &[u8]) {
    let (approvals, _) = read_approvals(bytes);
    for approval in &approvals {
        let line = approval.to_line().expect("what was read can be written");
        let (again, unreadable) = read_approvals(line.as_bytes());
        assert_eq!((again.as_slice(), unreadable), (std::slice::from_ref(approval), 0));
        let _ = approval.check();
    }
}
