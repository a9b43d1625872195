//! Selects the checkers for a path and their directories, and locates the files in their output.
//! All paths stay beneath the allowed roots.

use std::path::{Path, PathBuf};

use tools_core::is_made_by_others;
use tools_sandbox::{FileKind, PathError, Roots, shown};

use crate::checkers::{self, ALL, BARE, Checker, Request};
use crate::diagnostic::Diagnostic;
use crate::diagnostics::CheckKind;
use crate::error::DiagnosticsError;
use crate::nested_projects::projects_below;

/// Maximum number of parent directories searched for a project.
const MAX_ABOVE: usize = 64;

/// A checker and its directory.
pub(crate) struct Job {
    pub(crate) checker: &'static dyn Checker,
    /// Canonical.
    pub(crate) directory: PathBuf,
    /// The file in the call, canonical, if the checker knows files of its kind.
    pub(crate) file: Option<PathBuf>,
    /// The target of the call, canonical, if it is neither such a file nor the project: a folder in
    /// it, or a file of another kind.
    pub(crate) aside: Option<PathBuf>,
    /// The missing program that this checker replaces.
    pub(crate) stands_in: Option<&'static str>,
}

impl Job {
    pub(crate) fn request<'a>(&'a self, kind: CheckKind, marker: &'a str) -> Request<'a> {
        let folder = self.aside.as_deref().filter(|aside| aside.is_dir());
        Request { kind, marker, file: self.file.as_deref(), folder }
    }

    /// Whether its directory is not a project.
    pub(crate) fn is_without_project(&self, roots: &Roots) -> bool {
        self.file.is_none() && !ALL.iter().any(|checker| has_any(checker.markers(), &self.directory, roots))
    }

    /// The same job for a checker with fewer requirements; `None` when there is none.
    pub(crate) fn bare(&self, missing: &'static str) -> Option<Self> {
        let checker = checkers::fallback_checker(self.checker.extensions()).filter(|_| self.stands_in.is_none())?;
        let (directory, file, aside) = (self.directory.clone(), self.file.clone(), self.aside.clone());
        Some(Self { checker, directory, file, aside, stands_in: Some(missing) })
    }
}

/// The checkers for `path`: those of the nearest project directory at or above it, or for a file
/// the checker of its kind.
pub(crate) fn jobs(path: &Path, roots: &Roots, workdir: &Path) -> Result<Vec<Job>, DiagnosticsError> {
    let resolved = roots.resolve(path, workdir)?;
    let kind = resolved.kind().ok_or_else(|| PathError::NotFound(path.to_path_buf()))?;
    let found = resolved.into_path();
    if kind == FileKind::Directory {
        return of_directory(&found, &found, path, roots);
    }
    if kind != FileKind::File {
        return Err(PathError::WrongKind { path: path.to_path_buf(), found: kind, wanted: FileKind::File }.into());
    }
    let directory = found.parent().unwrap_or(&found).to_path_buf();
    let extension = found.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let mut all = ALL.into_iter().chain(BARE);
    let Some(checker) = all.find(|checker| checker.extensions().contains(&extension)) else {
        return of_directory(&directory, &found, path, roots);
    };
    let project = match checker.markers() {
        [] => Some(directory.clone()),
        markers => upward(&directory).find(|above| has_any(markers, above, roots)).map(Path::to_path_buf),
    };
    if let Some(directory) = project {
        return Ok(vec![Job { checker, directory, file: Some(found), aside: None, stands_in: None }]);
    }
    // No project contains it: the linter for its kind, else a checker for single files.
    match checkers::fallback_checker(&[extension]) {
        Some(_) => Ok(vec![Job { checker, directory, file: Some(found), aside: None, stands_in: None }]),
        None => Err(nothing(path, checker.markers())),
    }
}

