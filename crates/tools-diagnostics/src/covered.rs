//! Whether what was asked for is among what a checker has read: a clean result says nothing of the
//! rest.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use tools_sandbox::Roots;

use crate::checkers::Coverage;

/// Bytes of a compiler's list that are read.
const LIST: u64 = 1024 * 1024;

/// What is known of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunCoverage {
    /// How many files of the workspace were read; `None` where that is not known.
    pub(crate) files: Option<usize>,
    /// What was asked for and not checked; a phrase.
    pub(crate) unchecked: Option<String>,
}

/// Compares what was read with what was asked for: `file`, else the project in `directory`.
pub(crate) fn covered(
    checked: &Coverage,
    file: Option<&Path>,
    directory: &Path,
    roots: &Roots,
    show: impl Fn(&Path) -> String,
) -> RunCoverage {
    let own = |files: &[PathBuf]| files.iter().filter(|path| is_own(path, roots)).count();
    let outside = |file: &Path| format!("`{}` is not part of what was checked", show(file));
    match (checked, file) {
        (Coverage::Unknown, _) | (Coverage::Lists(_), None) => RunCoverage::default(),
        (Coverage::Files(files) | Coverage::Partly(files, _), Some(file)) => RunCoverage {
            files: Some(own(files)),
            unchecked: (!files.iter().any(|path| path == file)).then(|| outside(file)),
        },
        (Coverage::Partly(files, more), None) => RunCoverage {
            files: Some(own(files)),
            unchecked: Some(format!("{more} more files of `{}`", show(directory))),
        },
        (Coverage::Files(files), None) => RunCoverage {
            files: Some(own(files)),
            unchecked: (own(files) == 0)
                .then(|| format!("no file of `{}` is part of what was checked", show(directory))),
        },
        (Coverage::Lists(lists), Some(file)) => {
            let read: Vec<String> = lists.iter().filter_map(|list| text(list, roots)).collect();
            let is_listed = read.iter().any(|list| names(list, file));
            // Lists that cannot be read say nothing.
            RunCoverage { files: None, unchecked: (!read.is_empty() && !is_listed).then(|| outside(file)) }
        }
    }
}

/// Whether it is code of the workspace, and no library that it brings along.
fn is_own(path: &Path, roots: &Roots) -> bool {
    !path.components().any(|part| part.as_os_str() == "node_modules")
        && roots.paths().any(|root| path.starts_with(root))
}

/// A compiler's list.
fn text(list: &Path, roots: &Roots) -> Option<String> {
    let (file, ..) = roots.open_file(list, Path::new("/")).ok()?;
    let mut text = String::new();
    file.take(LIST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether such a list names the file, which it may spell relative to a folder above.
fn names(list: &str, file: &Path) -> bool {
    let sources = list.lines().filter_map(|line| line.split_once(": ")).flat_map(|(_, sources)| words(sources));
    { sources }.any(|source| file.ends_with(Path::new(&source)))
}

/// The words of such a list, in which a blank that belongs to a name has a backslash before it.
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
            let found = covered(&checked, file.as_deref(), workspace.root(), &roots, |path| path.display().to_string());
            assert_eq!((found.files, found.unchecked.is_some()), (files, unchecked), "{checked:?} {file:?}");
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
    }
}
