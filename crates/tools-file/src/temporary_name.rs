//! Names of unfinished files, which a later start recognises.

use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// Beginning and end of temporary names.
const TEMPORARY: (&str, &str) = (".haft-", ".tmp");

/// Whether `name` has the form of [`unique_name`].
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    let middle = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY.0)?.strip_suffix(TEMPORARY.1));
    middle.is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A random name that most likely does not exist yet.
pub(crate) fn unique_name() -> OsString {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let random = RandomState::new().hash_one(COUNTER.fetch_add(1, Ordering::Relaxed));
    OsString::from(format!("{}{random:016x}{}", TEMPORARY.0, TEMPORARY.1))
}
