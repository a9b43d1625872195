//! Accounts of callers in a database: one statement counts a call or refuses it, for all processes.
//! No lock is held while a call runs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout};
use tools_core::{KeyFault, Locked as _};
use tools_policy::caller_quota::{AccountsError, CallerAccounts, CallerLimit, CallerQuotaConfig, ChargeResult};
use tools_store::{Server, ServerSchema, StoreError, signed};

/// The schema; released versions are only extended.
const SCHEMA: ServerSchema =
    ServerSchema { name: "haft_quota", migrations: &[include_str!("../migrations/0001_quota.sql")] };

/// Time limit for counting a call.
const CHARGE: Duration = Duration::from_secs(5);
/// Pause after a failure of the database, during which calls do not wait for it.
const PAUSE: Duration = Duration::from_secs(1);

/// Accounts in a PostgreSQL database, which is connected at its first use. Uses the database's
/// clock.
#[derive(Debug)]
pub struct PostgresAccounts {
    server: Server,
    failed_at: Mutex<Option<Instant>>,
}

/// The accounts in the configured database, opened once per address in this process; `None` if none
/// is configured.
///
/// # Errors
/// If the address is invalid.
pub fn shared(config: &CallerQuotaConfig) -> Result<Option<Arc<dyn CallerAccounts>>, KeyFault> {
    let accounts = crate::shared::shared(&config.database, PostgresAccounts::at)?;
    Ok(accounts.map(|accounts| accounts as _))
}

impl PostgresAccounts {
    /// Accounts in the database at a `postgres://` address.
    ///
    /// # Errors
    /// If the address is invalid.
    pub fn at(address: &str) -> Result<Self, StoreError> {
        Ok(Self { server: Server::at(address, SCHEMA)?.waiting(CHARGE), failed_at: Mutex::default() })
    }

    async fn count(&self, account: &str, limit: CallerLimit) -> Result<ChargeResult, StoreError> {
        let paid = sqlx::query(
            "INSERT INTO haft_quota_account AS account (caller, window_s, began_at, used)
             VALUES ($1, $2, floor(extract(epoch FROM now()) / $2)::bigint * $2, 1)
             ON CONFLICT (caller, window_s) DO UPDATE
             SET used = CASE WHEN account.began_at < excluded.began_at THEN 1 ELSE account.used + 1 END,
                 began_at = greatest(account.began_at, excluded.began_at)
             WHERE account.began_at < excluded.began_at OR account.used < $3",
        )
        .bind(account)
        .bind(signed(limit.window_s.max(1)))
        .bind(signed(limit.calls))
        .execute(self.server.reader().await?)
        .await?;
        Ok(if paid.rows_affected() > 0 { ChargeResult::Paid } else { ChargeResult::UsedUp })
    }
}

#[async_trait]
impl CallerAccounts for PostgresAccounts {
    async fn charge(&self, account: &str, limit: CallerLimit) -> Result<ChargeResult, AccountsError> {
        let is_resting = self.failed_at.locked().is_some_and(|at| at.elapsed() < PAUSE);
        if is_resting {
            return Err(AccountsError("the database failed a moment ago".into()));
        }
        let charged = match timeout(CHARGE, self.count(account, limit)).await {
            Ok(Ok(charged)) => Ok(charged),
            Ok(Err(error)) => Err(AccountsError(error.into())),
            Err(late) => Err(AccountsError(late.into())),
        };
        *self.failed_at.locked() = charged.is_err().then(Instant::now);
        charged
    }

    fn used(&self, _: &str, _: CallerLimit) -> Option<u64> {
        None
    }
}
