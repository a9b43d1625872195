//! Keeps the texts of scripts that people approved for longer than a session, so that a question
//! can show later changes. An approval depends only on the digests: without a text the question
//! shows less.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::OFlags;
use tools_core::{ContentDigest, FileDiff, Script};
use tools_sandbox::{read_plain, replace_file};

use super::Difference;
use crate::OtherScript;

/// Maximum length in bytes of a text that is read back; no longer ones are stored.
const MAX_TEXT_BYTES: u64 = 64 * 1024;
/// Maximum number of kept texts; the oldest are removed.
const MAX_TEXTS: usize = 512;

/// The folder of the texts beside a file of approvals.
pub(super) fn folder(approvals: &Path) -> PathBuf {
    approvals.with_extension("scripts")
}

/// Stores the texts of scripts, each under its digest.
///
/// # Errors
/// If the folder cannot be created or written.
pub(super) fn keep(folder: &Path, scripts: &[Script]) -> io::Result<()> {
    let texts = scripts.iter().filter_map(|script| script.digest.zip(script.text.as_ref()));
    for (digest, text) in texts {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        replace_file(&folder.join(digest.to_hex()), 0o600, text.as_bytes())?;
        make_room(folder)?;
    }
    Ok(())
}

/// Removes the oldest texts beyond the maximum number.
fn make_room(folder: &Path) -> io::Result<()> {
    let entries = std::fs::read_dir(folder)?.filter_map(Result::ok);
    let dated = entries.filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())));
    let mut dated: Vec<(SystemTime, PathBuf)> = dated.collect();
    let beyond = dated.len().saturating_sub(MAX_TEXTS);
    dated.sort_unstable();
    for (_, path) in &dated[..beyond] {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// A text by its digest; `None` if it is missing or its digest differs.
fn text(folder: &Path, digest: ContentDigest) -> Option<Arc<str>> {
    let bytes = read_plain(&folder.join(digest.to_hex()), OFlags::NOFOLLOW, MAX_TEXT_BYTES, |_| Ok(())).ok()?;
    let is_it = ContentDigest::of(&bytes) == digest;
    String::from_utf8(bytes).ok().filter(|_| is_it).map(Arc::from)
}

/// The difference between two texts of a file; the first may be missing.
pub type TextDiff = fn(&Path, Option<&str>, &str) -> FileDiff;

/// Shows how scripts differ from the approved ones, using the texts in `folder`
/// ([`super::ApprovalsConfig::scripts`]). Without `diff` it only states that they differ.
pub(super) fn script_difference(folder: PathBuf, diff: Option<TextDiff>) -> Difference {
    Box::new(move |other| between(&folder, diff, other))
}

fn between(folder: &Path, diff: Option<TextDiff>, OtherScript { was, is }: &OtherScript) -> FileDiff {
    let before = was.as_ref().and_then(|was| was.text.clone().or_else(|| text(folder, was.digest?)));
    match (diff, &is.text) {
        (Some(diff), Some(now)) if was.is_none() || before.is_some() => diff(&is.path, before.as_deref(), now),
        _ => told(is, was.as_ref()),
    }
}

/// The difference without the texts: one line per side.
fn told(is: &Script, was: Option<&Script>) -> FileDiff {
    let line = |sign: char, script: &Script| match script.digest {
        Some(digest) => format!("{sign}content that is not shown, {digest}\n"),
        None => format!("{sign}content that cannot be told\n"),
    };
    let unified = was.map(|was| line('-', was)).unwrap_or_default() + &line('+', is);
    let removed = u64::from(was.is_some());
    FileDiff { path: is.path.clone(), unified, added: 1, removed, before: None, after: None }
}

#[cfg(test)]
mod tests {
    use tools_testkit::Workspace;

    use super::*;

    fn script(text: &str) -> Script {
        let digest = Some(ContentDigest::of(text.as_bytes()));
        Script { path: "/w/x.sh".into(), digest, text: Some(text.into()) }
    }

    /// The lines that only one of the texts contains.
    fn lines(path: &Path, before: Option<&str>, after: &str) -> FileDiff {
        let before = before.unwrap_or_default();
        let only = |sign: &str, these: &str, others: &str| -> String {
            let lines = these.lines().filter(|line| !others.contains(line));
            lines.flat_map(|line| [sign, line, "\n"]).collect()
        };
        let (old, new) = (only("-", before, after), only("+", after, before));
        let count = |text: &str| text.lines().count() as u64;
        let (added, removed) = (count(&new), count(&old));
        FileDiff { path: path.to_owned(), unified: old + &new, added, removed, before: None, after: None }
    }

    fn forgotten(script: Script) -> Script {
        Script { text: None, ..script }
    }

    fn shown(folder: &Path, was: Option<Script>, is: Script) -> (String, u64, u64) {
        let diff = script_difference(folder.to_owned(), Some(lines))(&OtherScript { was, is });
        (diff.unified, diff.added, diff.removed)
    }

    #[test]
    fn what_was_agreed_to_is_compared_with_what_is_there() {
        let workspace = Workspace::new();
        let folder = folder(&workspace.path("approvals.jsonl"));
        assert_eq!(folder, workspace.path("approvals.scripts"));
        keep(&folder, &[script("a\nb\n"), Script::unknown("/w/y")]).expect("keeps");
        let (unified, added, removed) = shown(&folder, Some(forgotten(script("a\nb\n"))), script("a\nc\n"));
        assert!(unified.contains("-b\n+c\n"), "{unified}");
        assert_eq!((added, removed), (1, 1));
        let (unified, ..) = shown(&folder, None, script("a\n"));
        assert!(unified.contains("+a"), "{unified}");
        // Not kept, or not as it was.
        let (unified, ..) = shown(&folder, Some(forgotten(script("other"))), script("a\n"));
        assert!(unified.starts_with("-content that is not shown, sha256:"), "{unified}");
        let kept = folder.join(ContentDigest::of(b"a\nb\n").to_hex());
        std::fs::write(&kept, "forged").expect("writes");
        let (unified, ..) = shown(&folder, Some(forgotten(script("a\nb\n"))), script("a\nc\n"));
        assert!(!unified.contains("forged"), "{unified}");
        let (unified, ..) = shown(&folder, Some(script("a\n")), Script::unknown("/w/x.sh"));
        assert!(unified.contains("+content that cannot be told"), "{unified}");
    }

    #[test]
    fn the_oldest_texts_give_way() {
        let workspace = Workspace::new();
        let folder = folder(&workspace.path("approvals.jsonl"));
        for number in 0..MAX_TEXTS + 3 {
            keep(&folder, &[script(&number.to_string())]).expect("keeps");
        }
        assert_eq!(std::fs::read_dir(&folder).expect("lists").count(), MAX_TEXTS);
        assert!(text(&folder, ContentDigest::of((MAX_TEXTS + 2).to_string().as_bytes())).is_some());
    }
}
