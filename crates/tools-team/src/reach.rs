//! Checks whether a database can be reached.

use std::{str::FromStr as _, time::Duration};

use sqlx::{ConnectOptions as _, Connection as _, postgres::PgConnectOptions};
use thiserror::Error;
use tokio::time::timeout;
use tools_store::StoreError;

/// Time limit for connecting.
const WAIT: Duration = Duration::from_secs(5);

/// Reason why a database cannot be reached. Contains neither address nor password.
#[derive(Debug, Error)]
pub enum ReachError {
    /// The address is invalid.
    #[error(transparent)]
    Address(#[from] StoreError),
    /// The server refuses, or cannot be connected to.
    #[error("cannot be reached: {0}")]
    Refused(#[source] sqlx::Error),
    /// The time limit expired.
    #[error("cannot be reached: no answer within {} s", WAIT.as_secs())]
    Late,
}

/// Connects to the database at a `postgres://` address without running a query.
///
/// # Errors
/// Why it cannot be reached.
pub async fn reach(address: &str) -> Result<(), ReachError> {
    let options = PgConnectOptions::from_str(address).map_err(|_| StoreError::Address)?;
    let looking = async {
        let mut connection = options.connect().await?;
        connection.ping().await?;
        connection.close().await
    };
    timeout(WAIT, looking).await.map_err(|_| ReachError::Late)?.map_err(ReachError::Refused)
}