/// The jobs for the target `found`: `directory` itself or a file in it.
fn of_directory(directory: &Path, found: &Path, asked: &Path, roots: &Roots) -> Result<Vec<Job>, DiagnosticsError> {
    let is_marker = |path: &Path| {
        let mut markers = ALL.iter().flat_map(|checker| checker.markers());
        markers.any(|marker| path.file_name().is_some_and(|name| name == *marker))
    };
    let job = |checker, directory: &Path| Job {
        checker,
        directory: directory.to_path_buf(),
        file: None,
        aside: (found != directory && !is_marker(found)).then(|| found.to_path_buf()),
        stands_in: None,
    };
    for above in upward(directory) {
        let fitting = ALL.into_iter().filter(|checker| has_any(checker.markers(), above, roots));
        let jobs: Vec<Job> = fitting.map(|checker| job(checker, above)).collect();
        if !jobs.is_empty() {
            return Ok(jobs);
        }
    }
    // No project: uses the checkers for single files.
    let bare = BARE.into_iter().filter(|checker| first_of(directory, checker.extensions()).is_some());
    let jobs: Vec<Job> = bare
        .map(|bare| {
            let checker = ALL.into_iter().find(|checker| checker.extensions() == bare.extensions()).unwrap_or(bare);
            job(checker, directory)
        })
        .collect();
    if !jobs.is_empty() {
        return Ok(jobs);
    }
    let below = projects_below(directory);
    if !below.is_empty() {
        let name = |project: &PathBuf| {
            let below = project.strip_prefix(directory).unwrap_or(project);
            shown(&if asked == Path::new(".") { below.to_owned() } else { asked.join(below) })
        };
        return Err(DiagnosticsError::ProjectsBelow { path: shown(asked), projects: below.iter().map(name).collect() });
    }
    // Files that need a project-specific command line are checked one by one: a folder does not
    // show the flags.
    let single = ALL.into_iter().filter(|checker| checker.markers().is_empty());
    if let Some(file) = { single }.find_map(|checker| first_of(directory, checker.extensions())) {
        let example = asked.join(file.strip_prefix(directory).unwrap_or(&file));
        return Err(DiagnosticsError::FilesOnly { path: shown(asked), example: shown(&example) });
    }
    if found != directory && !is_marker(found) {
        let mut known: Vec<&str> =
            ALL.into_iter().chain(BARE).flat_map(|checker| checker.extensions().iter().copied()).collect();
        known.sort_unstable();
        known.dedup();
        let known = known.iter().map(|extension| format!("`.{extension}`")).collect::<Vec<_>>().join(", ");
        return Err(DiagnosticsError::NoChecker { path: shown(asked), known });
    }
    let all: Vec<&str> = ALL.iter().flat_map(|checker| checker.markers()).copied().collect();
    Err(nothing(asked, &all))
}

/// A file with one of these extensions in the directory or two levels below.
fn first_of(directory: &Path, extensions: &[&str]) -> Option<PathBuf> {
    const MOST: usize = 2000;
    let mut pending = vec![(directory.to_path_buf(), 0)];
    let mut seen = 0;
    while let Some((folder, depth)) = pending.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST {
                return None;
            }
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            let name = entry.file_name();
            let is_own = |name: &str| !is_made_by_others(name) && !matches!(name, ".git" | ".venv");
            if kind.is_file() && path.extension().is_some_and(|own| extensions.iter().any(|other| own == *other)) {
                return Some(path);
            }
            if kind.is_dir() && depth < 2 && is_own(&name.to_string_lossy()) {
                pending.push((path, depth + 1));
            }
        }
    }
    None
}

/// The content of the file that marks a directory as a project of this kind.
pub(crate) fn marker(job: &Job, roots: &Roots) -> String {
    const MOST: u64 = 256 * 1024;
    let files = job.checker.markers().iter().filter_map(|marker| {
        let (file, ..) = roots.open_file(&job.directory.join(marker), Path::new("/")).ok()?;
        let mut text = String::new();
        std::io::Read::read_to_string(&mut std::io::Read::take(file, MOST), &mut text).ok()?;
        Some(text)
    });
    { files }.next().unwrap_or_default()
}

fn upward(directory: &Path) -> impl Iterator<Item = &Path> {
    directory.ancestors().take(MAX_ABOVE)
}

/// Whether a project of this kind starts here. There is none above the roots.
fn has_any(markers: &[&str], directory: &Path, roots: &Roots) -> bool {
    markers.iter().any(|marker| is_file(&directory.join(marker), roots).is_some())
}

