//! Links with names that programs obey: their targets are obeyed as if they had the link's path.
//! Links are searched only in folders whose names lead to such files, never in the whole workspace.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::configured::{HOOKS, canonical, starts_with};
use super::find::{find_obeyed, leads_to_guarded};
use super::table::{ObeyedClass, ObeyedFile};

/// Maximum number of remembered places.
const MAX_PLACES: usize = 256;
/// Maximum number of links between a name and its target, a few more than anybody makes.
const MAX_HOPS: usize = 16;
/// Maximum number of path components on the way there.
const MAX_STEPS: usize = 256;
/// Maximum number of folders searched from a link, their depth, and the entries of each.
const MAX_FOLDERS: usize = 24;
const MAX_DEPTH: usize = 3;
const MAX_LISTED: usize = 1000;

/// Target of a link.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LinkedPlace {
    place: PathBuf,
    /// The path of the link, in the form compared with the table.
    inside: PathBuf,
    /// The link itself.
    link: PathBuf,
}

/// Targets of links with obeyed names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LinkedPlaces {
    places: Vec<LinkedPlace>,
    looked_into: BTreeSet<(PathBuf, PathBuf)>,
}

impl LinkedPlaces {
    /// Adds the targets of links in `folder`, and in folders below it that hold obeyed files.
    /// `inside` is the folder's path in the form compared with the table. Targets outside `roots`
    /// are ignored.
    pub(super) fn look_into(&mut self, folder: &Path, inside: &Path, roots: &[PathBuf]) {
        let mut left = MAX_FOLDERS;
        let mut open = VecDeque::from([(folder.to_owned(), inside.to_owned(), MAX_DEPTH)]);
        while let Some((folder, inside, depth)) = open.pop_front() {
            if left == 0 || !self.looked_into.insert((folder.clone(), inside.clone())) {
                continue;
            }
            left -= 1;
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten().take(MAX_LISTED) {
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_symlink() {
                    let inside = inside.join(entry.file_name());
                    open.extend(self.add(&entry.path(), &inside, roots).map(|found| (found, inside, depth - 1)));
                } else if kind.is_dir() && depth > 1 {
                    let inside = inside.join(entry.file_name());
                    // The content of `.git` is handled with its repository.
                    if !inside.ends_with(".git") && holds_obeyed(&inside) {
                        open.push_back((entry.path(), inside, depth - 1));
                    }
                }
            }
            open.retain(|(.., depth)| *depth > 0);
        }
    }

    /// Adds the target of a link, and of links in the target if it is a folder.
    pub(super) fn follow(&mut self, link: &Path, inside: &Path, roots: &[PathBuf]) {
        if let Some(folder) = self.add(link, inside, roots) {
            self.look_into(&folder, inside, roots);
        }
    }

    /// Adds the intermediate and final targets of a link; returns the final one if it is a folder
    /// whose links count as well.
    fn add(&mut self, link: &Path, inside: &Path, roots: &[PathBuf]) -> Option<PathBuf> {
        let is_obeyed = find_obeyed(inside).is_some() || leads_to_guarded(inside);
        let places = if is_obeyed { way(link) } else { Vec::new() };
        let is_within = |place: &PathBuf| roots.iter().any(|root| place.starts_with(root));
        let end = places.last().filter(|end| is_within(end)).cloned();
        for place in places.into_iter().filter(is_within) {
            let new = LinkedPlace { place, inside: inside.to_owned(), link: link.to_owned() };
            if self.places.len() < MAX_PLACES && !self.places.contains(&new) {
                self.places.push(new);
            }
        }
        end.filter(|end| end.is_dir() && !link.starts_with(end) && !roots.iter().any(|root| root.starts_with(end)))
    }

    /// The row of the table for `path`; `None` if no link leads to it. A target that contains one
    /// of the `tops` is not obeyed as a whole: everything would be.
    pub(super) fn row(&self, path: &Path, tops: &BTreeSet<PathBuf>) -> Option<&'static ObeyedFile> {
        let rows = self.places.iter().filter_map(|linked| linked.row(path, tops));
        rows.max_by_key(|row| row.class)
    }

    /// Whether `path` is a folder on the way to a target, or within a target on the way to
    /// something guarded.
    pub(super) fn leads_to(&self, path: &Path, tops: &BTreeSet<PathBuf>) -> bool {
        self.places.iter().any(|linked| {
            let is_above = starts_with(&linked.place, path)
                && linked.is_guarded()
                && !starts_with(&linked.link, path)
                && !tops.iter().any(|top| starts_with(top, path));
            is_above || linked.seen_as(path).is_some_and(|path| leads_to_guarded(&path))
        })
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &Path> {
        self.places.iter().map(|linked| linked.place.as_path())
    }
}

