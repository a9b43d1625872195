//! `read` and `list_directory`.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};

use insta::assert_snapshot;
use serde_json::json;

use crate::world::World;

#[tokio::test]
async fn lines_are_numbered_as_in_the_file_and_the_end_says_how_to_go_on() {
    let world = World::new();
    world.file("f", "l1\nl2\r\nl3\nl4\nl5").file("empty", "").file("newline", "\n");
    let read = async |params| world.text("read", params).await;
    assert_eq!(read(json!({"path": "f"})).await, "     1\tl1\n     2\tl2\n     3\tl3\n     4\tl4\n     5\tl5");
    assert_eq!(
        read(json!({"path": "f", "offset": 1, "limit": 2})).await,
        "     2\tl2\n     3\tl3\n[lines 2-3 of 5; next: offset=3]"
    );
    assert_eq!(read(json!({"path": "f", "offset": 3})).await, "     4\tl4\n     5\tl5\n[lines 4-5 of 5]");
    assert_eq!(read(json!({"path": "f", "offset": 9})).await, "[no lines shown; the file has 5 lines, offset is 9]");
    let beyond = read(json!({"path": "f", "offset": u64::MAX, "limit": u64::MAX})).await;
    assert!(beyond.starts_with("[no lines shown"), "{beyond}");
    assert_eq!(read(json!({"path": "empty"})).await, "[the file is empty]");
    assert_eq!(read(json!({"path": "newline"})).await, "     1\t");
}

#[tokio::test]
async fn encodings_are_decoded_and_named() {
    let world = World::new();
    world
        .file("bom", b"\xEF\xBB\xBFhead\n")
        .file("wide", b"\xFF\xFEh\0\xE9\0\n\0z\0\n\0")
        .file("latin", b"caf\xE9\nplain\n")
        .file("binary", b"\x7FELF\0\0\0")
        .file("odd", format!("{}\0x\n", "a\n".repeat(5000)));
    let read = async |name: &str| world.text("read", json!({"path": name})).await;
    assert_eq!(read("bom").await, "     1\thead");
    assert_eq!(read("wide").await, "     1\thé\n     2\tz\n[UTF-16LE]");
    assert_eq!(read("latin").await, "     1\tcafé\n     2\tplain\n[not UTF-8: shown as windows-1252 where needed]");
    assert_eq!(read("binary").await, "[binary file: an ELF executable, 7 bytes; not shown as text]");
    assert!(!world.text("read", json!({"path": "odd", "offset": 4000})).await.contains('\0'));
}

#[tokio::test]
async fn images_are_media_up_to_a_size() {
    let world = World::with(|_, config| tools_file::FileConfig { image_bytes: 100, ..config });
    world
        .file("small.png", b"\x89PNG\r\n\x1a\nrest")
        .file("big.png", [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 200]].concat());
    let output = world.call("read", json!({"path": "small.png"})).await.unwrap();
    assert_eq!((output.media[0].mime.as_str(), output.media[0].data.len()), ("image/png", 12));
    let output = world.call("read", json!({"path": "big.png"})).await.unwrap();
    assert!(output.media.is_empty() && output.summary.contains("more than the 100 bytes"));
}

#[tokio::test]
async fn long_lines_and_long_files_are_cut_and_say_so() {
    let world = World::new();
    world.file("line", "x".repeat(100_000)).file("lines", "0123456789\n".repeat(300_000));
    let text = world.text("read", json!({"path": "line"})).await;
    assert!(text.len() < 3000 && text.ends_with("[line of 100000 bytes]"), "{}", text.len());
    let text = world.text("read", json!({"path": "lines", "limit": 4_000_000_000_u64})).await;
    assert!(text.len() < 400_000 && text.contains("of 300000; next: offset="));
}