/// The canonical path, if it is a regular file beneath the roots.
fn is_file(path: &Path, roots: &Roots) -> Option<PathBuf> {
    let resolved = roots.resolve(path, Path::new("/")).ok()?;
    (resolved.kind() == Some(FileKind::File)).then(|| resolved.into_path())
}

fn nothing(path: &Path, markers: &[&str]) -> DiagnosticsError {
    let names: Vec<String> = markers.iter().map(|marker| format!("`{marker}`")).collect();
    let looked_for = match names.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", names.join(", ")),
    };
    DiagnosticsError::NoProject { path: shown(path), looked_for }
}

/// The project's own copy of a program, at one of these places in its directory or one above.
pub(crate) fn local_program(directory: &Path, places: &[&str], roots: &Roots) -> Option<PathBuf> {
    // Links are not resolved: such programs find their files through the link that started them. In
    // an environment with the interpreter of the system, the link leads out of the roots.
    let kept = upward(directory).flat_map(|above| places.iter().map(move |place| above.join(place)));
    kept.into_iter().find(|path| roots.resolve(path.parent().unwrap_or(path), Path::new("/")).is_ok() && path.is_file())
}

/// The build folder for cargo if its default, next to the manifest of the whole workspace, may lie
/// outside the roots.
pub(crate) fn build_folder(directory: &Path, writable: &[PathBuf]) -> Option<PathBuf> {
    let manifests = upward(directory).filter(|above| above.join("Cargo.toml").exists());
    let (inside, outside): (Vec<&Path>, Vec<&Path>) =
        manifests.partition(|above| writable.iter().any(|root| above.starts_with(root)));
    let outermost = inside.last().filter(|_| !outside.is_empty())?;
    Some(outermost.join("target"))
}

/// Resolves and shows the files of diagnostics.
pub(crate) struct Places<'a> {
    pub(crate) roots: &'a Roots,
    /// Canonical.
    pub(crate) workdir: &'a Path,
}

impl Places<'_> {
    /// A path relative to the working directory.
    pub(crate) fn show(&self, path: &Path) -> String {
        let relative = path.strip_prefix(self.workdir).unwrap_or(path);
        if relative.as_os_str().is_empty() { ".".to_owned() } else { relative.to_string_lossy().into_owned() }
    }

    /// Makes the file name relative to the working directory; returns its canonical path if it lies
    /// beneath the roots. `base` is the directory that a relative name is relative to, or one below
    /// it.
    pub(crate) fn settle(&self, diagnostic: &mut Diagnostic, base: &Path) -> Option<PathBuf> {
        let spelled = PathBuf::from(diagnostic.file.as_deref()?);
        let found = if spelled.is_absolute() {
            is_file(&spelled, self.roots)
        } else {
            upward(base).find_map(|above| is_file(&above.join(&spelled), self.roots))
        };
        let path = found.as_deref().unwrap_or(&spelled);
        diagnostic.file = Some(path.strip_prefix(self.workdir).unwrap_or(path).to_string_lossy().into_owned());
        found
    }
}

#[cfg(test)]
mod tests {
    use tools_testkit::Workspace;

    use super::*;
    use crate::diagnostic::Severity;

    fn jobs_of(workspace: &Workspace, path: &str) -> Result<Vec<(String, Option<String>)>, String> {
        let roots = Roots::open(&[], workspace.root()).unwrap();
        let relative = |path: &Path| path.strip_prefix(workspace.root()).unwrap().to_string_lossy().into_owned();
        let jobs = jobs(Path::new(path), &roots, workspace.root()).map_err(|error| error.to_string())?;
        Ok(jobs
            .iter()
            .map(|job| {
                let request = job.request(CheckKind::Check, "");
                let program = job.checker.command(&request).program;
                (format!("{program} in {}", relative(&job.directory)), job.file.as_deref().map(relative))
            })
            .collect())
    }

