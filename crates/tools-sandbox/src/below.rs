//! Compares paths by spelling: whether one lies below another.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Like [`Path::starts_with`], but several times faster: compares bytes, and splits into components
/// only if the first difference may be one of spelling (`//`, `/./`, a final slash).
pub(crate) fn is_below(path: &Path, folder: &Path) -> bool {
    let (words, prefix) = (path.as_os_str().as_bytes(), folder.as_os_str().as_bytes());
    let same = words.iter().zip(prefix).take_while(|(a, b)| a == b).count();
    let is_spelling = |byte: &u8| matches!(byte, b'/' | b'.');
    let certain = match (words.get(same), prefix.get(same)) {
        // The whole folder matched, followed by nothing or the next component.
        (None | Some(b'/'), None) if same > 0 => Some(true),
        (Some(_), None) if prefix.ends_with(b"/") => Some(true),
        // The folder has a component that the path lacks.
        (None, Some(_)) if !prefix[same..].iter().all(is_spelling) => Some(false),
        // Two components with a common beginning differ.
        (Some(ours), Some(theirs)) if !is_spelling(ours) && !is_spelling(theirs) => Some(false),
        _ => None,
    };
    certain.unwrap_or_else(|| path.starts_with(folder))
}

/// Whether a path is one of `folders` or lies below one.
pub(crate) fn below_any(path: &Path, folders: &[impl AsRef<Path>]) -> bool {
    folders.iter().any(|folder| is_below(path, folder.as_ref()))
}

/// Whether one of `folders` is `path` or lies below it.
pub(crate) fn holds_any(path: &Path, folders: &[impl AsRef<Path>]) -> bool {
    folders.iter().any(|folder| is_below(folder.as_ref(), path))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_standard_library_says_the_same(path in "[ab/.]{0,9}", folder in "[ab/.]{0,7}") {
            let (path, folder) = (Path::new(&path), Path::new(&folder));
            prop_assert_eq!(is_below(path, folder), path.starts_with(folder), "{:?} {:?}", path, folder);
        }
    }
}
