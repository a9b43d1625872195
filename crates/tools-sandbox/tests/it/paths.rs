//! Path resolution beneath roots: one table for both resolvers, and properties for all paths.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tools_sandbox::{FileKind, PathError, Replace, ResolvedPath, Resolver, Roots};

struct World {
    _dir: tempfile::TempDir,
    base: PathBuf,
}

impl World {
    /// `root` is allowed; `outside` and `root-evil` are not.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        for name in ["root/d/e", "root/other", "outside", "root-evil"] {
            fs::create_dir_all(base.join(name)).unwrap();
        }
        fs::write(base.join("root/a.txt"), "inside").unwrap();
        fs::write(base.join("root/d/e/deep.txt"), "deep").unwrap();
        fs::write(base.join("outside/secret"), "SECRET").unwrap();
        fs::write(base.join("root-evil/secret"), "SECRET").unwrap();
        symlink("root", base.join("alias")).unwrap();
        let links: [(&str, PathBuf); 11] = [
            ("in", "a.txt".into()),
            ("in-abs", base.join("root/a.txt")),
            ("in-alias", base.join("alias/a.txt")),
            ("dir", "d".into()),
            ("self", ".".into()),
            ("loop", "loop".into()),
            ("out", base.join("outside/secret")),
            ("out-rel", "../outside/secret".into()),
            ("out-dir", "../outside".into()),
            ("dangling", "d/new.txt".into()),
            ("round", "../root/a.txt".into()),
        ];
        for (name, target) in links {
            symlink(target, base.join("root").join(name)).unwrap();
        }
        symlink("../outside/new.txt", base.join("root/dangling-out")).unwrap();
        symlink("/proc/self/root", base.join("root/magic")).unwrap();
        Self { _dir: dir, base }
    }

    fn root(&self) -> PathBuf {
        self.base.join("root")
    }

    fn roots(&self, resolver: Resolver) -> Roots {
        Roots::open(&[], &self.root()).unwrap().with_resolver(resolver)
    }
}

const BOTH: [Resolver; 2] = [Resolver::Kernel, Resolver::Walk];

fn verdict<T>(result: Result<T, PathError>, ok: impl FnOnce(T) -> String) -> String {
    match result {
        Ok(value) => ok(value),
        Err(PathError::Outside { .. }) => "outside".into(),
        Err(PathError::NotFound(_)) => "missing".into(),
        Err(PathError::NotADirectory(_)) => "not a directory".into(),
        Err(PathError::LinkLoop(_)) => "loop".into(),
        Err(PathError::Nul(_)) => "nul".into(),
        Err(PathError::Empty) => "empty".into(),
        Err(PathError::TooLong(_)) => "too long".into(),
        Err(PathError::Protected(_)) => "protected".into(),
        Err(error) => format!("{error:?}"),
    }
}

/// What both resolvers make of each path, as it is below the root.
fn check(world: &World, table: &[(&str, &str)], find: impl Fn(&Roots, &Path) -> Result<PathBuf, PathError>) {
    for resolver in BOTH {
        let roots = world.roots(resolver);
        for (path, expected) in table {
            let below = |path: PathBuf| path.strip_prefix(world.root()).unwrap().display().to_string();
            assert_eq!(verdict(find(&roots, Path::new(path)), below), *expected, "{resolver:?} {path}");
        }
    }
}