impl LinkedPlace {
    fn row(&self, path: &Path, tops: &BTreeSet<PathBuf>) -> Option<&'static ObeyedFile> {
        let seen_as = self.seen_as(path)?;
        let found = find_obeyed(&seen_as)?;
        // A name inside the folder that is obeyed by itself is found without the link.
        if found.start >= self.inside.components().count() {
            return None;
        }
        let holds = |inner: &Path| starts_with(inner, &self.place);
        if is_whole(&self.inside) && (holds(&self.link) || tops.iter().any(|top| holds(top))) {
            let inner = seen_as.strip_prefix(&self.inside).ok()?;
            let is_hook = found.obeyed.by == "git" && HOOKS.iter().any(|hook| inner == Path::new(hook));
            return is_hook.then_some(found.obeyed);
        }
        Some(found.obeyed)
    }

    /// The path by which programs reach `path` through the link.
    fn seen_as(&self, path: &Path) -> Option<PathBuf> {
        let is_here = starts_with(path, &self.place);
        let inner = path.components().skip(self.place.components().count());
        is_here.then(|| self.inside.components().chain(inner).collect())
    }

    fn is_guarded(&self) -> bool {
        leads_to_guarded(&self.inside)
            || find_obeyed(&self.inside).is_some_and(|found| found.obeyed.class != ObeyedClass::Reported)
    }
}

/// Whether the table means the folder with all its content.
fn is_whole(inside: &Path) -> bool {
    find_obeyed(inside).is_some_and(|found| found.obeyed.pattern.ends_with("/**"))
}

fn holds_obeyed(inside: &Path) -> bool {
    let is_whole = |path: &Path| {
        find_obeyed(path)
            .is_some_and(|found| found.obeyed.class != ObeyedClass::Reported && found.obeyed.pattern.ends_with("/**"))
    };
    leads_to_guarded(inside) || is_whole(inside)
}

