//! `create_directory`, `delete_path`, `move_path`, `copy_path`.

use std::fs;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt};

use serde_json::json;
use tools_file::FileConfig;

use crate::world::World;

#[tokio::test]
async fn directories_are_created_with_their_parents_once() {
    let world = World::new();
    assert_eq!(
        world.text("create_directory", json!({"path": "a/b/c"})).await,
        "created directory `a/b/c` and 2 above it"
    );
    assert_eq!(world.text("create_directory", json!({"path": "a/b/c"})).await, "directory `a/b/c` exists already");
    world.file("f", "");
    assert!(world.text("create_directory", json!({"path": "f/d"})).await.contains("not_a_directory"));
    assert!(world.text("create_directory", json!({"path": "f"})).await.contains("not_a_directory"));
}

#[tokio::test]
async fn deleting_takes_the_name_and_never_what_a_link_points_at() {
    let world = World::new();
    world.file("f", "x").file("d/x", "x").file("t/sub/y", "y").link("l", "f").link("ld", "d").link("gone", "nowhere");
    world.link("t/sub/out", "../../../outside");
    for path in ["l", "ld", "gone"] {
        world.call("delete_path", json!({"path": path, "recursive": true})).await.unwrap();
        assert!(!world.path(path).is_symlink());
    }
    assert!(world.path("f").exists() && world.path("d/x").exists());
    assert!(
        world
            .text("delete_path", json!({"path": "d"}))
            .await
            .contains("not_empty: directory `d` is not empty (1 entries)")
    );
    assert_eq!(
        world.text("delete_path", json!({"path": "t", "recursive": true})).await,
        "deleted directory `t` (4 entries with everything in it)"
    );
    assert!(world.base.join("outside/secret").exists());
    assert!(world.text("delete_path", json!({"path": "t"})).await.contains("not_found"));
}

