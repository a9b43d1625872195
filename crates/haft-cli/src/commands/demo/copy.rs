//! Copies a read-only repository for the demo to work on.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Maximum number of copied entries, top-level ones first.
const MAX_ENTRIES: usize = 5_000;
/// Maximum number of copied bytes.
const MAX_BYTES: u64 = 64 << 20;
/// Maximum size of a copied file in bytes.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// A copy and its size.
#[derive(Debug)]
pub(super) struct CopySummary {
    pub(super) folder: PathBuf,
    pub(super) files: usize,
}

/// Copies regular files and folders, without `.git`, into a new folder below the one for temporary
/// files.
///
/// Unreadable files, links and special files are left out.
///
/// # Errors
/// If the new folder cannot be written.
pub(super) fn copy(repository: &Path) -> io::Result<CopySummary> {
    let name = repository.file_name().unwrap_or_default();
    let above = std::env::temp_dir().join(format!("haft-demo-{}", std::process::id()));
    let folder = above.join(name);
    // Fails if another process has already created the folder.
    fs::create_dir(&above)?;
    fs::create_dir_all(&folder)?;
    let mut copied = CopySummary { folder: folder.clone(), files: 0 };
    let (mut entries, mut bytes) = (0, 0);
    let mut waiting = VecDeque::from([(repository.to_owned(), folder)]);
    while let Some((from, to)) = waiting.pop_front() {
        for entry in fs::read_dir(&from).into_iter().flatten().filter_map(Result::ok) {
            let Ok(metadata) = entry.metadata() else { continue };
            let target = to.join(entry.file_name());
            if entry.file_name() == ".git" {
                continue;
            }
            entries += 1;
            if entries > MAX_ENTRIES {
                return Ok(copied);
            }
            if metadata.is_dir() {
                fs::create_dir(&target)?;
                waiting.push_back((entry.path(), target));
            } else if metadata.is_file() && metadata.len() <= MAX_FILE_BYTES && bytes + metadata.len() <= MAX_BYTES {
                // `fs::copy` would keep the read-only mode.
                let Ok(content) = fs::read(entry.path()) else { continue };
                fs::write(&target, &content)?;
                bytes += content.len() as u64;
                copied.files += 1;
            }
        }
    }
    Ok(copied)
}
