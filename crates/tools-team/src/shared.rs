//! What a process shares with others through a database, once for each address: a server has a
//! toolbox for each guest, and a connection for each of them would be more than a database takes.

use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use tools_core::Locked as _;

/// What was opened, by its type and address. It lives as long as the process.
type Opened = BTreeMap<(TypeId, String), Arc<dyn Any + Send + Sync>>;

static OPENED: Mutex<Opened> = Mutex::new(BTreeMap::new());

/// The one value of a type for an address, opened when it is first asked for.
///
/// # Errors
/// What opening fails with.
pub fn shared<T: Send + Sync + 'static, E>(
    address: &str,
    open: impl FnOnce(&str) -> Result<T, E>,
) -> Result<Arc<T>, E> {
    let mut opened = OPENED.locked();
    let key = (TypeId::of::<T>(), address.to_owned());
    if let Some(known) = opened.get(&key).and_then(|known| Arc::clone(known).downcast().ok()) {
        return Ok(known);
    }
    let new = Arc::new(open(address)?);
    opened.insert(key, Arc::clone(&new) as Arc<dyn Any + Send + Sync>);
    Ok(new)
}
