//! Shares an opened database in the process, once per address. A server has a toolbox for each
//! guest, and a connection for each would be too many for a database.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tools_core::{KeyFault, Locked as _};

/// Opened values, by type and address. They live as long as the process.
type Opened = BTreeMap<(TypeId, String), Arc<dyn Any + Send + Sync>>;

static OPENED: Mutex<Opened> = Mutex::new(BTreeMap::new());

/// The value of a type for the address that a section names as `database`, opened at the first use;
/// `None` if it names none.
///
/// # Errors
/// The error of opening it.
pub(crate) fn shared<T: Send + Sync + 'static, E: fmt::Display>(
    address: &str,
    open: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Option<Arc<T>>, KeyFault> {
    if address.is_empty() {
        return Ok(None);
    }
    let mut opened = OPENED.locked();
    let key = (TypeId::of::<T>(), address.to_owned());
    if let Some(known) = opened.get(&key).and_then(|known| Arc::clone(known).downcast().ok()) {
        return Ok(Some(known));
    }
    let new = open(address).map_err(|error| KeyFault::new("database", error.to_string()))?;
    let new = Arc::new(new);
    opened.insert(key, Arc::clone(&new) as Arc<dyn Any + Send + Sync>);
    Ok(Some(new))
}
