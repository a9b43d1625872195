//! Accounts of callers: the trait for stores, and a store in memory.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use thiserror::Error;
use tools_core::{Clock, Locked as _};

use super::config::CallerLimit;

/// Reason why an account cannot be charged. It is unknown whether the call was counted.
#[derive(Debug, Error)]
#[error("the accounts of callers cannot be reached: {0}")]
pub struct AccountsError(#[source] pub Box<dyn Error + Send + Sync>);

/// Result of charging an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChargeResult {
    /// The call was counted.
    Paid,
    /// The account has no call left in this window, and nothing was counted.
    UsedUp,
}

/// Accounts of callers. The gate charges each first attempt of a call once. Calls are counted one
/// at a time, and no lock is held while a call runs.
#[async_trait]
pub trait CallerAccounts: Send + Sync {
    /// Counts a call of an account unless its window is full, in one step: all processes together
    /// never exceed the limit in a window.
    ///
    /// # Errors
    /// If the accounts cannot be reached.
    async fn charge(&self, account: &str, limit: CallerLimit) -> Result<ChargeResult, AccountsError>;

    /// Number of calls counted in this window; `None` if it is not known without waiting.
    fn used(&self, account: &str, limit: CallerLimit) -> Option<u64>;
}

/// Accounts in the memory of one process.
#[derive(Debug)]
pub struct MemoryAccounts {
    clock: Arc<dyn Clock>,
    /// Number of the window and calls in it, by account.
    accounts: Mutex<HashMap<String, (i64, u64)>>,
}

impl MemoryAccounts {
    /// Creates empty accounts.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, accounts: Mutex::default() }
    }

    /// Number of the current window.
    fn window(&self, limit: CallerLimit) -> i64 {
        let length = i64::try_from(limit.window_s.max(1)).unwrap_or(i64::MAX);
        self.clock.now().as_second().div_euclid(length).saturating_mul(length)
    }
}

#[async_trait]
impl CallerAccounts for MemoryAccounts {
    async fn charge(&self, account: &str, limit: CallerLimit) -> Result<ChargeResult, AccountsError> {
        let window = self.window(limit);
        let mut accounts = self.accounts.locked();
        // Accounts of past windows are not needed.
        accounts.retain(|_, (began, _)| *began == window);
        let (_, used) = accounts.entry(account.to_owned()).or_insert((window, 0));
        if *used >= limit.calls {
            return Ok(ChargeResult::UsedUp);
        }
        *used += 1;
        Ok(ChargeResult::Paid)
    }

    fn used(&self, account: &str, limit: CallerLimit) -> Option<u64> {
        let window = self.window(limit);
        let accounts = self.accounts.locked();
        Some(accounts.get(account).filter(|(began, _)| *began == window).map_or(0, |(_, used)| *used))
    }
}