#[test]
fn files_are_opened_beneath_the_root_or_not_at_all() {
    let world = World::new();
    let base = world.base.display().to_string();
    let long = "n/".repeat(5000);
    let name = "n".repeat(256);
    let table: Vec<(String, &str)> = [
        ("a.txt", "inside"),
        ("./d/../a.txt", "inside"),
        ("d//e/./deep.txt", "deep"),
        ("BASE/root/a.txt", "inside"),
        ("BASE/alias/a.txt", "outside"),
        ("BASE/root/../root/a.txt", "inside"),
        ("BASE/nowhere/../root/a.txt", "inside"),
        ("in", "inside"),
        ("in-abs", "inside"),
        ("round", "inside"),
        ("in-alias", "outside"),
        ("dir/e/deep.txt", "deep"),
        ("dir/../a.txt", "inside"),
        ("self/self/d/e/deep.txt", "deep"),
        ("out", "outside"),
        ("out-rel", "outside"),
        ("out-dir/secret", "outside"),
        ("out-dir/missing", "outside"),
        ("dangling-out", "outside"),
        ("dangling", "missing"),
        ("magic/etc/passwd", "outside"),
        ("loop", "loop"),
        ("loop/x", "loop"),
        ("../outside/secret", "outside"),
        ("d/../../outside/secret", "outside"),
        ("missing/../../outside/secret", "outside"),
        ("missing/../a.txt", "missing"),
        ("a.txt/../../outside/secret", "outside"),
        ("BASE/outside/secret", "outside"),
        ("BASE/root-evil/secret", "outside"),
        ("BASE/ROOT/a.txt", "outside"),
        ("/proc/self/root/etc/passwd", "outside"),
        ("/dev/stdin", "outside"),
        ("/", "outside"),
        ("..", "outside"),
        ("missing", "missing"),
        ("missing/x", "missing"),
        ("a.txt/x", "not a directory"),
        ("a.txt/", "not a directory"),
        ("", "empty"),
        ("a.txt\0", "nul"),
        (&long, "too long"),
        (&name, "too long"),
    ]
    .iter()
    .map(|(path, expected)| (path.replace("BASE", &base), *expected))
    .collect();
    for resolver in BOTH {
        let roots = world.roots(resolver);
        for (path, expected) in &table {
            let found = verdict(roots.open_file(Path::new(path), &world.root()), |(mut file, canonical, _)| {
                assert!(canonical.starts_with(world.root()) && fs::canonicalize(&canonical).unwrap() == canonical);
                let mut text = String::new();
                file.read_to_string(&mut text).unwrap();
                text
            });
            assert_eq!(&found, expected, "{resolver:?} {path:.80}");
        }
    }
}

#[test]
fn a_root_named_through_a_link_is_known_by_both_names() {
    let world = World::new();
    for resolver in BOTH {
        let roots = Roots::open(&[world.base.join("alias")], &world.base).unwrap().with_resolver(resolver);
        for spelling in ["alias/a.txt", "root/a.txt", "alias/in-alias", "alias/in-abs"] {
            let (_, path, _) = roots.open_file(Path::new(spelling), &world.base).unwrap();
            assert_eq!(path, world.base.join("root/a.txt"), "{resolver:?}");
        }
    }
}

#[test]
fn entries_name_what_a_path_stands_for_without_following_it() {
    let world = World::new();
    let table = [
        ("new.txt", "new.txt"),
        ("in", "in"),
        ("out", "out"),
        ("dir/x", "d/x"),
        ("dir/", "dir"),
        ("d/e/..", "d"),
        ("d/.", "d"),
        ("out-dir/x", "outside"),
        ("missing/x", "missing"),
        (".", "protected"),
        ("d/..", "protected"),
        ("..", "outside"),
        ("../outside/x", "outside"),
    ];
    check(&world, &table, |roots, path| roots.entry(path, &world.root()).map(|entry| entry.path()));
}

#[test]
fn followed_entries_end_at_a_name_that_is_no_link() {
    let world = World::new();
    let table = [
        ("in", "a.txt"),
        ("in-abs", "a.txt"),
        ("dangling", "d/new.txt"),
        ("dangling-out", "outside"),
        ("out", "outside"),
        ("loop", "loop"),
        ("a.txt", "a.txt"),
    ];
    check(&world, &table, |roots, path| roots.entry_followed(path, &world.root()).map(|entry| entry.path()));
}

#[test]
fn directories_are_created_only_inside() {
    for resolver in BOTH {
        let world = World::new();
        let roots = world.roots(resolver);
        let table = [
            ("n/m/o", "n n/m n/m/o"),
            ("n/m/p", "n/m/p"),
            ("n/m", ""),
            ("dir/q", "d/q"),
            (".", ""),
            ("a.txt/x", "not a directory"),
            ("a.txt", "not a directory"),
            ("out-dir/x", "outside"),
            ("dangling-out/x", "outside"),
            ("z/../../outside/x", "outside"),
            ("../root-evil/x", "outside"),
        ];
        for (path, expected) in table {
            let found = verdict(roots.create_directories(Path::new(path), &world.root()), |(_, created)| {
                let names: Vec<_> =
                    created.iter().map(|p| p.strip_prefix(world.root()).unwrap().display().to_string()).collect();
                names.join(" ")
            });
            assert_eq!(found, expected, "{resolver:?} {path}");
        }
        assert!(world.root().join("n/m/p").is_dir() && !world.root().join("z").exists());
        assert_eq!(fs::read_dir(world.base.join("outside")).unwrap().count(), 1);
        let (entry, created) = roots.entry_with_parents(Path::new("u/v/f"), &world.root()).unwrap();
        assert_eq!((entry.path(), created.len()), (world.root().join("u/v/f"), 2));
        let (entry, _) = roots.entry_with_parents(Path::new("dangling"), &world.root()).unwrap();
        assert_eq!(entry.path(), world.root().join("d/new.txt"));
    }
}

