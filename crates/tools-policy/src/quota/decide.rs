//! Charges a call or a batch to the account of its session. Pure.

use std::collections::{HashMap, VecDeque};

use tools_core::{BatchId, CallDigest, CallId};

use super::config::QuotaPolicy;

/// Maximum number of remembered questions to people; each is a call that waits for an answer.
const MAX_ASKED: usize = 1000;
/// Maximum number of remembered refused batches per account.
const MAX_REFUSED: usize = 100;

/// Usage of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Account {
    used: u64,
    /// Calls of each batch that are paid for and not yet made.
    reserved: HashMap<BatchId, u64>,
    refused: VecDeque<BatchId>,
    /// Calls that were paid for and wait for a person.
    asked: VecDeque<(CallId, CallDigest)>,
}

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charge {
    /// The call is paid for.
    Paid,
    /// The quota is used up, or the batch it belongs to did not fit.
    Refused,
}

impl Account {
    /// Number of calls made or reserved.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    /// Remembers a call that waits for a person: when it comes back approved, it is already paid
    /// for.
    pub(super) fn remember(&mut self, id: CallId, digest: CallDigest) {
        if self.asked.len() >= MAX_ASKED {
            self.asked.pop_front();
        }
        self.asked.push_back((id, digest));
    }

    /// Removes a call from those that wait for a person; false if it did not wait.
    pub(super) fn recall(&mut self, id: &CallId, digest: CallDigest) -> bool {
        let position = self.asked.iter().position(|(asked, of)| asked == id && *of == digest);
        position.and_then(|position| self.asked.remove(position)).is_some()
    }
}

/// Reserves a whole batch, or refuses all of it.
pub(crate) fn reserve(policy: QuotaPolicy, account: &mut Account, batch: &BatchId, calls: u64) -> Charge {
    if account.reserved.contains_key(batch) || calls == 0 {
        return Charge::Paid;
    }
    if !fits(policy, account.used, calls) {
        if account.refused.len() >= MAX_REFUSED {
            account.refused.pop_front();
        }
        account.refused.push_back(batch.clone());
        return Charge::Refused;
    }
    account.used = account.used.saturating_add(calls);
    account.reserved.insert(batch.clone(), calls);
    Charge::Paid
}

/// Charges one call: to its batch's reservation if there is one, else to the account.
pub(crate) fn charge(policy: QuotaPolicy, account: &mut Account, batch: &BatchId) -> Charge {
    if account.refused.contains(batch) {
        return Charge::Refused;
    }
    if let Some(left) = account.reserved.get_mut(batch) {
        *left -= 1;
        if *left == 0 {
            account.reserved.remove(batch);
        }
        return Charge::Paid;
    }
    if !fits(policy, account.used, 1) {
        return Charge::Refused;
    }
    account.used = account.used.saturating_add(1);
    Charge::Paid
}

fn fits(policy: QuotaPolicy, used: u64, more: u64) -> bool {
    policy.calls.is_none_or(|most| used.checked_add(more).is_some_and(|sum| sum <= most))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_batch_that_does_not_fit_is_refused_whole() {
        let policy = QuotaPolicy::compile(Some(50));
        let mut account = Account::default();
        let (single, batch) = (BatchId::generate(), BatchId::generate());
        for _ in 0..49 {
            assert_eq!(charge(policy, &mut account, &single), Charge::Paid);
        }
        assert_eq!(reserve(policy, &mut account, &batch, 10), Charge::Refused);
        for _ in 0..10 {
            assert_eq!(charge(policy, &mut account, &batch), Charge::Refused);
        }
        assert_eq!(account.used(), 49);
        assert_eq!(charge(policy, &mut account, &single), Charge::Paid);
        assert_eq!(charge(policy, &mut account, &single), Charge::Refused);
    }

    #[test]
    fn what_is_reserved_is_not_paid_twice() {
        let policy = QuotaPolicy::compile(Some(3));
        let mut account = Account::default();
        let (batch, other) = (BatchId::generate(), BatchId::generate());
        assert_eq!(reserve(policy, &mut account, &batch, 3), Charge::Paid);
        assert_eq!(charge(policy, &mut account, &other), Charge::Refused);
        for _ in 0..3 {
            assert_eq!(charge(policy, &mut account, &batch), Charge::Paid);
        }
        assert_eq!(charge(policy, &mut account, &batch), Charge::Refused);
    }

    proptest! {
        #[test]
        fn no_order_of_batches_and_calls_gets_beyond_the_quota(
            most in 0_u64..20, steps in prop::collection::vec((0_usize..4, 0_u64..8), 0..40),
        ) {
            let policy = QuotaPolicy::compile(Some(most));
            let mut account = Account::default();
            let batches: Vec<BatchId> = (0..4).map(|_| BatchId::generate()).collect();
            let mut made = 0;
            for (batch, size) in steps {
                if size > 4 {
                    reserve(policy, &mut account, &batches[batch], size);
                } else if charge(policy, &mut account, &batches[batch]) == Charge::Paid {
                    made += 1;
                }
            }
            prop_assert!(made <= most && account.used() <= most);
        }
    }
}
