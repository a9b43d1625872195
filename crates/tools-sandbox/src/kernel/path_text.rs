//! Conversion of paths for the kernel.

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::process::SpawnError;

/// A path as a NUL-terminated string.
pub(super) fn text(path: &Path) -> Result<CString, SpawnError> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| SpawnError::NulByte { what: "a path" })
}
