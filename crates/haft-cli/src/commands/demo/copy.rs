//! A copy of a repository that cannot be written, for the demo to work on.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Entries that are copied at most, those at the top first.
const MAX_ENTRIES: usize = 5_000;
/// Bytes that are copied at most.
const MAX_BYTES: u64 = 64 << 20;
/// A larger file is left out.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// A copy, and how much it holds.
#[derive(Debug)]
pub(super) struct CopySummary {
    pub(super) folder: PathBuf,
    pub(super) files: usize,
}

/// Copies regular files and folders, without `.git`, into a new folder below the one for temporary
/// files.
///
/// What cannot be read, links and special files are left out.
///
/// # Errors
/// When the new folder cannot be written.
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
                // Not `fs::copy`, which would keep it from being written.
                let Ok(content) = fs::read(entry.path()) else { continue };
                fs::write(&target, &content)?;
                bytes += content.len() as u64;
                copied.files += 1;
            }
        }
    }
    Ok(copied)
}
