//! Accounts of callers: the trait behind which they are kept, and those of one process.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use thiserror::Error;
use tools_core::{Clock, Locked as _};

use super::config::CallerLimit;

/// Reason why an account cannot be charged. Whether the call was counted is not known.
#[derive(Debug, Error)]
#[error("the accounts of callers cannot be reached: {0}")]
pub struct AccountsError(#[source] pub Box<dyn Error + Send + Sync>);

/// Result of charging an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charged {
    /// The call was counted.
    Paid,
    /// The account has no call left in this window: nothing was counted.
    UsedUp,
}

/// Accounts of callers. Called by the gate once for each first attempt of a call; one call is
/// counted at a time, and nothing is held while a call runs.
#[async_trait]
pub trait CallerAccounts: Send + Sync {
    /// Counts a call of an account unless its window is full, in one step: of all processes
    /// together no more calls are paid in a window than the limit says.
    ///
    /// # Errors
    /// When the accounts cannot be reached.
    async fn charge(&self, account: &str, limit: CallerLimit) -> Result<Charged, AccountsError>;

    /// Number of calls counted in this window, where that is known without waiting.
    fn used(&self, account: &str, limit: CallerLimit) -> Option<u64>;
}

/// Accounts of one process, which end with it.
#[derive(Debug)]
pub struct MemoryAccounts {
    clock: Arc<dyn Clock>,
    /// Beginning of the window and calls in it, by account.
    accounts: Mutex<HashMap<String, (i64, u64)>>,
}

impl MemoryAccounts {
    /// Empty accounts.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, accounts: Mutex::default() }
    }

    /// Number of the window that is open now.
    fn window(&self, limit: CallerLimit) -> i64 {
        let length = i64::try_from(limit.window_s.max(1)).unwrap_or(i64::MAX);
        self.clock.now().as_second().div_euclid(length).saturating_mul(length)
    }
}

#[async_trait]
impl CallerAccounts for MemoryAccounts {
    async fn charge(&self, account: &str, limit: CallerLimit) -> Result<Charged, AccountsError> {
        let window = self.window(limit);
        let mut accounts = self.accounts.locked();
        // What is over is of no use to anybody.
        accounts.retain(|_, (began, _)| *began == window);
        let (_, used) = accounts.entry(account.to_owned()).or_insert((window, 0));
        if *used >= limit.calls {
            return Ok(Charged::UsedUp);
        }
        *used += 1;
        Ok(Charged::Paid)
    }

    fn used(&self, account: &str, limit: CallerLimit) -> Option<u64> {
        let window = self.window(limit);
        let accounts = self.accounts.locked();
        Some(accounts.get(account).filter(|(began, _)| *began == window).map_or(0, |(_, used)| *used))
    }
}