#[test]
fn what_is_missing_is_resolved_as_far_as_it_exists() {
    let world = World::new();
    let table = [
        ("x/y/z", "x/y/z"),
        ("dir/x/y", "d/x/y"),
        ("in", "a.txt"),
        ("dangling", "d/new.txt"),
        ("dangling-out", "outside"),
        ("out-dir/x/y", "outside"),
        ("x/../y", "missing"),
    ];
    check(&world, &table, |roots, path| roots.resolve(path, &world.root()).map(ResolvedPath::into_path));
    for resolver in BOTH {
        let roots = world.roots(resolver);
        let link = roots.resolve_entry(Path::new("out"), &world.root()).unwrap();
        assert_eq!((link.path(), link.kind()), (world.root().join("out").as_path(), Some(FileKind::Symlink)));
    }
}

#[test]
fn nothing_blocks_and_special_files_are_named() {
    let world = World::new();
    let fifo = world.root().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.root().join("socket")).unwrap();
    for resolver in BOTH {
        let roots = world.roots(resolver);
        for (name, kind) in [("fifo", FileKind::Fifo), ("socket", FileKind::Socket), ("d", FileKind::Directory)] {
            let error = roots.open_file(Path::new(name), &world.root()).unwrap_err();
            assert!(matches!(error, PathError::WrongKind { found, .. } if found == kind), "{error:?}");
        }
        assert!(matches!(roots.open_directory(Path::new("fifo"), &world.root()), Err(PathError::NotADirectory(_))));
    }
}

#[test]
fn roots_and_what_lies_above_them_are_protected() {
    let world = World::new();
    let roots = Roots::open(&[world.root(), world.root().join("d/e")], &world.base).unwrap();
    let id = |path: &str| {
        let found = roots.open_any(Path::new(path), &world.root()).unwrap();
        roots.check_unprotected(found.metadata().id, Path::new(path)).is_err()
    };
    assert!(id(".") && id("d") && id("d/e"));
    assert!(!id("other") && !id("a.txt"));
}

#[test]
fn several_roots_hold_side_by_side_and_links_may_lead_from_one_to_the_other() {
    let world = World::new();
    for resolver in BOTH {
        let list = [PathBuf::from("root"), PathBuf::from("outside")];
        let roots = Roots::open(&list, &world.base).unwrap().with_resolver(resolver);
        for path in ["root/out", "root/out-rel", "root/out-dir/secret", "outside/secret", "root/../outside/secret"] {
            let (_, found, _) = roots.open_file(Path::new(path), &world.base).unwrap();
            assert_eq!(found, world.base.join("outside/secret"), "{resolver:?} {path}");
        }
        assert!(matches!(roots.open_file(Path::new("root-evil/secret"), &world.base), Err(PathError::Outside { .. })));
    }
}

#[test]
fn a_root_that_cannot_be_opened_is_an_error() {
    let world = World::new();
    for bad in ["nowhere", "root/a.txt"] {
        let error = Roots::open(&[world.root(), PathBuf::from(bad)], &world.base).unwrap_err();
        assert!(matches!(&error, PathError::Root { path, .. } if path == Path::new(bad)), "{error:?}");
    }
}

