//! Checks whether a checker has read the requested files: a clean result means nothing for others.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use tools_sandbox::Roots;

use crate::checkers::Coverage;
use crate::go_files::{GoSurvey, Target, survey, why_left_out};
use crate::project::Job;

/// Maximum number of bytes read from a dependency list of a compiler.
const LIST: u64 = 1024 * 1024;

/// The coverage of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunCoverage {
    /// Number of workspace files that were read; `None` if it is not known.
    pub(crate) files: Option<usize>,
    /// Requested files that were not checked; a phrase.
    pub(crate) unchecked: Option<String>,
    /// Requested files that were not checked, but that another checker may have read; a phrase.
    pub(crate) missed: Option<String>,
}

/// The target of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Asked<'a> {
    /// The whole project.
    Project,
    /// A file of a kind that the checker knows.
    File(&'a Path),
    /// A file of another kind.
    Other(&'a Path),
    /// A folder in the project.
    Folder(&'a Path),
}

impl<'a> Asked<'a> {
    pub(crate) fn of(job: &'a Job) -> Self {
        match (&job.file, &job.aside) {
            (Some(file), _) => Self::File(file),
            (None, Some(aside)) if aside.is_dir() => Self::Folder(aside),
            (None, Some(aside)) => Self::Other(aside),
            (None, None) => Self::Project,
        }
    }
}

/// Compares the files that were read with those requested.
pub(crate) fn covered(
    checked: &Coverage,
    asked: Asked<'_>,
    directory: &Path,
    roots: &Roots,
    show: impl Fn(&Path) -> String,
) -> RunCoverage {
    let own = |files: &[PathBuf]| files.iter().filter(|path| is_own(path, roots)).count();
    let outside = |file: &Path| format!("`{}` is not part of what was checked", show(file));
    let no_file = |folder: &Path| format!("no file of `{}` is part of what was checked", show(folder));
    let unchecked = |phrase: Option<String>| RunCoverage { unchecked: phrase, ..RunCoverage::default() };
    let missed = |phrase: Option<String>| RunCoverage { missed: phrase, ..RunCoverage::default() };
    match (checked, asked) {
        (Coverage::Unknown | Coverage::GoBuild, Asked::Other(file)) => missed(Some(outside(file))),
        (Coverage::Unknown, _) | (Coverage::Lists(_), Asked::Project) => RunCoverage::default(),
        (Coverage::Files(files) | Coverage::Partly(files, _), Asked::File(file)) => RunCoverage {
            files: Some(own(files)),
            ..unchecked((!files.iter().any(|path| path == file)).then(|| outside(file)))
        },
        (Coverage::Files(files) | Coverage::Partly(files, _), Asked::Other(file)) => RunCoverage {
            files: Some(own(files)),
            ..missed((!files.iter().any(|path| path == file)).then(|| outside(file)))
        },
        (Coverage::Files(files), Asked::Folder(folder)) => RunCoverage {
            files: Some(own(files)),
            ..missed((!files.iter().any(|path| path.starts_with(folder))).then(|| no_file(folder)))
        },
        (Coverage::Partly(files, more), Asked::Project | Asked::Folder(_)) => RunCoverage {
            files: Some(own(files)),
            ..unchecked(Some(format!("{more} more files of `{}`", show(directory))))
        },
        (Coverage::Files(files), Asked::Project) => {
            RunCoverage { files: Some(own(files)), ..unchecked((own(files) == 0).then(|| no_file(directory))) }
        }
        (Coverage::Lists(lists), Asked::File(file) | Asked::Other(file)) => {
            let read: Vec<String> = lists.iter().filter_map(|list| text(list, roots)).collect();
            let is_listed = read.iter().any(|list| sources(list).any(|source| file.ends_with(&source)));
            match asked {
                Asked::Other(_) => missed((!is_listed).then(|| outside(file))),
                // Unreadable lists prove nothing.
                _ => unchecked((!read.is_empty() && !is_listed).then(|| outside(file))),
            }
        }
        (Coverage::Lists(lists), Asked::Folder(folder)) => {
            let read: Vec<String> = lists.iter().filter_map(|list| text(list, roots)).collect();
            // Paths are relative to the folder of the cargo workspace, which may be above the
            // project.
            let lies_in = |source: &Path| directory.ancestors().any(|above| above.join(source).starts_with(folder));
            let is_listed = read.iter().any(|list| sources(list).any(|source| lies_in(&source)));
            missed((!read.is_empty() && !is_listed).then(|| no_file(folder)))
        }
        (Coverage::GoBuild, Asked::File(file)) => {
            let why = why_left_out(file, roots, Target::own());
            unchecked(why.map(|why| format!("{}: a build on this machine leaves it out {why}", outside(file))))
        }
        (Coverage::GoBuild, Asked::Project | Asked::Folder(_)) => {
            let folder = if let Asked::Folder(folder) = asked { folder } else { directory };
            let found = survey(folder, roots, Target::own());
            match asked {
                Asked::Folder(_) if found.taken == 0 && !found.is_cut => missed(Some(no_file(folder))),
                _ => unchecked(left_out(&found, &show)),
            }
        }
    }
}

/// Files that `go vet` did not check.
fn left_out(found: &GoSurvey, show: impl Fn(&Path) -> String) -> Option<String> {
    let some = |what: &str, paths: &[PathBuf]| {
        let first = paths.first().map(|first| show(first))?;
        Some(match paths.len() {
            1 => format!("{what} `{first}`"),
            count => format!("{count} {what}s, `{first}` among them"),
        })
    };
    let files = some("file", &found.left_out).map(|files| format!("{files} (not for a build on this machine)"));
    let modules = some("module", &found.modules).map(|modules| format!("{modules} (by its own `path`)"));
    let cut = found.is_cut.then(|| "perhaps more: there are too many files to look at".to_owned());
    let phrases: Vec<String> = files.into_iter().chain(modules).chain(cut).collect();
    (!phrases.is_empty()).then(|| phrases.join("; "))
}

/// Whether the file is code of the workspace, not of an installed library.
fn is_own(path: &Path, roots: &Roots) -> bool {
    !path.components().any(|part| part.as_os_str() == "node_modules")
        && roots.paths().any(|root| path.starts_with(root))
}

/// The text of a dependency list.
fn text(list: &Path, roots: &Roots) -> Option<String> {
    let (file, ..) = roots.open_file(list, Path::new("/")).ok()?;
    let mut text = String::new();
    file.take(LIST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The sources in such a list, some of them relative to a parent folder.
fn sources(list: &str) -> impl Iterator<Item = PathBuf> {
    let lines = list.lines().filter_map(|line| line.split_once(": "));
    lines.flat_map(|(_, sources)| words(sources)).map(PathBuf::from)
}

/// The words of such a list, in which a backslash escapes a blank in a name.
fn words(line: &str) -> Vec<String> {
    let parts = line.replace("\\ ", "\u{0}");
    parts.split(' ').filter(|word| !word.is_empty()).map(|word| word.replace('\u{0}', " ")).collect()
}

#[cfg(test)]
mod tests {
    use tools_testkit::Workspace;

    use super::*;

    #[test]
    fn a_clean_result_is_about_what_was_read() {
        let workspace = Workspace::new();
        let roots = Roots::open(&[], workspace.root()).unwrap();
        let root = workspace.root().display().to_string().replace(' ', "\\ ");
        workspace.file("target/a.d", format!("x: src/lib.rs src/with\\ blank.rs {root}/src/abs.rs\n"));
        let at = |name: &str| workspace.path(name);
        let check = |checked: Coverage, file: Option<&str>, files: Option<usize>, unchecked: bool| {
            let file = file.map(at);
            let asked = file.as_deref().map_or(Asked::Project, Asked::File);
            let found = covered(&checked, asked, workspace.root(), &roots, |path| path.display().to_string());
            assert_eq!((found.files, found.unchecked.is_some()), (files, unchecked), "{checked:?} {file:?}");
        };
        let misses = |checked: Coverage, asked: Asked<'_>, missed: bool| {
            let found = covered(&checked, asked, workspace.root(), &roots, |path| path.display().to_string());
            assert_eq!((found.unchecked, found.missed.is_some()), (None, missed), "{checked:?} {asked:?}");
        };
        let read = || vec![at("src/a.ts"), at("node_modules/x/y.d.ts"), "/usr/lib/lib.d.ts".into()];
        check(Coverage::Unknown, Some("src/a.ts"), None, false);
        check(Coverage::Files(read()), Some("src/a.ts"), Some(1), false);
        check(Coverage::Files(read()), Some("src/b.ts"), Some(1), true);
        check(Coverage::Files(read()), None, Some(1), false);
        check(Coverage::Files(read().split_off(1)), None, Some(0), true);
        check(Coverage::Partly(read(), 3), None, Some(1), true);
        let lists = || Coverage::Lists(vec![at("target/a.d"), at("target/gone.d")]);
        for file in ["src/lib.rs", "src/with blank.rs", "src/abs.rs"] {
            check(lists(), Some(file), None, false);
        }
        check(lists(), Some("src/orphan.rs"), None, true);
        check(Coverage::Lists(vec![at("target/gone.d")]), Some("src/orphan.rs"), None, false);
        let (other, listed) = (at("src/a.md"), at("src/abs.rs"));
        for checked in [Coverage::Unknown, Coverage::GoBuild, Coverage::Files(read()), lists()] {
            misses(checked, Asked::Other(&other), true);
        }
        misses(lists(), Asked::Other(&listed), false);
        misses(Coverage::Lists(vec![at("target/gone.d")]), Asked::Other(&other), true);
        for (folder, missed) in [("src", false), ("docs", true)] {
            let folder = at(folder);
            misses(Coverage::Files(read()), Asked::Folder(&folder), missed);
            misses(lists(), Asked::Folder(&folder), missed);
            misses(Coverage::Unknown, Asked::Folder(&folder), false);
        }
    }
}
