//! The file in which approvals outlive a session: read with suspicion, appended to whole lines at a
//! time.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use rustix::fs::OFlags;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{Clock, StoredRule, SystemClock};
use tools_policy::permissions::{ApprovalSource, Scope, StoredApproval, StoredRules, read_approvals};

use crate::{config::places, plain};

/// The largest file that is read: far more than people agree to.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;
/// The longest an approval can be made to last, in days: a hundred years.
const MAX_DAYS: u64 = 36_500;

/// Approvals that last longer than a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalsConfig {
    /// The file, from the folder of the user's state on. No tool can change it.
    pub path: PathBuf,
    /// For how many days an approval stands; 0 for ever.
    pub days: u64,
}

impl Default for ApprovalsConfig {
    fn default() -> Self {
        Self { path: PathBuf::from("approvals.jsonl"), days: 90 }
    }
}

impl ApprovalsConfig {
    /// The file, absolute.
    pub fn file(&self) -> PathBuf {
        places::state_dir().join(&self.path)
    }

    /// Stores the rejection of what a rule matches in a folder. Where that fails, it is logged, and
    /// the next such call asks again.
    pub(crate) fn reject_in_folder(&self, rule: StoredRule, folder: &Path) {
        let scope = Scope::Project { project: folder.to_owned() };
        let rejected = StoredApproval { rejects: true, scripts: None, ..self.approve(rule, scope) };
        if let Err(error) = append(&self.file(), &rejected) {
            tracing::warn!(%error, "a rejection cannot be kept; the next such call asks again");
        }
    }

    /// The approval of a rule under this configuration.
    pub(crate) fn approve(&self, rule: StoredRule, scope: Scope) -> StoredApproval {
        let at = SystemClock.now();
        let days = i64::try_from(self.days.min(MAX_DAYS)).unwrap_or_default();
        let expires = (days > 0).then(|| at.saturating_add(jiff::SignedDuration::from_hours(24 * days)).ok()).flatten();
        let StoredRule { tool, pattern, scripts } = rule;
        StoredApproval { scope, tool, pattern, rejects: false, scripts, at, expires, revoked: false }
    }
}

/// Reads the file when it is another than before.
pub(crate) fn source(file: PathBuf) -> ApprovalSource {
    let seen: Mutex<Option<FileStamp>> = Mutex::new(None);
    Box::new(move || {
        let state = std::fs::symlink_metadata(&file).ok().map(|meta| FileStamp::of(&meta));
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == state {
            return None;
        }
        *seen = state;
        Some(load(&file))
    })
}

/// What tells one state of the file from another.
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

/// Only a plain file of this user that nobody else can write; opening neither follows a link nor
/// waits for a pipe.
fn read(file: &Path) -> io::Result<Vec<u8>> {
    plain::read(file, OFlags::NOFOLLOW, MAX_FILE_BYTES, |meta| {
        let own = rustix::process::geteuid().as_raw();
        if (meta.uid() != own && meta.uid() != 0) || meta.mode() & 0o022 != 0 {
            return Err(io::Error::other("not a regular file that only its owner can write"));
        }
        Ok(())
    })
}

/// Adds one line, in one write, so that two processes at once lose nothing. A rule that nobody
/// could read again is an error.
pub(crate) fn append(file: &Path, approved: &StoredApproval) -> io::Result<()> {
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
    // A line that was cut off must not swallow this one; an empty line says nothing.
    open.write_all(format!("\n{line}").as_bytes())?;
    open.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use tools_core::ToolName;
    use tools_testkit::Workspace;

    use super::*;

    fn rule(pattern: &str) -> StoredRule {
        StoredRule::new(ToolName::parse("bash").expect("a name"), pattern.to_owned())
    }

    #[test]
    fn what_is_appended_is_read_and_nothing_else_is() {
        let workspace = Workspace::new();
        let file = workspace.path("state/approvals.jsonl");
        let config = ApprovalsConfig { path: file.clone(), days: 1 };
        let source = source(config.file());
        assert!(source().is_none(), "there is no file, and there was none");
        append(&file, &config.approve(rule("make *"), Scope::User)).expect("appends");
        append(&file, &config.approve(rule("ls"), Scope::User)).expect("appends");
        let patterns = |rules: StoredRules| rules.approvals().map(|one| one.pattern.clone()).collect::<Vec<_>>();
        assert_eq!(source().map(patterns), Some(vec!["make *".to_owned(), "ls".to_owned()]));
        assert!(source().is_none());
        // Somebody else could have written it.
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).expect("chmod");
        assert_eq!(source().map(patterns), Some(vec![]));
        let real = workspace.path("state/real");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
        std::fs::rename(&file, &real).expect("moves");
        symlink(&real, &file).expect("links");
        assert_eq!(source().map(patterns), Some(vec![]));
        assert!(append(&file, &config.approve(rule("x"), Scope::User)).is_err());
    }

    #[test]
    fn an_approval_ends_when_the_configuration_says() {
        let approve = |days| ApprovalsConfig { days, ..ApprovalsConfig::default() }.approve(rule("x"), Scope::User);
        assert_eq!(approve(0).expires, None);
        let approved = approve(2);
        let lasts = approved.expires.map(|expires| expires.duration_since(approved.at).as_hours());
        assert_eq!(lasts, Some(48));
        assert!(approve(u64::MAX).expires.is_some());
    }
}
