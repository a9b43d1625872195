//! What several processes share in a database.

use std::{fmt, sync::Arc};

use crate::config::{HaftConfig, LoadError, LoadedConfig};

/// The value in the database that `key` names, one for each address; `None` where it names none.
///
/// # Errors
/// What opening it fails with, by key and line.
pub(crate) fn shared<T: Send + Sync + 'static, E: fmt::Display>(
    loaded: &LoadedConfig<HaftConfig>,
    key: &str,
    address: &str,
    open: fn(&str) -> Result<T, E>,
) -> Result<Option<Arc<T>>, LoadError> {
    if address.is_empty() {
        return Ok(None);
    }
    tools_team::shared(address, open).map(Some).map_err(|error| loaded.fault(key, error.to_string()))
}
