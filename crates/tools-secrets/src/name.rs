//! Whether an environment variable is a credential: `tools-core`'s words decide about its name, the
//! scanner about its value.

use tools_core::is_credential_name;

use crate::{scan::scan, value::is_path};

/// Whether an environment variable holds a credential, by its name or by its value.
pub fn is_credential(name: &str, value: &str) -> bool {
    (is_credential_name(name) && !is_path(value)) || !scan(value).is_empty()
}
