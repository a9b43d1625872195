//! The files of code that a line runs, each with the digest of its present content. Only for files
//! that commands could change: files outside of their writable folders are identified by name
//! alone.

use std::cell::OnceCell;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use tools_command::{Analysis, Command, Value, plain_path};
use tools_core::{ContentDigest, Script, Subject};
use tools_sandbox::{PathError, Roots, kernel::resolve_by_words};

/// Maximum length in bytes of a file that gets a digest: it is read before each run.
const MAX_SCRIPT_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum length in bytes of a text that is kept to show changes.
const MAX_TEXT_LEN: u64 = 64 * 1024;
/// Maximum number of files of one line that get a digest.
const MAX_SCRIPTS: usize = 64;

/// The files of code that a line runs, as subjects. Missing files are left out.
pub(crate) fn scripts(found: &Analysis, roots: &[PathBuf], workdir: &Path) -> Vec<Subject> {
    let looking = ScriptScan { roots, workdir, open: OnceCell::new() };
    let mut subjects = Vec::new();
    let named = found.commands.iter().flat_map(|command| command.scripts.iter().map(move |file| (command, file)));
    for (command, file) in named {
        let script = if subjects.len() < MAX_SCRIPTS { looking.script(file, command) } else { Some(unknown(file)) };
        let subject = script.map(|script| Subject::Script { command: command.line.clone(), script });
        if let Some(subject) = subject.filter(|subject| !subjects.contains(subject)) {
            subjects.push(subject);
        }
    }
    subjects
}

fn unknown(file: &Value) -> Script {
    Script::unknown(&file.text)
}

/// A scan of the files of one line.
struct ScriptScan<'a> {
    /// The folders that commands may write.
    roots: &'a [PathBuf],
    workdir: &'a Path,
    /// The writable folders, opened with the first file; `None` if they cannot be opened.
    open: OnceCell<Option<Roots>>,
}

impl ScriptScan<'_> {
    fn script(&self, file: &Value, command: &Command) -> Option<Script> {
        let is_placed = command.folder.is_some() || file.text.starts_with('/');
        if !file.is_exact || file.has_pattern || !is_placed {
            return Some(unknown(file));
        }
        let path = plain_path(&Path::new(command.folder.as_deref().unwrap_or_default()).join(&file.text));
        let target = resolve_by_words(&path);
        if !self.is_changeable(&path) && !self.is_changeable(&target) {
            // The command has its own folder for temporary files, so it will not run what is there
            // now.
            return (path.starts_with("/tmp") || target.starts_with("/tmp")).then(|| Script::unknown(path));
        }
        let roots = self.open.get_or_init(|| Roots::open(self.roots, self.workdir).ok());
        match roots.as_ref().map(|roots| roots.open_file(&target, self.workdir)) {
            Some(Ok((open, path, metadata))) => Some(read(open, metadata.size, path)),
            Some(Err(PathError::NotFound(_))) => None,
            // A link out of these folders: its target cannot change, but the link may lead
            // elsewhere later. The content behind a dangling link is unknown.
            Some(Err(PathError::Outside { .. })) if !target.starts_with("/tmp") && !target.is_symlink() => {
                Some(link(path, &target))
            }
            _ => Some(Script::unknown(path)),
        }
    }

    fn is_changeable(&self, path: &Path) -> bool {
        self.roots.iter().any(|root| path.starts_with(root)) || path.starts_with(self.workdir)
    }
}

/// Identifies a link by its target.
fn link(path: PathBuf, target: &Path) -> Script {
    let text = target.to_str().map(Into::into);
    Script { path, digest: Some(ContentDigest::of(target.as_os_str().as_bytes())), text }
}

fn read(open: File, size: u64, path: PathBuf) -> Script {
    if size > MAX_TEXT_LEN {
        return Script {
            path,
            digest: ContentDigest::of_reader(open, MAX_SCRIPT_BYTES).unwrap_or_default(),
            text: None,
        };
    }
    let mut bytes = Vec::new();
    // The file may have grown since.
    if open.take(MAX_TEXT_LEN + 1).read_to_end(&mut bytes).is_err() || bytes.len() as u64 > MAX_TEXT_LEN {
        return Script::unknown(path);
    }
    let digest = Some(ContentDigest::of(&bytes));
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).map(Into::into);
    Script { path, digest, text }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use tools_command::{Surroundings, analyse};

    use super::*;

    fn found(line: &str, root: &Path) -> Vec<String> {
        let around = Surroundings { home: "/h".to_owned(), workdir: root.to_str().unwrap().to_owned() };
        let told = scripts(&analyse(line, &around), &[root.to_owned()], root);
        let shown = |script: &Script| {
            let known = script.text.as_deref().unwrap_or(if script.digest.is_some() { "known" } else { "unknown" });
            format!("{} {known}", script.shown_from(root))
        };
        told.iter()
            .filter_map(|one| if let Subject::Script { script, .. } = one { Some(shown(script)) } else { None })
            .collect()
    }

    #[test]
    fn what_a_line_runs_is_known_by_its_content() {
        // Not in `/tmp`, where every file is unknown.
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let root = folder.path().canonicalize().unwrap();
        let write = |name: &str, content: &[u8]| {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        };
        write("x.sh", b"X");
        write("sub/y.py", b"Y");
        write("sub/Makefile", b"M");
        write("package.json", b"{}");
        write("program", b"\x7fELF\0");
        write("long", "a".repeat(70_000).as_bytes());
        File::create(root.join("huge")).unwrap().set_len(MAX_SCRIPT_BYTES + 1).unwrap();
        symlink("sub/y.py", root.join("inside")).unwrap();
        symlink("/bin/sh", root.join("outside")).unwrap();
        symlink("/tmp/elsewhere.sh", root.join("temporary")).unwrap();
        symlink("/nowhere/x.sh", root.join("nowhere")).unwrap();
        let check = |line: &str, expected: &[&str]| assert_eq!(found(line, &root), expected, "{line}");
        let shell = std::fs::canonicalize("/bin/sh").unwrap();
        check("bash x.sh", &["x.sh X"]);
        check("./x.sh; bash ./x.sh a", &["x.sh X", "x.sh X"]);
        check("timeout 5 bash x.sh", &["x.sh X"]);
        check("cd sub && python3 y.py", &["sub/y.py Y"]);
        check("cd sub; cd $x; python3 y.py", &["y.py unknown"]);
        check("make -C sub all", &["sub/Makefile M"]);
        check("make", &[]);
        check("npm test", &["package.json {}"]);
        check("./program", &["program known"]);
        check("./long", &["long known"]);
        check("./huge", &["huge unknown"]);
        check("./sub", &["sub unknown"]);
        check("./inside", &["sub/y.py Y"]);
        check("./outside -c 1", &[&format!("outside {}", shell.display())]);
        check("bash temporary", &["temporary unknown"]);
        check("bash nowhere", &["nowhere unknown"]);
        check("bash gone.sh", &[]);
        check("python3 /tmp/x.py", &["/tmp/x.py unknown"]);
        check("/usr/bin/env ls; bash /usr/share/x.sh; cargo test", &[]);
        check("for f in *.py; do python3 $f; done", &["$f unknown"]);
    }
}
