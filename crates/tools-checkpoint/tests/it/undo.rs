//! What comes back, what stays, and what is said about it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proptest::{prelude::*, test_runner::TestRunner};
use tools_checkpoint::{CheckpointConfig, CheckpointError, UndoSelection, Undone};
use tools_core::{Access, Inspection, Subject};
use tools_testkit::Behaviour;

use crate::support::World;

fn furnish(world: &World) {
    let files = ["a.txt", "dir/b.txt", "dir/deep/c", "run.sh", "empty"];
    for name in files {
        world.workspace.file(name, if name == "empty" { String::new() } else { format!("{name}\nmore\n") });
    }
    fs::set_permissions(world.workspace.path("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    world.workspace.link("link", "a.txt");
    world.workspace.link("dangling", "/nowhere");
}

/// The modification time of every file and link.
fn times(folder: &Path) -> BTreeMap<PathBuf, (i64, i64)> {
    let mut times = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            times.insert(path, (meta.mtime(), meta.mtime_nsec()));
        }
    }
    times
}

#[derive(Debug, Clone)]
enum Act {
    Write(&'static str, String),
    Append(&'static str),
    Remove(&'static str),
    Move(&'static str, &'static str),
    Folder(&'static str),
    Mode(&'static str, u32),
    Link(&'static str, &'static str),
}

/// Does it, as far as it can be done.
fn act(root: &Path, act: &Act) {
    let remove = |path: &Path| {
        let _ = if path.is_dir() && !path.is_symlink() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    };
    let _ = match act {
        Act::Write(name, text) => fs::write(root.join(name), text),
        Act::Append(name) => fs::read(root.join(name)).and_then(|mut old| {
            old.push(b'x');
            fs::write(root.join(name), old)
        }),
        Act::Remove(name) => {
            remove(&root.join(name));
            Ok(())
        }
        Act::Move(from, to) => {
            if !Path::new(to).starts_with(from) && root.join(from).symlink_metadata().is_ok() {
                remove(&root.join(to));
                let _ = fs::rename(root.join(from), root.join(to));
            }
            Ok(())
        }
        Act::Folder(name) => fs::create_dir_all(root.join(name)),
        Act::Mode(name, mode) if root.join(name).is_file() && !root.join(name).is_symlink() => {
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(*mode))
        }
        Act::Mode(..) => Ok(()),
        Act::Link(name, target) => std::os::unix::fs::symlink(target, root.join(name)),
    };
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let name = || prop::sample::select(vec!["a.txt", "dir/b.txt", "dir", "dir/deep", "new", "new/f", "link", "run.sh"]);
    let one = prop_oneof![
        (name(), "[a-z]{0,6}").prop_map(|(name, text)| Act::Write(name, text)),
        name().prop_map(Act::Append),
        name().prop_map(Act::Remove),
        (name(), name()).prop_map(|(from, to)| Act::Move(from, to)),
        name().prop_map(Act::Folder),
        (name(), prop::sample::select(vec![0o600, 0o755, 0o444])).prop_map(|(name, mode)| Act::Mode(name, mode)),
        (name(), name()).prop_map(|(name, target)| Act::Link(name, target)),
    ];
    prop::collection::vec(one, 1..6)
}

#[test]
fn any_calls_are_taken_back() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let config = ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() };
    let world = World::new();
    furnish(&world);
    let before = (world.workspace.digest(), times(&world.root()));
    TestRunner::new(config)
        .run(&prop::collection::vec(acts(), 1..4), |calls| {
            let standing = |world: &World| world.list().iter().filter(|call| !call.undone).count();
            for acts in calls.clone() {
                runtime.block_on(world.call(move |root| acts.iter().for_each(|one| act(root, one))));
            }
            let undone = world.undo(standing(&world));
            prop_assert!(undone.refused.is_empty(), "{:?}", undone);
            prop_assert_eq!(&(world.workspace.digest(), times(&world.root())), &before);
            prop_assert_eq!(standing(&world), 0);
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn a_call_whose_changes_cannot_be_found_out_says_so() {
    let world = World::new();
    furnish(&world);
    let away = world.store.path("away");
    let work = move |root: &Path| fs::rename(root, &away).unwrap();
    let recorded = world.recorded(Inspection::mutating(), Behaviour::reply("done"), work).await;
    let warnings = recorded.journal.warnings();
    assert!(warnings.iter().any(|text| text.contains("cannot take this call back")), "{warnings:?}");
    assert_eq!(world.list().len(), 1);
    fs::rename(world.store.path("away"), world.root()).unwrap();
}

#[tokio::test]
async fn what_a_person_changed_since_is_refused_and_the_rest_comes_back() {
    let world = World::new();
    furnish(&world);
    world
        .call(|root| {
            fs::write(root.join("a.txt"), "by the call").unwrap();
            fs::write(root.join("dir/b.txt"), "by the call").unwrap();
            fs::create_dir(root.join("made")).unwrap();
            fs::remove_file(root.join("run.sh")).unwrap();
        })
        .await;
    world.workspace.file("a.txt", "by a person");
    world.workspace.file("made/mine", "by a person");
    world.workspace.file("run.sh", "by a person");
    let undone = world.undo(1);
    let refused: Vec<_> = undone.refused.iter().map(|refusal| refusal.path.clone()).collect();
    assert_eq!(refused, ["made", "a.txt", "run.sh"].map(|name| world.workspace.path(name)));
    assert_eq!(undone.restored, [world.workspace.path("dir/b.txt")]);
    assert_eq!(world.workspace.read("a.txt").unwrap(), b"by a person");
    assert_eq!(world.workspace.read("made/mine").unwrap(), b"by a person");
    assert_eq!(world.workspace.read("run.sh").unwrap(), b"by a person");
    assert_eq!(world.workspace.read("dir/b.txt").unwrap(), b"dir/b.txt\nmore\n");

    // Once the person has taken their own change back, the call can be taken back to its end.
    world.workspace.file("a.txt", "by the call");
    fs::remove_file(world.workspace.path("made/mine")).unwrap();
    fs::remove_file(world.workspace.path("run.sh")).unwrap();
    assert_eq!(world.undo(1).calls, [0_u64; 0], "it does not stand in the way of others");
    assert_eq!(world.undo(UndoSelection::Numbers(vec![1])).refused, []);
    assert_eq!(world.workspace.read("a.txt").unwrap(), b"a.txt\nmore\n");
    assert_eq!(world.undo(1).calls, [0_u64; 0], "nothing is left to take back");
}

#[tokio::test]
async fn a_call_that_names_its_paths_is_watched_there_only() {
    let world = World::new();
    furnish(&world);
    let before = world.workspace.digest();
    let touching = Inspection::mutating()
        .touching(Subject::path(world.workspace.path("new/sub/f"), Access::Write))
        .touching(Subject::path(world.workspace.path("dir"), Access::Delete));
    let work = |root: &Path| {
        fs::create_dir_all(root.join("new/sub")).unwrap();
        fs::write(root.join("new/sub/f"), "x").unwrap();
        fs::remove_dir_all(root.join("dir")).unwrap();
    };
    world.call_touching(touching, Behaviour::reply("done"), work).await.unwrap();
    let diff = world.checkpoints.diff(&world.root(), 1).unwrap();
    assert!(diff.contains("+++ b/new/sub/f\n@@ -0,0 +1 @@\n+x\n"), "{diff}");
    assert!(diff.contains("--- a/dir/b.txt\n+++ /dev/null"), "{diff}");
    assert_eq!(world.undo(1).refused, []);
    assert_eq!(world.workspace.digest(), before);
}

#[tokio::test]
async fn what_reads_leaves_no_trace_and_what_fails_does() {
    let world = World::new();
    furnish(&world);
    let read = world.call_touching(Inspection::read_only(), Behaviour::reply("x"), |_| {}).await;
    assert!(read.is_ok());
    world.call(|_| {}).await;
    assert_eq!(world.list(), []);
    let failed = world
        .call_touching(Inspection::mutating(), Behaviour::Panic, |root| fs::write(root.join("a.txt"), "").unwrap())
        .await;
    assert!(failed.is_err());
    assert_eq!(world.list().len(), 1);
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_can_be_taken_back() {
    let world = World::new();
    furnish(&world);
    let before = world.workspace.digest();
    let hanging = world.call_touching(Inspection::mutating(), Behaviour::Hang, |root| {
        fs::remove_dir_all(root.join("dir")).unwrap();
    });
    assert!(tokio::time::timeout(Duration::from_millis(500), hanging).await.is_err());
    assert_eq!(world.undo(1).calls, [1]);
    assert_eq!(world.workspace.digest(), before);
}

#[tokio::test]
async fn another_folder_at_the_path_is_left_alone() {
    let world = World::new();
    furnish(&world);
    let before = world.workspace.digest();
    world.call(|root| fs::remove_file(root.join("a.txt")).unwrap()).await;
    let (root, aside) = (world.root(), world.root().with_extension("aside"));
    fs::rename(&root, &aside).unwrap();
    fs::create_dir(&root).unwrap();
    let is_refused = |done: Result<Undone, CheckpointError>| {
        assert!(matches!(&done, Err(CheckpointError::OtherFolder { number: 1, .. })), "{done:?}");
    };
    is_refused(world.checkpoints.undo(&root, 1));
    assert!(fs::read_dir(&root).unwrap().next().is_none() && !world.list()[0].undone);
    // Moved away and back it is the same one.
    fs::remove_dir(&root).unwrap();
    fs::rename(&aside, &root).unwrap();
    assert_eq!(world.undo(1).refused, []);
    assert_eq!(world.workspace.digest(), before);

    fs::rename(&root, &aside).unwrap();
    fs::create_dir(&root).unwrap();
    let redone = world.checkpoints.redo(&root);
    assert!(matches!(&redone, Err(CheckpointError::OtherFolder { .. })), "{redone:?}");
    fs::write(root.join("a.txt"), "x").unwrap();
    let told = world.checkpoints.in_any_folder().redo(&root).unwrap();
    assert_eq!(told.refused.len(), 1, "{told:?}");
    fs::remove_dir_all(&aside).unwrap();
}

#[tokio::test]
async fn a_content_that_is_lost_costs_its_file_alone() {
    let world = World::new();
    furnish(&world);
    world
        .call(|root| {
            fs::write(root.join("a.txt"), "by the call").unwrap();
            fs::write(root.join("run.sh"), "by the call").unwrap();
        })
        .await;
    let hash = world.list()[0].changes.iter().find(|change| change.path.0.ends_with("a.txt")).unwrap().before.clone();
    let hash = hash.unwrap().hash.unwrap();
    let kept = fs::read_dir(world.store.path("kept")).unwrap().next().unwrap().unwrap().path();
    let object = kept.join("objects").join(&hash[..2]).join(&hash[2..]);
    let content = fs::read(&object).unwrap();
    fs::remove_file(&object).unwrap();
    let undone = world.undo(1);
    assert_eq!(undone.refused.len(), 1, "{undone:?}");
    assert_eq!(world.workspace.read("a.txt").unwrap(), b"by the call", "not half of it");
    assert_eq!(world.workspace.read("run.sh").unwrap(), b"run.sh\nmore\n");
    fs::write(&object, content).unwrap();
    assert_eq!(world.undo(UndoSelection::Numbers(vec![1])).refused, []);
    assert_eq!(world.workspace.read("a.txt").unwrap(), b"a.txt\nmore\n");
}

#[tokio::test]
async fn a_folder_that_a_call_closes_is_opened_again_and_what_lies_in_it_is_told_as_unknown() {
    for mode in [0o000, 0o200, 0o300, 0o400, 0o600] {
        let world = World::new();
        furnish(&world);
        world.workspace.file("closed/inside", "one");
        let before = world.workspace.digest();
        let folder = world.workspace.path("closed");
        world
            .call(move |root| {
                fs::set_permissions(root.join("closed"), fs::Permissions::from_mode(mode)).unwrap();
            })
            .await;
        // Root looks into every folder.
        let is_closed = fs::read_dir(&folder).is_err() || fs::metadata(folder.join("inside")).is_err();
        let undone = world.undo(1);
        let opened = fs::metadata(&folder).unwrap().permissions().mode();
        assert_eq!((undone.refused.as_slice(), opened & 0o700), (&[][..], 0o700), "{mode:o}");
        assert_eq!(world.workspace.digest(), before, "{mode:o}");
        let is_told = undone.gaps.iter().any(|gap| gap == "`closed` cannot be looked into");
        assert_eq!(is_told, is_closed, "{mode:o}: {undone:?}");
    }
}

#[tokio::test]
async fn a_file_that_a_call_closes_is_opened_again() {
    for mode in [0o000, 0o200, 0o100] {
        let world = World::new();
        furnish(&world);
        let before = world.workspace.digest();
        world
            .call(move |root| {
                let close =
                    |name: &str| fs::set_permissions(root.join(name), fs::Permissions::from_mode(mode)).unwrap();
                fs::rename(root.join("a.txt"), root.join("moved")).unwrap();
                fs::write(root.join("dir/b.txt"), "by the call").unwrap();
                ["moved", "dir/b.txt", "dir/deep/c"].into_iter().for_each(close);
            })
            .await;
        let undone = world.undo(1);
        assert_eq!(undone.refused, [], "{mode:o}");
        assert_eq!(world.workspace.digest(), before, "{mode:o}");
    }
}

#[tokio::test]
async fn old_calls_are_forgotten_and_gaps_are_named() {
    let config = CheckpointConfig { keep: 2, max_bytes: 4000, ..CheckpointConfig::default() };
    let world = World::with(&config);
    world.workspace.file("big", vec![b'x'; 5000]);
    world.workspace.file(".env", "TOKEN=hush");
    world.workspace.file("node_modules/m.js", "1");
    for round in 0..20_u8 {
        world
            .call(move |root| {
                fs::write(root.join("f"), vec![round; 900]).unwrap();
                fs::write(root.join("big"), vec![round; 5000]).unwrap();
                fs::write(root.join(".env"), vec![round; 10]).unwrap();
            })
            .await;
    }
    let list = world.list();
    assert_eq!(list.len(), 2);
    let gaps = list[1].gaps.join("\n");
    for gap in ["`big` was not kept", "`.env` was not kept", "`node_modules` is not looked into"] {
        assert!(gaps.contains(gap), "{gaps}");
    }
    let undone = world.undo(2);
    assert_eq!(world.workspace.read("f").unwrap(), vec![17; 900]);
    assert!(undone.refused.iter().all(|refusal| refusal.path != world.workspace.path("f")), "{undone:?}");
    let mut kept = 0;
    let mut pending = vec![world.store.root().to_owned()];
    while let Some(path) = pending.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        if meta.is_dir() {
            pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.to_string_lossy().contains("/objects/") {
            kept += meta.len();
            assert!(!fs::read(&path).unwrap().starts_with(b"TOKEN"), "a secret was copied");
        }
    }
    assert!(kept <= 4000, "{kept} bytes are kept");
}

/// Copies what is noted of the running call out of the store, as it is when its process is killed.
fn notes_of_running(store: &Path) -> Vec<u8> {
    let of_workspace = fs::read_dir(store.join("kept")).unwrap().next().unwrap().unwrap().path();
    let note = fs::read_dir(of_workspace.join("running")).unwrap().next().unwrap().unwrap().path();
    fs::read(note).unwrap()
}

/// Puts the store into the state that a process leaves which is killed at the end of its only call.
fn killed(world: &World, notes: &[u8]) {
    let of_workspace = fs::read_dir(world.store.path("kept")).unwrap().next().unwrap().unwrap().path();
    let _ = fs::remove_file(of_workspace.join("calls/1.json"));
    fs::write(of_workspace.join("running/left.call"), notes).unwrap();
}

#[tokio::test]
async fn a_call_whose_process_was_killed_is_taken_back() {
    let world = World::new();
    world.workspace.file("a", "one");
    world.workspace.file("dir/b", "two");
    world.workspace.file("other", "mine");
    let before = world.workspace.digest();
    let paths = ["a", "dir", "new"].map(|path| world.root().join(path));
    let mut inspection = Inspection::mutating();
    inspection.subjects = paths.map(|path| Subject::path(path, Access::Write)).to_vec();
    let (notes, store) = (Arc::new(Mutex::new(Vec::new())), world.store.root().to_owned());
    let into = Arc::clone(&notes);
    let work = move |root: &Path| {
        *into.lock().unwrap() = notes_of_running(&store);
        fs::write(root.join("a"), "changed").unwrap();
        fs::remove_dir_all(root.join("dir")).unwrap();
        fs::create_dir(root.join("new")).unwrap();
        fs::write(root.join("new/c"), "three").unwrap();
    };
    world.call_touching(inspection, Behaviour::reply("done"), work).await.unwrap();
    let notes = notes.lock().unwrap().clone();
    killed(&world, &notes);
    // Since then by hand, which is not the call's.
    world.workspace.file("other", "changed by hand");

    let list = world.list();
    let [record] = list.as_slice() else { panic!("{list:?}") };
    assert_eq!((record.tool.as_str(), record.number), ("change", 1));
    assert!(record.gaps.iter().any(|gap| gap.contains("was killed")), "{record:?}");
    assert_eq!(world.list().len(), 1, "it is recorded once");
    let undone = world.undo(1);
    assert!(undone.refused.is_empty() && undone.restored.len() >= 3, "{undone:?}");
    world.workspace.file("other", "mine");
    assert_eq!(world.workspace.digest(), before);
}

#[tokio::test]
async fn notes_that_are_not_all_of_a_call_take_nothing_back() {
    let world = World::new();
    world.workspace.file("a", "one");
    let (notes, store) = (Arc::new(Mutex::new(Vec::new())), world.store.root().to_owned());
    let into = Arc::clone(&notes);
    // It does not say what it changes, and nobody sees what it writes.
    world
        .call(move |root| {
            *into.lock().unwrap() = notes_of_running(&store);
            fs::write(root.join("a"), "changed").unwrap();
        })
        .await;
    let notes = notes.lock().unwrap().clone();
    killed(&world, &notes);
    let list = world.list();
    let [record] = list.as_slice() else { panic!("{list:?}") };
    assert!(record.changes.is_empty() && record.gaps[0].contains("its writes were not observed"), "{record:?}");

    // What is no note of a call is thrown away, and what was cut off is not believed.
    for damaged in [&b"{}"[..], b"\xff\xfe", &notes[..notes.len() / 2]] {
        killed(&world, damaged);
        assert!(world.list().is_empty(), "{damaged:?}");
    }
    assert_eq!(world.workspace.read("a").as_deref(), Some(&b"changed"[..]));
}

#[tokio::test]
async fn one_redo_brings_back_what_one_undo_took() {
    let world = World::new();
    world.workspace.file("a", "0");
    for content in ["1", "2", "3"] {
        world.call(move |root| fs::write(root.join("a"), content).unwrap()).await;
    }
    world.undo(1);
    let after_one = world.workspace.digest();
    assert_eq!(world.undo(2).calls, [2, 1]);
    assert_eq!(world.workspace.read("a").as_deref(), Some(&b"0"[..]));
    assert!(world.checkpoints.redo(&world.root()).unwrap().refused.is_empty());
    assert_eq!(world.workspace.digest(), after_one, "both calls stand again, and the third does not");
    world.checkpoints.redo(&world.root()).unwrap();
    assert_eq!(world.workspace.read("a").as_deref(), Some(&b"3"[..]));
    assert!(world.checkpoints.redo(&world.root()).unwrap().calls.is_empty());
}