#[test]
fn operations_on_a_directory_take_one_name_and_follow_nothing() {
    let world = World::new();
    let roots = world.roots(Resolver::probe());
    let directory = roots.open_directory(Path::new("."), &world.root()).unwrap();
    for name in ["", ".", "..", "d/e", "../outside/secret", "a\0"] {
        assert_eq!(directory.open(name.as_ref()).unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{name}");
        assert!(directory.remove_file(name.as_ref()).is_err() && directory.create_new(name.as_ref(), 0o600).is_err());
    }
    assert!(directory.open("out".as_ref()).is_err() && directory.directory("out-dir".as_ref()).is_err());
    assert!(directory.create_new("dangling-out".as_ref(), 0o600).is_err());
    fs::write(world.root().join("b.txt"), "b").unwrap();
    let taken = directory.rename("a.txt".as_ref(), &directory, "b.txt".as_ref(), Replace::Never).unwrap_err();
    assert_eq!(taken.kind(), std::io::ErrorKind::AlreadyExists);
    directory.rename("a.txt".as_ref(), &directory, "out".as_ref(), Replace::Allowed).unwrap();
    assert_eq!(fs::read_to_string(world.base.join("outside/secret")).unwrap(), "SECRET");
    assert_eq!(fs::read_to_string(world.root().join("out")).unwrap(), "inside");
    directory.remove_file("out-dir".as_ref()).unwrap();
    assert!(world.base.join("outside/secret").exists());
    let mut names: Vec<_> =
        directory.entries().unwrap().into_iter().filter(|(_, kind)| *kind == FileKind::Directory).collect();
    names.sort();
    assert_eq!(names.iter().map(|(name, _)| name.to_str().unwrap()).collect::<Vec<_>>(), ["d", "other"]);
}

fn component() -> impl Strategy<Value = String> {
    let known = [
        "..",
        ".",
        "",
        "d",
        "e",
        "a.txt",
        "dir",
        "self",
        "in",
        "in-abs",
        "round",
        "out",
        "out-rel",
        "out-dir",
        "dangling",
        "dangling-out",
        "magic",
        "loop",
        "secret",
        "missing",
        "root",
        "outside",
        "root-evil",
    ];
    prop_oneof![8 => proptest::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => "[a-z.~* ]{1,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_path_opens_anything_outside_and_both_resolvers_agree(
        parts in proptest::collection::vec(component(), 1..8),
        absolute in proptest::option::of(0..3_usize),
    ) {
        thread_local! { static WORLD: World = World::new(); }
        WORLD.with(|world| {
            let relative = parts.join("/");
            let path = match absolute {
                Some(0) => format!("{}/{relative}", world.base.display()),
                Some(1) => format!("{}/{relative}", world.root().display()),
                Some(_) => format!("/{relative}"),
                None => relative,
            };
            let mut answers = Vec::new();
            for resolver in BOTH {
                let roots = world.roots(resolver);
                let answer = verdict(roots.open_any(Path::new(&path), &world.root()), |found| {
                    let truth = fs::canonicalize(found.path()).unwrap();
                    assert_eq!(truth, found.path());
                    assert!(truth.starts_with(world.root()), "{path} opened {}", truth.display());
                    truth.display().to_string()
                });
                answers.push(answer);
                if let Ok(entry) = roots.entry(Path::new(&path), &world.root()) {
                    assert!(entry.directory().path().starts_with(world.root()));
                }
            }
            assert_eq!(&answers[0], &answers[1], "{path}");
            // What the system itself would open inside the root, ours opens too.
            let joined = world.root().join(&path);
            if !path.is_empty() && let Ok(truth) = fs::canonicalize(&joined) && truth.starts_with(world.root()) {
                let lenient = path.contains("magic") || joined.components().any(|c| c.as_os_str() == "..") || absolute.is_some();
                assert!(lenient || answers[0] == truth.display().to_string(), "{path}: {}", answers[0]);
            }
        });
    }
}

#[test]
fn the_state_of_a_file_is_told_where_its_times_tell_of_changes() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("a"), "one").unwrap();
    fs::create_dir(root.join("d")).unwrap();
    let roots = Roots::open(std::slice::from_ref(&root), &root).unwrap();
    let state = |path: &str| roots.resolve(Path::new(path), &root).unwrap().state();
    let before = state("a").unwrap();
    assert_eq!((before.size, state("a")), (3, Some(before)));
    fs::write(root.join("a"), "four").unwrap();
    assert_ne!(state("a"), Some(before));
    assert_eq!((state("d"), state("missing")), (None, None));
    // These change with every look, and their times do not.
    let proc = Path::new("/proc");
    let roots = Roots::open(&[proc.to_owned()], proc).unwrap();
    assert_eq!(roots.resolve(Path::new("/proc/uptime"), proc).unwrap().state(), None);
}
