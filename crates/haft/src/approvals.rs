//! Where approvals outlive a session: a file of this user, read with suspicion and appended to
//! whole lines at a time, or a database.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use async_trait::async_trait;
use rustix::fs::OFlags;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools_core::{CallerId, Clock, StoredRule, SystemClock};
use tools_policy::permissions::{
    ApprovalSnapshot, ApprovalStore, ApprovalsError, OnUnreadable, Scope, StoredApproval, StoredRules, read_approvals,
};

use crate::{
    agreed_scripts,
    config::{HaftConfig, LoadError, LoadedConfig, places},
};

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
    /// The `postgres://` address of a server that stores approvals for several machines instead of
    /// the file; needs a program built with the feature `postgres`. Empty: the file.
    pub database: String,
    /// Treatment of approvals while the database cannot be reached: with `"block"` none of them
    /// counts, and an answer is for its call alone; with `"warn"` those that were read last count
    /// on, and an answer is for its session. Rejections that were read count in any case.
    #[schemars(extend("x-overlay" = ["warn", "block"]))]
    pub on_error: OnApprovalsAway,
}

/// Treatment of stored approvals that cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnApprovalsAway {
    /// None of them counts, and an answer is for its call alone.
    #[default]
    Block,
    /// Those that were read last count on, and an answer is for its session.
    Warn,
}

impl Default for ApprovalsConfig {
    fn default() -> Self {
        Self {
            path: PathBuf::from("approvals.jsonl"),
            days: 90,
            database: String::new(),
            on_error: OnApprovalsAway::default(),
        }
    }
}

impl ApprovalsConfig {
    /// The file, absolute.
    pub fn file(&self) -> PathBuf {
        places::state_dir().join(&self.path)
    }

    /// The rejection, in a folder, of what a rule matches, by `caller`.
    pub(crate) fn reject_in_folder(&self, rule: StoredRule, folder: &Path, caller: Option<CallerId>) -> StoredApproval {
        let scope = Scope::Project { project: folder.to_owned() };
        StoredApproval { rejects: true, scripts: None, ..self.approve(rule, scope, caller) }
    }

    /// The approval of a rule under this configuration, by `caller`.
    pub(crate) fn approve(&self, rule: StoredRule, scope: Scope, caller: Option<CallerId>) -> StoredApproval {
        let at = SystemClock.now();
        let days = i64::try_from(self.days.min(MAX_DAYS)).unwrap_or_default();
        let expires = (days > 0).then(|| at.saturating_add(jiff::SignedDuration::from_hours(24 * days)).ok()).flatten();
        let StoredRule { tool, pattern, scripts } = rule;
        StoredApproval { scope, caller, tool, pattern, rejects: false, scripts, at, expires, revoked: false }
    }
}

/// The store of a configuration, and what is known of it before it is first read.
///
/// # Errors
/// When `tools.approvals.database` is no address that this program can use.
pub(crate) fn store(
    loaded: &LoadedConfig<HaftConfig>,
) -> Result<(Arc<dyn ApprovalStore>, ApprovalSnapshot), LoadError> {
    let config = &loaded.config.tools.approvals;
    if config.database.is_empty() {
        let file = FileApprovals::at(config.file());
        let first = file.snapshot();
        return Ok((Arc::new(file), first));
    }
    let store = database(config).map_err(|problem| loaded.fault("tools.approvals.database", problem))?;
    Ok((store, ApprovalSnapshot::default()))
}

#[cfg(feature = "postgres")]
fn database(config: &ApprovalsConfig) -> Result<Arc<dyn ApprovalStore>, &'static str> {
    use tools_team::approvals::{ApprovalDatabase, PostgresApprovals};

    let shared = crate::team::shared(&config.database, ApprovalDatabase::at);
    let database = shared.map_err(|_| crate::databases::NO_ADDRESS)?;
    let on_error = match config.on_error {
        OnApprovalsAway::Block => OnUnreadable::Forget,
        OnApprovalsAway::Warn => OnUnreadable::Keep,
    };
    Ok(Arc::new(PostgresApprovals::over(database, on_error)))
}

#[cfg(not(feature = "postgres"))]
fn database(_: &ApprovalsConfig) -> Result<Arc<dyn ApprovalStore>, &'static str> {
    Err(crate::databases::NO_SERVERS)
}

/// The approvals in a file, which is read when it is another than before.
#[derive(Debug)]
struct FileApprovals {
    file: PathBuf,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// The file as it was read; `None` when there was none.
    stamp: Option<FileStamp>,
    snapshot: ApprovalSnapshot,
}

impl FileApprovals {
    fn at(file: PathBuf) -> Self {
        Self { file, seen: Mutex::default() }
    }

    fn snapshot(&self) -> ApprovalSnapshot {
        let stamp = std::fs::symlink_metadata(&self.file).ok().map(|meta| FileStamp::of(&meta));
        let mut seen: MutexGuard<'_, Seen> = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
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
        let folder = agreed_scripts::folder(&self.file);
        if let Err(error) = agreed_scripts::keep(&folder, line.scripts.as_deref().unwrap_or_default()) {
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
    tools_sandbox::read_plain(file, OFlags::NOFOLLOW, MAX_FILE_BYTES, |meta| {
        let own = rustix::process::geteuid().as_raw();
        if (meta.uid() != own && meta.uid() != 0) || meta.mode() & 0o022 != 0 {
            return Err(io::Error::other("not a regular file that only its owner can write"));
        }
        Ok(())
    })
}

/// Adds one line, in one write, so that two processes at once lose nothing. A rule that nobody
/// could read again is an error.
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
        let config = ApprovalsConfig { path: file.clone(), days: 1, ..ApprovalsConfig::default() };
        let store = FileApprovals::at(config.file());
        let approve = |pattern: &str| config.approve(rule(pattern), Scope::User, None);
        assert_eq!(store.snapshot().number, 0, "there is no file, and there was none");
        append(&file, &approve("make *")).expect("appends");
        append(&file, &approve("ls")).expect("appends");
        let patterns = || store.snapshot().rules.approvals().map(|one| one.pattern.clone()).collect::<Vec<_>>();
        assert_eq!(patterns(), ["make *", "ls"]);
        assert_eq!((store.snapshot().number, store.snapshot().number), (1, 1));
        // Somebody else could have written it.
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).expect("chmod");
        assert!(patterns().is_empty());
        let real = workspace.path("state/real");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("chmod");
        std::fs::rename(&file, &real).expect("moves");
        symlink(&real, &file).expect("links");
        assert!(patterns().is_empty());
        assert!(append(&file, &approve("x")).is_err());
    }

    #[test]
    fn an_approval_ends_when_the_configuration_says() {
        let approve =
            |days| ApprovalsConfig { days, ..ApprovalsConfig::default() }.approve(rule("x"), Scope::User, None);
        assert_eq!(approve(0).expires, None);
        let approved = approve(2);
        let lasts = approved.expires.map(|expires| expires.duration_since(approved.at).as_hours());
        assert_eq!(lasts, Some(48));
        assert!(approve(u64::MAX).expires.is_some());
    }
}
