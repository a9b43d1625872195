//! The record as a file to read from its beginning: the file itself, or a copy of the database.

use std::ops::Deref;
use std::path::{Path, PathBuf};

use haft::config::HaftConfig;

/// File of recorded lines. A copy is removed on drop.
pub(crate) struct RecordFile {
    path: PathBuf,
    is_copy: bool,
}

impl RecordFile {
    /// The file that an argument names.
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: path.to_owned(), is_copy: false }
    }

    /// The record that the configuration names.
    #[cfg_attr(not(feature = "postgres"), expect(clippy::unused_async, reason = "only a database is waited for"))]
    pub(crate) async fn configured(config: &HaftConfig) -> Result<Self, String> {
        #[cfg(feature = "postgres")]
        if let Some(database) = haft::team::audit::AuditDatabase::of(&config.tools.audit)? {
            return copy(&database).await;
        }
        Ok(Self::of(&config.tools.audit.file(&haft::config::places::state_dir())))
    }
}

impl Deref for RecordFile {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.path
    }
}

impl Drop for RecordFile {
    fn drop(&mut self) {
        if self.is_copy {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Copies all lines of all chains to a file that only its owner can read.
#[cfg(feature = "postgres")]
async fn copy(database: &haft::team::audit::AuditDatabase) -> Result<RecordFile, String> {
    use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};

    let folder = haft::config::places::state_dir();
    let path = folder.join(format!("audit-copy-{}.jsonl", std::process::id()));
    let failed = |error: std::io::Error| format!("`{}`: {error}", path.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    // Left over from a killed process with the same number.
    let _ = std::fs::remove_file(&path);
    let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(failed)?;
    let record = RecordFile { path: path.clone(), is_copy: true };
    let mut file = std::io::BufWriter::new(file);
    let mut after = Some(0);
    while let Some(number) = after {
        let page = database.lines(number).await.map_err(|error| error.to_string())?;
        for line in &page.lines {
            writeln!(file, "{line}").map_err(failed)?;
        }
        after = page.next;
    }
    file.flush().map_err(failed)?;
    Ok(record)
}
