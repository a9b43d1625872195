//! Files that are read whole, and only if that comes to an end: no pipe is waited for, and none is
//! longer than it may be.

use std::{
    fs::{Metadata, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use rustix::fs::OFlags;

/// Reads a regular file of at most `longest` bytes, opened with `flags`. `will_do` sees its
/// metadata before anything is read.
///
/// # Errors
/// What keeps it from being read, what is no regular file or longer, and the error of `will_do`.
pub fn read_plain(
    file: &Path,
    flags: OFlags,
    longest: u64,
    will_do: impl FnOnce(&Metadata) -> io::Result<()>,
) -> io::Result<Vec<u8>> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | flags;
    let open = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(file)?;
    let meta = open.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    will_do(&meta)?;
    let mut text = Vec::new();
    open.take(longest + 1).read_to_end(&mut text)?;
    if text.len() as u64 > longest {
        return Err(io::Error::other(format!("it is longer than {longest} bytes")));
    }
    Ok(text)
}
