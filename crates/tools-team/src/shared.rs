//! What a process shares with others through a database, once for each address: a server has a
//! toolbox for each guest, and a connection for each of them would be more than a database takes.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tools_core::{KeyFault, Locked as _};

/// What was opened, by its type and address. It lives as long as the process.
type Opened = BTreeMap<(TypeId, String), Arc<dyn Any + Send + Sync>>;

static OPENED: Mutex<Opened> = Mutex::new(BTreeMap::new());

/// The one value of a type for the address that a section names as `database`, opened when it is
/// first asked for; `None` where it names none.
///
/// # Errors
/// What opening fails with.
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
