//! What this user's processes run: a file for each long call and each job, in the folder in which
//! watchers listen. A file counts while its process holds the lock on it, so that nothing of a
//! killed process is shown; it is removed with the activity.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tools_core::{Activity, ActivityBoard, Clock as _, Redactor, SystemClock};

use crate::folder::Folder;

/// The form of the files. Another number is another program's, and is left alone.
const VERSION: u32 = 1;
/// Characters of a title that are kept.
const MAX_TITLE_CHARS: usize = 500;
/// The largest file that is read.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// Activities that are listed at most.
const MAX_LISTED: usize = 200;

/// Shows activities of this process to this user's other processes, without their credentials.
#[derive(Debug, Clone)]
pub struct Activities {
    folder: PathBuf,
    redactor: Arc<dyn Redactor>,
}

/// An activity as another process sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityRow {
    /// The form of the file; 1.
    pub version: u32,
    /// ID of the process that runs it.
    pub process: u32,
    /// The tool that was called.
    pub tool: String,
    /// The session of the call.
    pub session: String,
    /// Caller, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The folder in which it works.
    pub workdir: PathBuf,
    /// The job; `None` for a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
    /// Subject of the call, redacted; long texts are cut.
    pub title: String,
    /// Since when it is shown, in milliseconds since 1970. A call has run half a second by then.
    pub since_ms: u64,
}

impl Activities {
    /// Shows activities in `folder`, which is made where it is missing.
    pub fn new(folder: impl Into<PathBuf>, redactor: Arc<dyn Redactor>) -> Self {
        Self { folder: folder.into(), redactor }
    }

    fn row(&self, activity: &Activity<'_>) -> ActivityRow {
        let of_session = self.redactor.in_session(activity.session);
        let redactor = of_session.as_deref().unwrap_or(self.redactor.as_ref());
        let title = redactor.redact(&activity.title);
        ActivityRow {
            version: VERSION,
            process: std::process::id(),
            tool: activity.tool.to_owned(),
            session: activity.session.to_string(),
            caller: activity.caller.map(ToString::to_string),
            workdir: activity.workdir.to_owned(),
            job: activity.job.map(str::to_owned),
            title: shortened(&title).into_owned(),
            since_ms: u64::try_from(SystemClock.now().as_millisecond()).unwrap_or_default(),
        }
    }
}

impl ActivityBoard for Activities {
    fn show(&self, activity: &Activity<'_>) -> Option<Box<dyn Send + Sync>> {
        let text = serde_json::to_vec(&self.row(activity)).ok()?;
        let shown = Folder::make(&self.folder).and_then(|folder| {
            let (file, name) = folder.create_activity()?;
            let shown = ShownActivity { folder, name, file };
            shown.file.lock()?;
            (&shown.file).write_all(&text)?;
            Ok(shown)
        });
        match shown {
            Ok(shown) => Some(Box::new(shown)),
            Err(error) => {
                tracing::debug!(%error, folder = %self.folder.display(), "an activity cannot be shown");
                None
            }
        }
    }
}

/// An activity that is shown until this is dropped.
struct ShownActivity {
    folder: Folder,
    name: String,
    /// Its lock says that the activity goes on.
    file: File,
}

impl Drop for ShownActivity {
    fn drop(&mut self) {
        self.folder.remove(&self.name);
    }
}

/// Activities of this user's processes, the oldest first; nothing where the folder is missing or is
/// not this user's alone. Files of processes that were killed are removed.
pub fn activities(folder: &Path) -> Vec<ActivityRow> {
    let Ok(folder) = Folder::open(folder) else { return vec![] };
    let rows = folder.activities().into_iter().filter_map(|name| read(&folder, &name));
    let mut rows: Vec<_> = rows.take(MAX_LISTED).collect();
    rows.sort_by(|a, b| (a.since_ms, a.process, &a.title).cmp(&(b.since_ms, b.process, &b.title)));
    rows
}

fn read(folder: &Folder, name: &str) -> Option<ActivityRow> {
    let file = folder.open_activity(name).ok()?;
    if file.try_lock_shared().is_ok() {
        // One that was just made is not locked yet.
        if folder.is_old(name) {
            folder.remove(name);
        }
        return None;
    }
    let mut text = Vec::new();
    file.take(MAX_FILE_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice::<ActivityRow>(&text).ok().filter(|row| row.version == VERSION)
}

fn shortened(title: &str) -> Cow<'_, str> {
    match title.char_indices().nth(MAX_TITLE_CHARS) {
        Some((at, _)) => format!("{}…", &title[..at]).into(),
        None => title.into(),
    }
}