    #[test]
    fn the_nearest_project_at_or_above_the_path_is_checked() {
        let workspace = Workspace::new();
        for file in [
            "Cargo.toml",
            "src/lib.rs",
            "web/tsconfig.json",
            "web/src/a.ts",
            "web/pyproject.toml",
            "web/x.py",
            "c/a.C",
            "c/b.md",
        ] {
            workspace.file(file, "");
        }
        let check = |path: &str, expected: &[(&str, Option<&str>)]| {
            let expected = expected.iter().map(|(job, file)| ((*job).to_owned(), file.map(str::to_owned))).collect();
            assert_eq!(jobs_of(&workspace, path), Ok(expected), "{path}");
        };
        check(".", &[("cargo in ", None)]);
        check("src", &[("cargo in ", None)]);
        check("src/lib.rs", &[("cargo in ", Some("src/lib.rs"))]);
        check("web/src", &[("tsc in web", None), ("ruff in web", None)]);
        check("web/src/a.ts", &[("tsc in web", Some("web/src/a.ts"))]);
        check("web/x.py", &[("ruff in web", Some("web/x.py"))]);
        check("c/a.C", &[("g++ in c", Some("c/a.C"))]);
        check("c/b.md", &[("cargo in ", None)]);
        check("Cargo.toml", &[("cargo in ", None)]);
    }

    #[test]
    fn a_path_without_a_project_or_outside_is_refused() {
        let workspace = Workspace::new();
        workspace.dir("empty");
        workspace.link("out", "/");
        let says = |path: &str, expected: &str| {
            let message = jobs_of(&workspace, path).unwrap_err();
            assert!(message.contains(expected), "{path}: {message}");
        };
        says("empty", "nothing to check at `empty`: one of `Cargo.toml`");
        workspace.file("c/src/a.c", "");
        workspace.file("c/compile_commands.json", "[]");
        says("c", "there is no project to check at `c`; C and C++ files are checked one at a time");
        let roots = Roots::open(&[], workspace.root()).unwrap();
        let refused = jobs(Path::new("c"), &roots, workspace.root()).map(|_| ()).unwrap_err();
        assert!(tools_core::ToolError::from(refused).suggestion().contains("for example `c/src/a.c`"));
        says("missing", "missing");
        says("out/etc", "outside");
        says("../x", "outside");
    }

    #[test]
    fn a_workspace_that_reaches_out_of_the_roots_is_built_inside() {
        let workspace = Workspace::new();
        for file in ["Cargo.toml", "crates/a/Cargo.toml", "crates/a/b/Cargo.toml"] {
            workspace.file(file, "");
        }
        let built = |directory: &str, root: &str| build_folder(&workspace.path(directory), &[workspace.path(root)]);
        assert_eq!(built("crates/a/b", ""), None, "cargo chooses itself");
        assert_eq!(built("crates/a/b", "crates/a"), Some(workspace.path("crates/a/target")));
        assert_eq!(built("crates", "crates/a"), None);
    }

    #[test]
    fn files_are_named_from_the_working_directory() {
        let workspace = Workspace::new();
        for file in ["app/src/main.rs", "lib/src/lib.rs", "src/lib.rs"] {
            workspace.file(file, "");
        }
        let roots = Roots::open(&[], workspace.root()).unwrap();
        let check = |workdir: &str, base: &str, spelled: &str, expected: &str| {
            let mut diagnostic = Diagnostic {
                severity: Severity::Error,
                message: String::new(),
                file: Some(spelled.to_owned()),
                line: None,
                col: None,
                code: None,
                rendered: None,
            };
            let places = Places { roots: &roots, workdir: &workspace.path(workdir) };
            places.settle(&mut diagnostic, &workspace.path(base));
            assert_eq!(diagnostic.file.as_deref(), Some(expected), "{spelled}");
        };
        check("", "app", "app/src/main.rs", "app/src/main.rs");
        check("", "", "src/lib.rs", "src/lib.rs");
        check("app", "app", "app/src/main.rs", "src/main.rs");
        check("", "app", "/rustc/abc/library/core/src/x.rs", "/rustc/abc/library/core/src/x.rs");
        check("", "app", "gone.rs", "gone.rs");
        let outside = workspace.path("src/lib.rs").to_string_lossy().into_owned();
        check("app", "app", "src/lib.rs", &outside);
    }
}