/// The target of a link, last, and before it all intermediate links. Empty for a loop, or if it is
/// no link.
fn way(link: &Path) -> Vec<PathBuf> {
    let (Some(above), Ok(target)) = (link.parent(), link.read_link()) else { return Vec::new() };
    let (mut here, mut met) = (canonical(above), Vec::new());
    let mut rest = parts(&target);
    for _ in 0..MAX_STEPS {
        let Some(part) = rest.pop_front() else {
            met.push(here);
            return met;
        };
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => drop(here.pop()),
            Some(Component::RootDir) => here = PathBuf::from("/"),
            Some(Component::Normal(name)) => {
                here.push(name);
                if let Ok(target) = here.read_link() {
                    met.push(here.iter().chain(rest.iter().map(OsString::as_os_str)).collect());
                    here.pop();
                    for part in parts(&target).into_iter().rev() {
                        rest.push_front(part);
                    }
                }
            }
            _ => {}
        }
        if met.len() > MAX_HOPS {
            break;
        }
    }
    Vec::new()
}

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components().map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::super::{ConfiguredFiles, obeyed_by};
    use super::*;

    /// A workspace with these empty files and these links.
    fn tree(files: &[&str], links: &[(&str, &str)]) -> (tempfile::TempDir, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let make = |path: &str| {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            root.join(path)
        };
        for file in files {
            fs::write(make(file), "").unwrap();
        }
        for (link, target) in links {
            symlink(target, make(link)).unwrap();
        }
        (place, root)
    }

    /// The programs that obey a path of a workspace, as determined for a call.
    fn by(root: &Path, path: &str) -> Option<&'static str> {
        let mut configured = ConfiguredFiles::default();
        configured.add_top(root);
        configured.add_around(&root.join(path));
        obeyed_by(&root.join(path), root, &configured)
    }

    #[test]
    fn what_an_obeyed_name_links_to_is_obeyed() {
        let files = [
            ".git/HEAD",
            ".git/objects/x",
            ".git/refs/x",
            "scripts/h.sh",
            "scripts/other.sh",
            "envs/dev",
            "cfg/vs/tasks.json",
            "ci/a.yml",
            "c/config.toml",
            "gh/x",
        ];
        let links = [
            (".git/hooks/pre-commit", "../../scripts/h.sh"),
            (".envrc", "envs/dev"),
            (".vscode", "cfg/vs"),
            (".gitea/workflows", "../ci"),
            (".cargo", "c"),
            (".github", "gh"),
            (".husky", "hk"),
            ("Makefile", "envs/make"),
            ("latest", "envs"),
        ];
        let (_place, root) = tree(&files, &links);
        for (path, expected) in [
            ("scripts/h.sh", Some("git")),
            ("Scripts/H.sh", Some("git")),
            ("scripts/other.sh", None),
            ("envs/dev", Some("direnv, mise and asdf")),
            ("envs/make", None),
            ("envs/prod", None),
            ("cfg/vs/tasks.json", Some("editors")),
            ("cfg/vs/new.json", Some("editors")),
            ("cfg/vs", Some("editors")),
            ("cfg/other", None),
            ("ci/b.yml", Some("continuous integration")),
            ("c/config.toml", Some("command-line programs")),
            ("c/other.toml", None),
            ("gh/workflows/a.yml", Some("continuous integration")),
            ("gh/ISSUE_TEMPLATE.md", None),
            ("hk/pre-commit", Some("git hooks")),
            // A folder that contains such a place must not be replaced either.
            ("cfg", Some("git")),
            ("scripts", Some("git")),
            ("c", Some("git")),
            ("src", None),
        ] {
            assert_eq!(by(&root, path), expected, "{path}");
        }
    }

    #[test]
    fn a_folder_of_hooks_may_be_a_link_or_be_named_and_hold_links() {
        let (_place, root) = tree(&["myh/pre-push", "scr/h.sh", ".git/x"], &[(".git/hooks", "../myh")]);
        symlink("../scr/h.sh", root.join("myh/pre-commit")).unwrap();
        assert_eq!((by(&root, "myh/post-merge"), by(&root, "scr/h.sh")), (Some("git"), Some("git")));
        let (_place, root) = tree(&["th/x", "scr/h.sh", ".git/x"], &[("th/pre-commit", "../scr/h.sh")]);
        fs::write(root.join(".git/config"), "[core]\nhooksPath = th\n").unwrap();
        assert_eq!((by(&root, "scr/h.sh"), by(&root, "scr/x.sh")), (Some("git"), None));
    }

    #[test]
    fn a_link_to_everything_makes_not_everything_obeyed() {
        let links = [(".vscode", "."), (".idea", ".."), (".cargo", "."), (".git/hooks", ".."), ("a/.zed", "../a")];
        let (_place, root) = tree(&["src/x", "a/x"], &links);
        for path in ["src/x", "x", "a/x", "a", "tasks.json"] {
            assert_eq!(by(&root, path), None, "{path}");
        }
        assert_eq!(by(&root, "config.toml"), Some("command-line programs"));
        assert_eq!(by(&root, "post-merge"), Some("git"));
        // The working directory of a call may lie below the repository.
        let (_place, root) = tree(&[".git/x", "sub/x", "sub/b/x"], &[(".vscode", "sub")]);
        let mut configured = ConfiguredFiles::default();
        configured.add_top(&root.join("sub"));
        configured.add_around(&root.join("sub/b"));
        assert_eq!(obeyed_by(&root.join("sub/b/x"), &root.join("sub"), &configured), None);
    }

    #[test]
    fn links_on_the_way_count_and_none_leads_outside_or_round() {
        let links = [
            (".envrc", "a"),
            ("a", "d/dev"),
            ("d", "envs"),
            (".vimrc", ".exrc"),
            (".exrc", ".vimrc"),
            (".mcp.json", "/etc/passwd"),
            (".zed", "../else"),
            ("CLAUDE.md", "docs/gone.md"),
        ];
        let (_place, root) = tree(&["envs/dev", "docs/x"], &links);
        for path in ["a", "d/dev", "envs/dev", "d", "envs", "docs/gone.md"] {
            assert!(by(&root, path).is_some(), "{path}");
        }
        let mut configured = ConfiguredFiles::default();
        configured.add_top(&root);
        let outside = |place: &&Path| !place.starts_with(&root);
        assert_eq!(configured.linked_places().filter(outside).count(), 0);
        assert_eq!(configured.linked_places().filter(|place| place.ends_with(".vimrc")).count(), 0);
    }

    #[test]
    fn everyday_links_mean_nothing() {
        let links = [
            ("latest", "v2"),
            ("node_modules/.bin/tsc", "../typescript/bin/tsc"),
            ("packages/a/node_modules/b", "../../b"),
            ("README", "README.md"),
            (".github/ISSUE_TEMPLATE", "../docs"),
            ("src/CLAUDE.md", "../docs/x.md"),
        ];
        let (_place, root) = tree(&[".git/HEAD", "v2/x", "README.md", "docs/x.md"], &links);
        let mut configured = ConfiguredFiles::default();
        configured.add_top(&root);
        configured.add_around(&root.join("v2/x"));
        assert_eq!(configured.linked_places().count(), 0);
        // Paths given by a call are found at any depth.
        configured.add_given(Path::new("src/CLAUDE.md"), &root);
        assert!(configured.names(&root.join("docs/x.md")));
    }

    #[test]
    fn more_than_anybody_makes_is_not_followed() {
        let (_place, root) = tree(&["x"], &[(".envrc", "0")]);
        for number in 0..MAX_HOPS * 2 {
            symlink(format!("{}", number + 1), root.join(format!("{number}"))).unwrap();
        }
        fs::create_dir(root.join(".claude")).unwrap();
        for number in 0..MAX_LISTED * 2 {
            symlink("../x", root.join(format!(".claude/{number}"))).unwrap();
        }
        let mut configured = ConfiguredFiles::default();
        configured.add_top(&root);
        let places = configured.linked_places().count();
        assert!((1..=MAX_PLACES).contains(&places), "{places}");
    }
}
