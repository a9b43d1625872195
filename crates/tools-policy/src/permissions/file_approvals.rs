//! Stores approvals and rejections in a file of this user. The file is checked before reading, and
//! whole lines are appended.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use rustix::fs::OFlags;
use tools_core::Locked as _;
use tools_sandbox::read_plain;

use super::{
    ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable, StoredApproval, StoredRules, read_approvals,
    script_texts,
};

/// Maximum length in bytes of a file that is read, far more than people approve.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// The approvals in a file, which is read again after a change.
#[derive(Debug)]
pub struct FileApprovals {
    file: PathBuf,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// State of the file at the last read; `None` if it did not exist.
    stamp: Option<FileStamp>,
    snapshot: ApprovalSnapshot,
}

impl FileApprovals {
    /// Creates a store over a file, which need not exist.
    pub fn at(file: PathBuf) -> Self {
        Self { file, seen: Mutex::default() }
    }

    /// The present approvals; an unusable file has none.
    pub(crate) fn snapshot(&self) -> ApprovalSnapshot {
        let stamp = std::fs::symlink_metadata(&self.file).ok().map(|meta| FileStamp::of(&meta));
        let mut seen: MutexGuard<'_, Seen> = self.seen.locked();
        if seen.stamp != stamp {
            let number = seen.snapshot.number + 1;
            *seen = Seen { stamp, snapshot: ApprovalSnapshot { number, rules: load(&self.file) } };
        }
        seen.snapshot.clone()
    }
}

#[async_trait]
impl ApprovalStore for FileApprovals {
    async fn read(&self) -> Result<ApprovalSnapshot, ApprovalsError> {
        Ok(self.snapshot())
    }

    async fn add(&self, line: &StoredApproval) -> Result<(), ApprovalsError> {
        let folder = script_texts::folder(&self.file);
        if let Err(error) = script_texts::keep(&folder, line.scripts.as_deref().unwrap_or_default()) {
            tracing::warn!(%error, "the texts of scripts cannot be kept; later questions will not show what changed");
        }
        append(&self.file, line).map_err(|error| ApprovalsError(error.into()))
    }

    fn max_age(&self) -> Duration {
        Duration::ZERO
    }

    fn on_error(&self) -> OnUnreadable {
        OnUnreadable::Keep
    }
}

/// Identifies a state of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl FileStamp {
    fn of(meta: &std::fs::Metadata) -> Self {
        Self { inode: meta.ino(), length: meta.len(), changed: (meta.ctime(), meta.ctime_nsec()) }
    }
}

fn load(file: &Path) -> StoredRules {
    let text = match read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return StoredRules::default(),
        Err(error) => {
            tracing::warn!(file = %file.display(), %error, "approvals cannot be read; none of them counts");
            return StoredRules::default();
        }
    };
    let (approvals, useless) = read_approvals(&text);
    if useless > 0 {
        tracing::warn!(file = %file.display(), useless, "lines of the approvals cannot be read and allow nothing");
    }
    StoredRules::compile(approvals)
}

/// Reads only a regular file of this user that nobody else can write; opening does not follow links
/// or wait for a pipe.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    read_plain(file, OFlags::NOFOLLOW, MAX_FILE_BYTES, |meta| {
        let own = rustix::process::geteuid().as_raw();
        if (meta.uid() != own && meta.uid() != 0) || meta.mode() & 0o022 != 0 {
            return Err(io::Error::other("not a regular file that only its owner can write"));
        }
        Ok(())
    })
}

/// Appends a line in one write, so that concurrent processes lose nothing. A rule that could not be
/// read again is an error.
fn append(file: &Path, approved: &StoredApproval) -> io::Result<()> {
    approved.check().map_err(io::Error::other)?;
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let mut options = OpenOptions::new();
    options.append(true).read(true).create(true).mode(0o600).custom_flags(flags.bits().cast_signed());
    let mut open: File = options.open(file)?;
    if !open.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let line = approved.to_line()?;
    // The leading line break ends a line that was cut off; empty lines are ignored.
    open.write_all(format!("\n{line}").as_bytes())?;
    open.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tools_core::{StoredRule, ToolName};
    use tools_testkit::Workspace;

    use super::*;
    use crate::permissions::{ApprovalsConfig, Scope};

    fn rule(pattern: &str) -> StoredRule {
        StoredRule::new(ToolName::parse("bash").expect("a name"), pattern.to_owned())
    }

    #[test]
    fn what_is_appended_is_read_and_nothing_else_is() {
        let workspace = Workspace::new();
        let file = workspace.path("state/approvals.jsonl");
        let config = ApprovalsConfig { path: file.clone(), days: 1, ..ApprovalsConfig::default() };
        let store = FileApprovals::at(file.clone());
        let approve = |pattern: &str| config.approve(rule(pattern), Scope::User, None);
        assert_eq!(store.snapshot().number, 0, "there is no file, and there was none");
        append(&file, &approve("make *")).expect("appends");
        append(&file, &approve("ls")).expect("appends");
        let patterns = || store.snapshot().rules.approvals().map(|one| one.pattern.clone()).collect::<Vec<_>>();
        assert_eq!(patterns(), ["make *", "ls"]);
        assert_eq!((store.snapshot().number, store.snapshot().number), (1, 1));
        // Somebody else could have written the file.
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).expect("chmod");
        assert!(patterns().is_empty());
        let real = workspace.path("state/real");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
        std::fs::rename(&file, &real).expect("moves");
        symlink(&real, &file).expect("links");
        assert!(patterns().is_empty());
        assert!(append(&file, &approve("x")).is_err());
    }
}