#[tokio::test]
async fn what_is_no_file_is_named_at_once() {
    let world = World::new();
    world.file("readme.md", "x").file("d/x", "x");
    let fifo = world.path("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("socket")).unwrap();
    let read = async |name: &str| world.text("read", json!({"path": name})).await;
    assert_eq!(read("fifo").await, "invalid_parameters/wrong_kind: path `fifo` is a named pipe and cannot be read");
    assert_eq!(read("socket").await, "invalid_parameters/wrong_kind: path `socket` is a socket and cannot be read");
    assert_eq!(read("d").await, "invalid_parameters/wrong_kind: path `d` is a directory");
    let error = world.call("read", json!({"path": "raedme.md"})).await.unwrap_err();
    assert_eq!((error.code(), error.suggestion()), ("not_found", "Near names: `readme.md`."));
    assert_eq!(
        read("../outside/secret").await,
        "policy_blocked/sandbox_outside: path `../outside/secret` is outside the allowed roots"
    );
}

#[tokio::test]
async fn read_rules_hold_whatever_the_spelling() {
    let world = World::with(|root, config| tools_file::FileConfig {
        deny_read: Some(vec![format!("{}/secret/*", root.display()), "**/.env".into()]),
        ..config
    });
    world.file("secret/k", "KEY\n").file(".env", "KEY\n").file("open", "x\n").link("l", "secret/k").link("d", "secret");
    for path in ["secret/k", "./secret//k", "l", "d/k", ".env"] {
        for (tool, params) in [
            ("read", json!({"path": path})),
            ("grep", json!({"path": path, "pattern": "K"})),
            ("edit", json!({"path": path, "old_string": "KEY", "new_string": "x"})),
            ("write", json!({"path": path, "content": "x"})),
            ("copy_path", json!({"source": path, "destination": "c"})),
            (
                "copy_path",
                json!({"source": "open", "destination": if path == "l" { "secret/n" } else { path }, "overwrite": true}),
            ),
        ] {
            let error = world.call(tool, params.clone()).await.unwrap_err();
            assert_eq!(error.code(), "read_denied", "{tool} {params}");
            let error = world.inspect(tool, params).await;
            assert!(tool == "grep" || error.is_err());
        }
    }
    assert!(!world.text("grep", json!({"pattern": "KEY"})).await.contains("KEY"));
    assert_eq!(
        world.text("grep", json!({"pattern": "KEY"})).await.replace("no matches", ""),
        world.text("grep", json!({"pattern": "NOTHING"})).await.replace("no matches", ""),
        "whether a closed file matches does not show"
    );
    assert!(world.text("move_path", json!({"source": "secret", "destination": "moved"})).await.contains("read_denied"));
    world.call("copy_path", json!({"source": "secret", "destination": "copied"})).await.unwrap();
    assert!(fs::read_dir(world.path("copied")).unwrap().next().is_none());
    assert_eq!((world.content("secret/k"), world.content(".env")), ("KEY\n".into(), "KEY\n".into()));
}

#[tokio::test]
async fn a_directory_is_listed_sorted_labelled_and_in_windows() {
    let world = World::new();
    world.file("b.txt", "12345").file("a/x", "").link("l", "../outside").link("dangling", "no\nwhere");
    fs::write(world.path("tricky\n\u{202e}name"), "").unwrap();
    fs::write(world.path("").join(OsStr::from_bytes(b"bad\xff")), "").unwrap();
    assert_snapshot!(world.text("list_directory", json!({"path": "."})).await, @r"
    [dir] a
    [file] b.txt (5 bytes)
    [file] bad\xff (0 bytes)
    [symlink] dangling -> no\nwhere
    [symlink] l -> ../outside
    [file] tricky\n\u{202e}name (0 bytes)
    ");
    assert_snapshot!(world.text("list_directory", json!({"path": ".", "offset": 1, "limit": 2})).await, @r"
    [file] b.txt (5 bytes)
    [file] bad\xff (0 bytes)
    [showing 2-3 of 6 entries; for more: offset=3]
    ");
    assert!(world.text("list_directory", json!({"path": "l"})).await.contains("sandbox_outside"));
    assert!(world.text("list_directory", json!({"path": "b.txt"})).await.contains("not_a_directory"));
}

#[tokio::test]
async fn every_name_is_read_by_the_text_that_lists_it() {
    let world = World::new();
    let names: [&[u8]; 16] = [
        b"tab\tq",
        b"tab\\tq",
        b"tab\\\\tq",
        b"a\rb",
        b"a\nb",
        "q\u{200b}w".as_bytes(),
        "z\u{202e}q".as_bytes(),
        "\u{85}nel".as_bytes(),
        "\u{2028}ls".as_bytes(),
        b"\xff\xfe",
        b"caf\xe9",
        b"caf\\xe9",
        b"e\\u{1b}q",
        b"back\\slash",
        b"odd\x01dir/tab\tq",
        &[b'n'; 250],
    ];
    for (n, name) in names.iter().enumerate() {
        let path = world.path("w").join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("text {n} end\n")).unwrap();
    }
    let deep = format!("w/{}/{}", "d".repeat(200), "e".repeat(200));
    world.file(&format!("{deep}/f"), "text 16 end\n");
    let found = world.text("find_path", json!({"pattern": "w/**", "kind": "file"})).await;
    let files = world.text("grep", json!({"pattern": "text", "mode": "files"})).await;
    assert_eq!(found, files);
    let mut read = std::collections::BTreeSet::new();
    for name in found.lines() {
        let text = world.text("read", json!({"path": name})).await;
        assert!(text.contains(" end"), "{name}: {text}");
        read.insert(text);
    }
    assert_eq!((read.len(), found.lines().count()), (17, 17));
    let listed = world.text("list_directory", json!({"path": "w"})).await;
    for line in listed.lines().filter_map(|line| line.strip_prefix("[file] ")) {
        let (name, _) = line.rsplit_once(" (").unwrap();
        assert!(world.text("read", json!({"path": format!("w/{name}")})).await.contains(" end"), "{name}");
    }
    // Where nothing else is shown so, the text is the name.
    world.call("write", json!({"path": "w/new\\tname", "content": "x"})).await.unwrap();
    assert!(world.path("w/new\\tname").exists());
    world.call("write", json!({"path": "w/odd\\u{1}dir/new", "content": "x"})).await.unwrap();
    assert!(world.path("w/odd\u{1}dir/new").exists());
    world.call("move_path", json!({"source": "w/tab\\tq", "destination": "moved"})).await.unwrap();
    assert!(world.content("moved").contains("text 0 "));
    world.call("edit", json!({"path": "w/tab\\\\tq", "old_string": "text 1", "new_string": "TEXT"})).await.unwrap();
    world.call("delete_path", json!({"path": "w/\\xff\\xfe"})).await.unwrap();
    assert_eq!(world.content("w/tab\\tq"), "TEXT end\n");
}