#[tokio::test]
async fn roots_and_what_holds_them_stay() {
    let world = World::with(|root, config| {
        fs::create_dir_all(root.join("a/b")).unwrap();
        FileConfig { allowed_paths: vec![root.to_path_buf(), root.join("a/b")], ..config }
    });
    world.file("a/x", "x").file("f", "f");
    let before = world.snapshot();
    for path in [".", "a", "a/b", "a/b/..", "a/.", &world.path("").display().to_string()] {
        let delete = world.call("delete_path", json!({"path": path, "recursive": true})).await.unwrap_err();
        let moved = world.call("move_path", json!({"source": path, "destination": "elsewhere"})).await.unwrap_err();
        assert_eq!((delete.code(), moved.code()), ("path_protected", "path_protected"), "{path}");
        assert!(world.call("move_path", json!({"source": "f", "destination": path, "overwrite": true})).await.is_err());
    }
    let outside = world.call("delete_path", json!({"path": "..", "recursive": true})).await.unwrap_err();
    assert_eq!(outside.code(), "sandbox_outside");
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn moving_replaces_nothing_unless_it_may() {
    let world = World::new();
    world.file("a", "a").file("b", "b").file("d/x", "x").link("l", "../outside/secret");
    let movep = async |source: &str, destination: &str, overwrite: bool| {
        world.text("move_path", json!({"source": source, "destination": destination, "overwrite": overwrite})).await
    };
    assert!(movep("a", "b", false).await.contains("already_exists"));
    assert!(movep("a", "d", false).await.contains("already_exists"));
    assert!(movep("a", "d", true).await.contains("already_exists"));
    assert!(movep("d", "a", true).await.contains("already_exists"));
    assert!(movep("a", "a", true).await.contains("same_place"));
    assert!(movep("d", "d/e/f", false).await.contains("same_place"));
    assert!(!world.path("d/e").exists());
    assert_eq!(movep("a", "b", true).await, "moved `a` to `b`, replacing what was there");
    assert_eq!(movep("b", "l", true).await, "moved `b` to `l`, replacing what was there");
    assert_eq!(
        (world.content("l"), fs::read_to_string(world.base.join("outside/secret")).unwrap()),
        ("a".into(), "SECRET\n".into())
    );
    assert_eq!(movep("d", "n/m/d", false).await, "moved `d` to `n/m/d`");
    assert_eq!(world.content("n/m/d/x"), "x");
    fs::hard_link(world.path("l"), world.path("l2")).unwrap();
    movep("l", "l2", true).await;
    assert!(!world.path("l").exists() && world.content("l2") == "a");
}

#[tokio::test]
async fn copying_keeps_modes_and_links_and_follows_none() {
    let world = World::new();
    world
        .file("s/sub/x", "x")
        .file("s/run", "#!")
        .link("s/l", "run")
        .link("s/out", "../../outside")
        .link("s/self", ".");
    fs::set_permissions(world.path("s/run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(world.path("s/sub"), fs::Permissions::from_mode(0o555)).unwrap();
    let text = world.text("copy_path", json!({"source": "s", "destination": "n/t"})).await;
    assert_eq!(text, "copied `s` to `n/t` (2 files, 2 directories, 3 symbolic links, 3 bytes)");
    assert_eq!(world.content("n/t/sub/x"), "x");
    assert_eq!(fs::metadata(world.path("n/t/run")).unwrap().mode() & 0o777, 0o755);
    assert_eq!(fs::metadata(world.path("n/t/sub")).unwrap().mode() & 0o777, 0o555);
    assert_eq!(fs::read_link(world.path("n/t/out")).unwrap().to_str(), Some("../../outside"));
    for path in ["s/sub", "n/t/sub"] {
        fs::set_permissions(world.path(path), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[tokio::test]
async fn a_copy_has_the_holes_of_its_source() {
    let world = World::new();
    let sparse = fs::File::create(world.path("sparse")).unwrap();
    for at in [1 << 20, 5 << 20] {
        sparse.write_all_at(b"data between holes", at).unwrap();
    }
    sparse.set_len(64 << 20).unwrap();
    let text = world.text("copy_path", json!({"source": "sparse", "destination": "copy"})).await;
    assert_eq!(text, "copied `sparse` to `copy` (1 file, 67108864 bytes)");
    assert!(fs::read(world.path("copy")).unwrap() == fs::read(world.path("sparse")).unwrap());
    assert!(fs::metadata(world.path("copy")).unwrap().blocks() * 512 < 8 << 20);
    world.file("empty", "");
    world.call("copy_path", json!({"source": "empty", "destination": "empty-copy"})).await.unwrap();
    assert_eq!(fs::read(world.path("empty-copy")).unwrap(), b"");
}

#[tokio::test]
async fn copying_writes_through_no_link_and_into_itself_never() {
    let world = World::new();
    world
        .file("s/sub/x.txt", "PWNED")
        .file("a", "a")
        .link("dangling", "../outside/new")
        .link("la", "a")
        .link("ls", "s");
    fs::create_dir(world.path("t")).unwrap();
    world.link("t/sub", "../../outside");
    let before = world.snapshot();
    let copy = async |source: &str, destination: &str, overwrite: bool| {
        world.text("copy_path", json!({"source": source, "destination": destination, "overwrite": overwrite})).await
    };
    assert!(copy("a", "dangling", false).await.contains("already_exists"));
    assert!(copy("s", "t", false).await.contains("already_exists"));
    assert!(copy("s", "t", true).await.contains("t/sub"));
    assert!(copy("s", "s", true).await.contains("same_place"));
    assert!(copy("s", "s/sub/deep/er", false).await.contains("same_place"));
    assert!(copy("ls", "s/sub/deep", false).await.contains("same_place"));
    assert!(copy("s", "ls/sub/deep", false).await.contains("same_place"));
    assert!(copy("a", "s/../a", true).await.contains("same_place"));
    assert!(copy("../outside/secret", "got", false).await.contains("sandbox_outside"));
    assert_eq!(world.snapshot(), before);
    copy("a", "la", true).await;
    assert!(!world.path("la").is_symlink() && world.content("la") == "a" && world.content("a") == "a");
}

#[tokio::test]
async fn a_copy_merges_into_a_directory_when_it_may() {
    let world = World::new();
    world.file("s/a", "new").file("s/d/b", "b").file("t/a", "old").file("t/keep", "k");
    world.call("copy_path", json!({"source": "s", "destination": "t", "overwrite": true})).await.unwrap();
    assert_eq!(
        (world.content("t/a"), world.content("t/d/b"), world.content("t/keep")),
        ("new".into(), "b".into(), "k".into())
    );
}

#[tokio::test]
async fn trees_deeper_than_the_handles_that_are_kept_are_copied_and_deleted() {
    let world = World::new();
    let deep = "d/".repeat(120);
    world.file(&format!("top/{deep}leaf"), "leaf").file("top/d/d/side", "s");
    world.call("copy_path", json!({"source": "top", "destination": "copy"})).await.unwrap();
    assert_eq!(world.content(&format!("copy/{deep}leaf")), "leaf");
    let text = world.text("delete_path", json!({"path": "top", "recursive": true})).await;
    assert_eq!(text, "deleted directory `top` (123 entries with everything in it)");
    assert!(!world.path("top").exists() && world.path("copy/d/d/side").exists());
}

#[tokio::test]
async fn a_copied_tree_keeps_modes_and_times() {
    use std::time::{Duration, SystemTime};
    let world = World::new();
    world.file("tree/sub/f", "x").link("tree/sub/l", "f");
    fs::set_permissions(world.path("tree/sub/f"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::set_permissions(world.path("tree/sub"), fs::Permissions::from_mode(0o550)).unwrap();
    let then = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 5_000);
    for name in ["tree/sub/f", "tree/sub", "tree"] {
        fs::File::open(world.path(name)).unwrap().set_modified(then).unwrap();
    }
    world.call("copy_path", json!({"source": "tree", "destination": "copy"})).await.unwrap();
    for name in ["", "sub", "sub/f", "sub/l"] {
        let look = |top: &str| {
            let found = fs::symlink_metadata(world.path(top).join(name)).unwrap();
            (found.mode(), found.mtime(), found.mtime_nsec())
        };
        assert_eq!(look("copy"), look("tree"), "{name}");
    }
}

#[tokio::test]
async fn a_merge_leaves_alone_what_the_rules_close_at_the_destination() {
    let world = World::with(|root, config| FileConfig {
        deny_read: Some(vec![root.join("to/kept/**").to_string_lossy().into_owned()]),
        ..config
    });
    world.file("from/kept/f", "new").file("from/g", "new").file("to/kept/f", "old").file("to/g", "old");
    let text = world.text("copy_path", json!({"source": "from", "destination": "to", "overwrite": true})).await;
    assert!(text.contains("1 files left out by the rules"), "{text}");
    assert_eq!((world.content("to/kept/f").as_str(), world.content("to/g").as_str()), ("old", "new"));
}

#[tokio::test]
async fn what_other_programs_obey_is_changed_only_by_a_person() {
    let world = World::new();
    world.file(".git/config", "[core]\n\thooksPath = tools/hooks\n").file(".envrc", "a\n").file("plain", "a\n");
    let before = world.snapshot();
    for (tool, params) in [
        ("write", json!({"path": ".git/hooks/pre-commit", "content": "#!/bin/sh\n"})),
        ("write", json!({"path": "tools/hooks/pre-push", "content": "#!/bin/sh\n"})),
        ("edit", json!({"path": ".envrc", "old_string": "a", "new_string": "b"})),
        ("create_directory", json!({"path": ".github"})),
        ("move_path", json!({"source": "plain", "destination": ".vscode/tasks.json"})),
        ("move_path", json!({"source": ".envrc", "destination": "plain2"})),
        ("copy_path", json!({"source": "plain", "destination": "sub/.envrc"})),
        ("delete_path", json!({"path": ".git", "recursive": true})),
    ] {
        let error = world.call(tool, params.clone()).await.unwrap_err();
        assert_eq!(error.code(), "confirmation_required", "{tool} {params}");
        assert!(error.message().contains("is obeyed by"), "{error}");
        assert!(error.prompt().is_some(), "{tool} {params}");
    }
    assert_eq!(world.snapshot(), before);
    world.call("read", json!({"path": ".envrc"})).await.unwrap();
    world.call("write", json!({"path": "package.json", "content": "{}\n"})).await.unwrap();
}

#[expect(clippy::disallowed_methods, reason = "root is kept from removing something by `chattr` alone")]
fn chattr(change: &str, folder: &std::path::Path) {
    let _ = std::process::Command::new("chattr").arg(change).arg(folder).output();
}

/// A folder whose entries nobody removes, as long as this lives.
struct Unremovable(std::path::PathBuf);

impl Unremovable {
    /// `None` where this user can remove everything.
    fn new(folder: &std::path::Path) -> Option<Self> {
        let held = Self(folder.to_owned());
        fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
        let is_open =
            || fs::write(folder.join("probe"), "").is_ok_and(|()| fs::remove_file(folder.join("probe")).is_ok());
        // To root the bits mean nothing.
        if is_open() {
            chattr("+i", folder);
        }
        (!is_open()).then_some(held)
    }
}

impl Drop for Unremovable {
    fn drop(&mut self) {
        chattr("-i", &self.0);
        let _ = fs::set_permissions(&self.0, fs::Permissions::from_mode(0o755));
    }
}

#[tokio::test]
async fn a_move_across_file_systems_says_that_the_source_stays() {
    let Ok(shared) = tempfile::tempdir_in("/dev/shm") else {
        eprintln!("SKIPPED: there is no /dev/shm");
        return;
    };
    let far = fs::canonicalize(shared.path()).unwrap();
    let world =
        World::with(|root, config| FileConfig { allowed_paths: vec![root.to_path_buf(), far.clone()], ..config });
    if fs::metadata(&far).unwrap().dev() == fs::metadata(world.path("")).unwrap().dev() {
        eprintln!("SKIPPED: /dev/shm is no file system of its own");
        return;
    }
    world.file("held/file", "x").file("held/folder/a", "a").file("held/folder/b", "b").link("held/link", "file");
    let Some(held) = Unremovable::new(&world.path("held")) else {
        eprintln!("SKIPPED: everything can be removed here");
        return;
    };
    for (name, copied) in [("file", "file"), ("folder", "folder/a"), ("link", "link")] {
        let destination = far.join(name);
        let moved = json!({"source": format!("held/{name}"), "destination": destination.to_str()});
        let error = world.call("move_path", moved).await.unwrap_err();
        assert_eq!(error.code(), "partly_done", "{name}: {error}");
        let said = format!("it was copied to `{}`, and the source stays", destination.display());
        assert!(error.message().starts_with(&said), "{error}");
        assert!(far.join(copied).symlink_metadata().is_ok(), "{name}");
        assert!(world.path("held").join(name).symlink_metadata().is_ok(), "{name}");
    }
    drop(held);
    assert_eq!(fs::read_dir(&far).unwrap().count(), 3, "nothing else is left there");
}
