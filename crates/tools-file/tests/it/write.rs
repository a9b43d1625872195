//! `write` and `edit`.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use insta::assert_snapshot;
use serde_json::{Value, json};
use tools_core::SessionId;
use tools_file::FileConfig;

use crate::world::World;

#[tokio::test]
async fn writing_creates_parents_and_replaces_with_a_diff() {
    let world = World::new();
    assert_eq!(
        world.text("write", json!({"path": "a/b/n.txt", "content": "one\ntwo"})).await,
        "created `a/b/n.txt` (2 lines, 7 bytes)"
    );
    assert_snapshot!(world.text("write", json!({"path": "a/b/n.txt", "content": "one\nTWO\n"})).await, @r"
    replaced `a/b/n.txt` (2 lines, 8 bytes)
    @@ -1,2 +1,2 @@
     one
    -two
    \ No newline at end of file
    +TWO
    ");
    assert_eq!(world.content("a/b/n.txt"), "one\nTWO\n");
    assert_eq!(fs::read_dir(world.path("a/b")).unwrap().count(), 1, "no temporary file is left");
}

#[tokio::test]
async fn a_folder_is_no_file_even_where_it_is_the_root() {
    let world = World::new();
    world.file("d/f", "x");
    for path in [".", "d", "d/.."] {
        let text = format!("path `{path}` is a directory, not a regular file");
        for (tool, change) in
            [("write", json!({"content": "x"})), ("edit", json!({"old_string": "x", "new_string": "y"}))]
        {
            let mut params = change;
            params["path"] = path.into();
            let error = world.call(tool, params).await.unwrap_err();
            assert_eq!(
                (error.code(), error.to_string().contains(&text)),
                ("wrong_kind", true),
                "{tool} {path}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn mode_links_and_other_names_are_respected() {
    let world = World::new();
    world.file("script", "#!/bin/sh\n").link("l", "script").file("d/one", "shared");
    fs::set_permissions(world.path("script"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::hard_link(world.path("d/one"), world.base.join("outside/two")).unwrap();
    world.call("write", json!({"path": "l", "content": "new"})).await.unwrap();
    assert!(world.path("l").is_symlink());
    assert_eq!(
        (world.content("script"), fs::metadata(world.path("script")).unwrap().mode() & 0o777),
        ("new".into(), 0o750)
    );
    world.call("write", json!({"path": "d/one", "content": "mine"})).await.unwrap();
    assert_eq!(fs::read_to_string(world.base.join("outside/two")).unwrap(), "shared");
}

#[tokio::test]
async fn extended_attributes_stay() {
    let world = World::new();
    world.file("f", "old");
    let handle = fs::File::open(world.path("f")).unwrap();
    let set = rustix::fs::fsetxattr(&handle, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    world.call("edit", json!({"path": "f", "old_string": "old", "new_string": "new"})).await.unwrap();
    let mut value = [0; 16];
    let found = rustix::fs::fgetxattr(fs::File::open(world.path("f")).unwrap(), "user.note", &mut value);
    // Where the file system has no attributes there is none to keep.
    assert_eq!(found.ok().map(|length| value[..length].to_vec()), set.ok().map(|()| b"kept".to_vec()));
}

#[tokio::test]
async fn a_file_with_other_names_is_not_repeated_unasked() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        fs::hard_link(world.base.join("outside/secret"), world.path(name)).unwrap();
    }
    let answers = [
        world.text("write", json!({"path": "a", "content": "x"})).await,
        world.text("edit", json!({"path": "b", "old_string": "SEC", "new_string": "x"})).await,
        world.text("edit", json!({"path": "c", "old_string": "SECRTE", "new_string": "x"})).await,
    ];
    assert!(answers.iter().all(|answer| !answer.contains("SECRET")), "{answers:?}");
    assert_eq!(fs::read_to_string(world.base.join("outside/secret")).unwrap(), "SECRET\n");
    assert_eq!((world.content("a"), world.content("b")), ("x".into(), "xRET\n".into()));
}

#[tokio::test]
async fn nothing_is_written_outside() {
    let world = World::new();
    world.link("out", "../outside/secret").link("dangling", "../outside/new").link("dir", "../outside");
    let before = world.snapshot();
    for path in ["out", "dangling", "dir/x", "../outside/y", "dir/a/b", ".", "x/", "z/../../outside/w"] {
        assert!(world.call("write", json!({"path": path, "content": "PWNED"})).await.is_err(), "{path}");
        assert!(
            world.call("create_directory", json!({"path": format!("{path}/d/e")})).await.is_err()
                || [".", "x/"].contains(&path)
        );
    }
    for path in ["out", "dir/secret"] {
        assert!(world.call("edit", json!({"path": path, "old_string": "SECRET", "new_string": "x"})).await.is_err());
    }
    fs::remove_dir_all(world.path("x")).unwrap();
    fs::remove_dir_all(world.path("d")).unwrap();
    assert_eq!(world.snapshot(), before);
}

#[tokio::test]
async fn an_edit_says_what_it_did() {
    let world = World::new();
    world
        .file("f", "a\nb\nc\n")
        .file("crlf", "a\r\nb\r\n")
        .file("wide", b"\xFF\xFEo\0n\0e\0\n\0")
        .file("latin", b"caf\xE9 old\n");
    assert_snapshot!(world.text("edit", json!({"path": "f", "old_string": "b", "new_string": "B"})).await, @r"
    edited `f`: 1 replacement (+1 -1 lines)
    @@ -1,3 +1,3 @@
     a
    -b
    +B
     c
    ");
    let text = world.text("edit", json!({"path": "crlf", "old_string": "a\nb", "new_string": "x\ny"})).await;
    assert!(text.contains("[`old_string` was found by ignoring line endings]"), "{text}");
    assert_eq!(world.content("crlf"), "x\r\ny\r\n");
    world.call("edit", json!({"path": "wide", "old_string": "one", "new_string": "zwö"})).await.unwrap();
    assert_eq!(fs::read(world.path("wide")).unwrap(), b"\xFF\xFEz\0w\0\xF6\0\n\0");
    world.call("edit", json!({"path": "latin", "old_string": "é old", "new_string": "è new"})).await.unwrap();
    assert_eq!(fs::read(world.path("latin")).unwrap(), b"caf\xE8 new\n");
    let text = world.text("edit", json!({"path": "latin", "old_string": "new", "new_string": "漢"})).await;
    assert!(text.contains("`漢`, which the file's encoding windows-1252 does not have"), "{text}");
}

#[tokio::test]
async fn an_edit_that_misses_helps() {
    let world = World::new();
    world
        .file("f", "fn main() {\n\tlet value = 1;\n}\n")
        .file("twice", "foo\nbar\nfoo\n")
        .file("done", "a\nnewvalue\n");
    let edit = async |path: &str, old: &str, new: &str| {
        world.text("edit", json!({"path": path, "old_string": old, "new_string": new})).await
    };
    assert_snapshot!(edit("f", "let value  = 1;", "let value = 2;").await, @r"
    invalid_parameters/edit_not_found: `old_string` was not found; nothing was changed
    nearest text, line 2 (differs only in blanks: `·` is a space, `→` a tab); `-` as sent, `+` as the file has it:
          	-let·value··=·1;
         2	+→let·value·=·1;
    ");
    assert_snapshot!(edit("twice", "foo", "x").await, @"invalid_parameters/edit_ambiguous: `old_string` matches 2 places, at lines 1, 3; nothing was changed");
    assert!(edit("done", "oldvalue", "newvalue").await.contains("`new_string` is already present at line 2"));
    assert!(edit("f", "", "x").await.contains("`old_string` is empty"));
    assert!(edit("f", "x", "x").await.contains("are equal"));
    assert_eq!(world.content("twice"), "foo\nbar\nfoo\n");
    let error = world.call("edit", json!({"path": "f", "old_string": "x"})).await.unwrap_err();
    assert_eq!(error.to_string(), "`new_string` is missing");
}

#[tokio::test]
async fn several_edits_are_all_or_none() {
    let world = World::new();
    world.file("f", "a\nb\nc\n");
    let miss = json!({"path": "f", "edits": [{"old_string": "a", "new_string": "A"}, {"old_string": "zzz", "new_string": "x"}]});
    assert!(world.text("edit", miss).await.contains("edits[1]: `old_string` was not found"));
    assert_eq!(world.content("f"), "a\nb\nc\n");
    let both = json!({"path": "f", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "x", "replace_all": true}]});
    assert!(world.text("edit", both).await.starts_with("edited `f`: 3 replacements"));
    assert_eq!(world.content("f"), "x\nx\nc\n");
    assert!(world.text("edit", json!({"path": "f", "edits": [], "old_string": "x"})).await.contains("missing"));
    let beside = json!({"path": "f", "edits": [{"old_string": "c", "new_string": "d"}], "old_string": "x"});
    assert!(world.text("edit", beside).await.contains("excludes"));
}

#[tokio::test]
async fn what_changed_since_the_session_wrote_it_is_not_overwritten() {
    let world = World::new();
    let write = async |content: &str| world.text("write", json!({"path": "f", "content": content})).await;
    write("one\n").await;
    world.file("f", "PERSON\n");
    let text = write("two\n").await;
    assert!(text.contains("changed since this session last read") && text.contains("+PERSON"), "{text}");
    assert_eq!(world.content("f"), "PERSON\n");
    assert!(write("two\n").await.starts_with("replaced"), "having been told it may");
    // After an edit of a file that was never read, too; and the edit itself finds its text in what
    // others write.
    world.file("g", "a\nb\n");
    world.text("edit", json!({"path": "g", "old_string": "a", "new_string": "A"})).await;
    world.file("g", "A\nb\nmore\n");
    assert!(world.text("edit", json!({"path": "g", "old_string": "b", "new_string": "B"})).await.starts_with("edited"));
    world.file("g", "A\nB\nmore and more\n");
    let text = world.text("write", json!({"path": "g", "content": "x"})).await;
    assert!(text.contains("+more and more"), "{text}");
}

#[tokio::test]
async fn writing_does_not_give_back_what_was_sent() {
    let world = World::new();
    let long = (0..2000).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let write = async |content: &str| world.text("write", json!({"path": "f", "content": content})).await;
    assert_eq!(write(&long).await, "created `f` (2000 lines, 18890 bytes)");
    let other = long.replace("line", "row");
    assert_eq!(write(&other).await, "replaced `f` (2000 lines, 16890 bytes) (+2000 -2000 lines)");
    let text = write(&other.replace("row 7\n", "row seven\n")).await;
    assert!(text.contains("-row 7\n+row seven\n"), "{text}");
    assert_eq!(write("short\n").await, "replaced `f` (1 line, 6 bytes) (+1 -2000 lines)");
}

#[tokio::test]
async fn what_the_session_has_not_seen_is_not_overwritten() {
    let world = World::new();
    world.file("f", "one\ntwo\nthree\n");
    world.call("read", json!({"path": "f"})).await.unwrap();
    world.file("f", "one\nTWO\nthree\n");
    assert_snapshot!(world.text("write", json!({"path": "f", "content": "mine\n"})).await, @r"
    invalid_parameters/changed_since_read: path `f` changed since this session last read it
    @@ -1,3 +1,3 @@
     one
    -two
    +TWO
     three
    ");
    assert_eq!(world.content("f"), "one\nTWO\nthree\n");
    world.call("write", json!({"path": "f", "content": "mine\n"})).await.unwrap();
    // Its own writing is known to the session, another session is not concerned, a touch changes
    // nothing.
    world.call("write", json!({"path": "f", "content": "again\n"})).await.unwrap();
    world.file("f", "again\n");
    world.call("write", json!({"path": "f", "content": "third\n"})).await.unwrap();
    world.file("f", "other\n");
    let other = world.cx.clone().in_session(SessionId::generate());
    let call = tools_core::ToolCall::new("write", json!({"path": "f", "content": "x\n"})).unwrap();
    world.stack.dispatch(call, &other).await.unwrap();
}

#[tokio::test]
async fn an_edit_of_a_file_that_changed_is_refused_once_with_what_changed() {
    let world = World::new();
    world.file("f", "one\ntwo\n");
    world.call("read", json!({"path": "f"})).await.unwrap();
    world.file("f", "ONE\ntwo\n");
    let edit = || world.text("edit", json!({"path": "f", "old_string": "two", "new_string": "2"}));
    assert_snapshot!(edit().await, @r"
    invalid_parameters/changed_since_read: path `f` changed since this session last read it
    @@ -1,2 +1,2 @@
    -one
    +ONE
     two
    ");
    assert_eq!(world.content("f"), "ONE\ntwo\n");
    // Having been shown the change, the session has seen it.
    edit().await;
    assert_eq!(world.content("f"), "ONE\n2\n");
    world.file("f", "gone\n");
    assert!(edit().await.contains("changed_since_read"));
}

#[tokio::test]
async fn what_belongs_to_the_host_is_read_but_not_changed() {
    let world = World::new();
    world.file("host/rules.toml", "rules\n");
    let reserved = tools_sandbox::ReservedFiles::new(&[world.path("host/rules.toml")]);
    let policy = FileConfig::default().compile(&world.path(""), None).unwrap().reserving(reserved);
    let stack = tools_core::Stack::new(vec![], tools_file::executor(tools_core::Shared::new(policy)));
    let code = async |tool: &str, params: Value| {
        let call = tools_core::ToolCall::new(tool, params).unwrap();
        stack.dispatch(call, &world.cx).await.map_or_else(|error| error.code(), |_| "ok")
    };
    let path = "host/rules.toml";
    assert_eq!(code("read", json!({"path": path})).await, "ok");
    assert_eq!(code("write", json!({"path": path, "content": "x"})).await, "path_reserved");
    assert_eq!(code("edit", json!({"path": path, "old_string": "rules", "new_string": "x"})).await, "path_reserved");
    assert_eq!(code("delete_path", json!({"path": path})).await, "path_reserved");
    assert_eq!(code("delete_path", json!({"path": "host", "recursive": true})).await, "path_protected");
    assert_eq!(code("move_path", json!({"source": path, "destination": "y"})).await, "path_reserved");
    assert_eq!(code("move_path", json!({"source": "host", "destination": "y"})).await, "path_protected");
    world.file("z", "z");
    let over = json!({"source": "z", "destination": path, "overwrite": true});
    assert_eq!(code("copy_path", over.clone()).await, "path_reserved");
    assert_eq!(code("move_path", over).await, "path_reserved");
    assert_eq!(world.content(path), "rules\n");
}

#[tokio::test]
async fn edits_at_the_same_time_lose_nothing() {
    let world = std::sync::Arc::new(World::new());
    let text: String = (0..40).map(|n| format!("<{n}>\n")).collect::<Vec<_>>().concat();
    world.file("f", &text);
    let edits: Vec<_> = (0..40)
        .map(|n| {
            let world = std::sync::Arc::clone(&world);
            tokio::spawn(async move {
                let params = json!({"path": "f", "old_string": format!("<{n}>"), "new_string": format!("[{n}]")});
                world.call("edit", params).await
            })
        })
        .collect();
    for edit in edits {
        edit.await.unwrap().unwrap();
    }
    assert_eq!(world.content("f"), text.replace('<', "[").replace('>', "]"));
}

#[tokio::test]
async fn a_file_that_is_written_anew_keeps_line_endings_and_mark() {
    let world = World::new();
    world
        .file("crlf", "a\r\nb\r\n")
        .file("mixed", "a\r\nb\n")
        .file("bom", "\u{feff}a\r\n")
        .file("wide", b"\xFF\xFEa\0");
    for name in ["crlf", "mixed", "bom", "wide"] {
        world.call("write", json!({"path": name, "content": "x\ny"})).await.unwrap();
    }
    assert_eq!((world.content("crlf").as_str(), world.content("mixed").as_str()), ("x\r\ny", "x\ny"));
    assert_eq!(world.content("bom"), "\u{feff}x\r\ny");
    assert_eq!(fs::read(world.path("wide")).unwrap(), b"\xFF\xFEx\0\n\0y\0");
    let text = world.text("write", json!({"path": "crlf", "content": "x\ny"})).await;
    assert!(text.starts_with("`crlf` already holds this content"), "{text}");
    let text = world.text("write", json!({"path": "crlf", "content": "x\nz"})).await;
    assert!(text.contains("\n x\r\n-y\n") || text.contains("\n x\n-y\n"), "only what differs is in the diff: {text}");
    assert!(text.ends_with("[written with CRLF, as the file had it]"), "{text}");
    world.call("write", json!({"path": "crlf", "content": "a\r\nb\n"})).await.unwrap();
    assert_eq!(world.content("crlf"), "a\r\nb\n", "what spells line endings means them");
}

#[tokio::test]
async fn a_long_file_that_changed_since_it_was_read_is_not_replaced() {
    let world = World::with(|_, config| FileConfig { edit_bytes: 10, ..config });
    world.file("f", "one\ntwo\n");
    world.call("read", json!({"path": "f"})).await.unwrap();
    world.file("f", "one\ntwo\nthree\n");
    let error = world.call("write", json!({"path": "f", "content": "x"})).await.unwrap_err();
    assert_eq!((error.code(), world.content("f").as_str()), ("changed_since_read", "one\ntwo\nthree\n"));
    world.call("write", json!({"path": "f", "content": "x"})).await.unwrap();
    assert_eq!(world.content("f"), "x");
}

#[tokio::test]
async fn new_lines_end_like_those_of_the_file_before_the_call() {
    let world = World::new();
    let edit = async |text: &str, edits: &[(&str, &str)]| {
        world.file("f", text);
        let edits: Vec<Value> = edits.iter().map(|(old, new)| json!({"old_string": old, "new_string": new})).collect();
        world.call("edit", json!({"path": "f", "edits": edits})).await.unwrap();
        world.content("f")
    };
    assert_eq!(edit("a$1\r\n", &[("$1\n", "b"), ("a", "x\n")]).await, "x\r\nb");
    assert_eq!(edit("a\r\nc", &[("a\r\nc", "ac"), ("c", "1\n2\n")]).await, "a1\r\n2\r\n");
    assert_eq!(edit("a$1\n", &[("$1\n", "b"), ("a", "x\n")]).await, "x\nb");
}
