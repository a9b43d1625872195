//! Extended attributes of files, including access control lists: stored with a content, and
//! restored with it.

use std::{fs::File, io};

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
use rustix::io::Errno;

/// Names and values.
pub(crate) type Attributes = Vec<(String, Vec<u8>)>;

/// Maximum number of bytes of all names, and of one value.
const MAX_BYTES: usize = 64 * 1024;

/// The attributes of an open file; empty if the file system does not support them.
pub(crate) fn of(file: &File) -> Attributes {
    let Some(names) = read(|buffer| flistxattr(file, buffer)) else { return Vec::new() };
    let names = names.split(|byte| *byte == 0).filter_map(|name| std::str::from_utf8(name).ok());
    let value = |name: &str| read(|buffer| fgetxattr(file, name, buffer)).map(|value| (name.to_owned(), value));
    names.filter(|name| !name.is_empty()).filter_map(value).collect()
}

fn read(ask: impl Fn(&mut [u8]) -> rustix::io::Result<usize>) -> Option<Vec<u8>> {
    let mut small = [0; 1024];
    match ask(&mut small) {
        Ok(length) => Some(small.get(..length)?.to_vec()),
        Err(Errno::RANGE) => {
            let mut large = vec![0; MAX_BYTES];
            let length = ask(&mut large).ok()?;
            large.truncate(length);
            Some(large)
        }
        Err(_) => None,
    }
}

/// Sets a file's attributes, except those that only the system may set, such as labels of security
/// modules.
pub(crate) fn give(file: &File, attributes: &Attributes) -> io::Result<()> {
    for (name, value) in attributes {
        match fsetxattr(file, name.as_str(), value, XattrFlags::empty()) {
            Err(Errno::PERM | Errno::ACCESS | Errno::OPNOTSUPP) if !name.starts_with("user.") => {}
            other => other?,
        }
    }
    Ok(())
}
