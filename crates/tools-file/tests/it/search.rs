//! `grep` and `find_path`.

use std::fs;

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};
use tools_core::AnswerBudget;
use tools_file::FileConfig;

use crate::world::World;

/// What is shown is what is searched, also where the file is in another encoding.
#[tokio::test]
async fn characters_of_other_encodings_are_found() {
    let world = World::new();
    world.file("latin", b"caf\xE9 na\xEFve\n").file("utf8", "café naïve\n");
    let big: Vec<u8> = b"caf\xE9 \n".iter().copied().cycle().take(6 * 800_000).chain(*b"na\xEFve\n").collect();
    world.file("big", big);
    for pattern in ["naïve", "na.ve", r"na\wve", "NAÏVE"] {
        let params = json!({"pattern": pattern, "case_sensitive": pattern != "NAÏVE"});
        let found = world.text("grep", params).await;
        for name in ["big:800001:naïve", "latin:1:café naïve", "utf8:1:café naïve"] {
            assert!(found.contains(name), "{pattern}: {found}");
        }
    }
}

#[tokio::test]
async fn what_is_less_than_was_asked_for_is_said() {
    let world = World::new();
    let line = |number: u32| if number == 200 { "200 needle  ".to_owned() } else { number.to_string() };
    let text = (1..400).map(line).collect::<Vec<_>>().join("\n");
    world.file("lines", text).file("a.txt", "foo\nfoo  \t\n");
    let found = world.text("grep", json!({"pattern": "needle", "context": 100, "path": "lines"})).await;
    assert!(found.starts_with("lines-150-150\n") && found.ends_with("\n[context: at most 50 lines]"), "{found}");
    let found = world.text("grep", json!({"pattern": "needle", "context": 50, "path": "lines"})).await;
    assert!(!found.contains("at most"), "{found}");
    let found = world.text("grep", json!({"pattern": "foo", "glob": "*.txt", "type": "rust"})).await;
    assert_eq!(found, "[no matches: no file fits both `glob` and `type`]");
    let found = world.text("grep", json!({"pattern": "foo", "path": "a.txt"})).await;
    assert_eq!(found, "a.txt:1:foo\na.txt:2:foo  \t");
}

#[tokio::test]
async fn matches_come_sorted_with_path_and_line() {
    let world = World::new();
    world
        .file("s/x.rs", "fn main() {}\nlet Foo = 1;\n")
        .file("y.txt", "foo bar\r\nend\r\n")
        .file("a.b/z", "Foo\n")
        .file(".hidden/h", "Foo\n");
    world
        .file(".git/config", "Foo\n")
        .file("bin", b"Foo\0")
        .file("latin", b"Foo caf\xE9\n")
        .file("wide", b"\xFF\xFEF\0o\0o\0\n\0");
    assert_snapshot!(world.text("grep", json!({"pattern": "Foo"})).await, @r"
    .hidden/h:1:Foo
    a.b/z:1:Foo
    latin:1:Foo café
    s/x.rs:2:let Foo = 1;
    wide:1:Foo
    [1 binary files skipped]
    ");
    assert_snapshot!(world.text("grep", json!({"pattern": "foo bar$", "path": "y.txt"})).await, @"y.txt:1:foo bar");
    assert_snapshot!(world.text("grep", json!({"pattern": "foo", "case_sensitive": false, "glob": "*.rs"})).await, @"s/x.rs:2:let Foo = 1;");
    assert_snapshot!(world.text("grep", json!({"pattern": "main() {", "literal": true})).await, @r"
    s/x.rs:1:fn main() {}
    [1 binary files skipped]
    ");
    assert_snapshot!(world.text("grep", json!({"pattern": "nothing", "path": "s"})).await, @"[no matches]");
    assert_snapshot!(world.text("grep", json!({"pattern": "Foo", "path": ".git"})).await, @".git/config:1:Foo");
}

#[tokio::test]
async fn context_is_shown_once_and_groups_are_parted() {
    let world = World::new();
    world.file("f", "1\n2 x\n3\n4\n5\n6 x\n7\n");
    assert_snapshot!(world.text("grep", json!({"pattern": "x", "context": 1})).await, @r"
    f-1-1
    f:2:2 x
    f-3-3
    --
    f-5-5
    f:6:6 x
    f-7-7
    ");
    assert_snapshot!(world.text("grep", json!({"pattern": "x", "context": 1, "limit": 1})).await, @r"
    f-1-1
    f:2:2 x
    f-3-3
    [showing matches 1-1 of 2 in 1 files; for more: offset=1, or narrow the search]
    ");
    assert_snapshot!(world.text("grep", json!({"pattern": "x", "context": 1, "offset": 1})).await, @r"
    f-5-5
    f:6:6 x
    f-7-7
    [matches 2-2 of 2]
    ");
}

#[tokio::test]
async fn a_cap_says_what_is_left_out_and_pages_make_the_whole() {
    let world = World::new();
    for n in 0..30 {
        world.file(&format!("d{}/f{n}", n % 3), "hit\n".repeat(5));
    }
    let page = async |offset: usize, limit: usize| {
        let output = world.call("grep", json!({"pattern": "hit", "offset": offset, "limit": limit})).await.unwrap();
        let lines: Vec<String> =
            output.summary.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect();
        (lines, output.truncated, output.summary)
    };
    let (all, truncated, _) = page(0, 1000).await;
    assert!(all.len() == 150 && !truncated && all.is_sorted_by_key(|line| line.split(':').next().unwrap().to_owned()));
    let (first, truncated, text) = page(0, 40).await;
    assert!(
        truncated
            && text.ends_with("[showing matches 1-40 of 150 in 30 files; for more: offset=40, or narrow the search]")
    );
    let (second, ..) = page(40, 40).await;
    assert_eq!([first, second].concat(), all[..80]);
    assert_eq!(world.call("grep", json!({"pattern": "hit"})).await.unwrap().summary.lines().count(), 101);
}

#[tokio::test]
async fn ignore_files_links_and_unreadable_places() {
    let world = World::new();
    world
        .file(".gitignore", "*.log\n/target/\n!keep.log\n")
        .file("a.log", "hit\n")
        .file("keep.log", "hit\n")
        .file("target/x", "hit\n");
    world.file("sub/.gitignore", "z\n").file("sub/z", "hit\n").file("sub/a.log", "hit\n").file("sub/target/y", "hit\n");
    world.link("self", ".").link("out", "../outside").link("l", "keep.log");
    assert_snapshot!(world.text("grep", json!({"pattern": "hit|SECRET"})).await, @r"
    keep.log:1:hit
    sub/target/y:1:hit
    [4 entries left out by .gitignore or .ignore (`gitignore: false` includes them)]
    ");
    assert_snapshot!(world.text("grep", json!({"pattern": "hit", "path": "sub"})).await, @r"
    sub/target/y:1:hit
    [2 entries left out by .gitignore or .ignore (`gitignore: false` includes them)]
    ");
    assert_snapshot!(world.text("find_path", json!({"pattern": "**/*", "gitignore": false})).await, @r"
    .gitignore
    a.log
    keep.log
    l
    out
    self
    sub/
    sub/.gitignore
    sub/a.log
    sub/target/
    sub/target/y
    sub/z
    target/
    target/x
    ");
}

#[tokio::test]
async fn globs_mean_what_they_say() {
    let world = World::new();
    world.file("s/x.rs", "").file("y.rs", "").file("z.toml", "").file("a[1].txt", "").file(".github/w.yml", "");
    let root = world.path("").display().to_string();
    let find = async |pattern: &str| {
        let text = world.text("find_path", json!({"pattern": pattern})).await;
        text.lines().filter(|line| !line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(find("**/*.rs").await, ["s/x.rs", "y.rs"]);
    // Without a `/` it is about names, wherever they are.
    assert_eq!(find("*.rs").await, ["s/x.rs", "y.rs"]);
    assert_eq!(find("./*.rs").await, ["y.rs"]);
    assert_eq!(find("x.rs").await, ["s/x.rs"]);
    assert_eq!(find("./s/*").await, ["s/x.rs"]);
    assert_eq!(find(&format!("{root}**/*.{{rs,toml}}")).await, ["s/x.rs", "y.rs", "z.toml"]);
    assert_eq!(find(&format!("{root}a[[]1].txt")).await, ["a[1].txt"]);
    assert_eq!(find("/**/y.r?").await, ["y.rs"]);
    assert_eq!(find("**/*.yml").await, [".github/w.yml"]);
    assert_eq!(find("s").await, ["s/"]);
    assert_eq!(find("z.toml").await, ["z.toml"]);
    assert_eq!(find("nowhere/*.rs").await, [""; 0]);
    for outside in ["../outside/*", "/etc/*", &format!("{}/outside/*", world.base.display())] {
        assert!(world.text("find_path", json!({"pattern": outside})).await.contains("sandbox_outside"), "{outside}");
    }
    for bad in ["", "a{b", "[", "*/../x"] {
        assert!(world.text("find_path", json!({"pattern": bad})).await.contains("invalid_pattern"), "{bad}");
    }
    assert_snapshot!(world.text("find_path", json!({"pattern": "*.nope"})).await, @"[no paths match]");
    assert_snapshot!(world.text("find_path", json!({"pattern": "**/*.rs", "limit": 1})).await, @r"
    s/x.rs
    [showing 1-1 of 2 paths; for more: offset=1]
    ");
}

#[tokio::test]
async fn a_pattern_that_cannot_be_compiled_is_explained() {
    let world = World::new();
    world.file("f", "x\n");
    for pattern in ["", "(", "foo(?= bar)", "(a{1000}){1000}"] {
        let error = world.call("grep", json!({"pattern": pattern})).await.unwrap_err();
        assert_eq!(error.code(), "invalid_pattern", "{pattern}");
    }
}

#[tokio::test]
async fn a_match_may_span_lines() {
    let world = World::new();
    world.file("f", "struct A {\n    x: u32,\n}\n\nstruct B;\n").file("crlf", "struct C {\r\n    x: u8,\r\n}\r\n");
    let grep = async |params: Value| world.text("grep", params).await;
    assert_snapshot!(grep(json!({"pattern": "struct \\w+ \\{.*?\\}", "multiline": true})).await, @r"
    crlf:1:struct C {
    crlf:2:    x: u8,
    crlf:3:}
    f:1:struct A {
    f:2:    x: u32,
    f:3:}
    ");
    // A pattern that names a line break is meant to match it, in either form and with `.` as ever.
    for pattern in ["\\{\\n.*\\n\\}", "{\n    x"] {
        let literal = pattern.starts_with('{');
        assert_eq!(
            grep(json!({"pattern": pattern, "literal": literal, "mode": "files"})).await,
            "crlf\nf",
            "{pattern}"
        );
    }
    assert_eq!(grep(json!({"pattern": "\\\\n"})).await, "[no matches]");
    assert_eq!(grep(json!({"pattern": "A.*B"})).await, "[no matches]");
}

#[tokio::test]
async fn a_long_line_is_shown_around_its_match() {
    let world = World::new();
    world.file("f", format!("{}NEEDLE{}\n", "x".repeat(50_000), "y".repeat(50_000)));
    let text = world.text("grep", json!({"pattern": "NEEDLE"})).await;
    assert!(text.contains("NEEDLE") && text.contains("[line of 100006 bytes]") && text.len() < 700, "{text}");
}

#[tokio::test]
async fn a_file_that_is_too_long_to_be_searched_says_why() {
    let world = World::new();
    world.file("f", vec![b'x'; (64 << 20) + 1]);
    for multiline in [false, true] {
        let text = world.text("grep", json!({"pattern": "a.*b", "path": "f", "multiline": multiline})).await;
        assert!(text.contains("too_large") && text.contains("path `f` has more than 64 MiB in one line"), "{text}");
    }
}

#[tokio::test]
async fn a_search_ends_at_its_budget_and_says_so() {
    let world = World::with(|_, config| FileConfig { search_entries: 10, ..config });
    for n in 0..5 {
        for m in 0..5 {
            world.file(&format!("d{n}/f{m}"), "x");
        }
    }
    assert!(world.text("find_path", json!({"pattern": "**/*"})).await.contains("stopped early"));
}

#[tokio::test]
async fn without_a_path_all_roots_are_searched_when_the_working_directory_is_in_none() {
    let world = World::with(|root, config| {
        fs::create_dir_all(root.join("a")).unwrap();
        fs::create_dir_all(root.join("b")).unwrap();
        FileConfig { allowed_paths: vec!["a".into(), "b".into()], ..config }
    });
    world.file("a/x", "hit\n").file("b/y", "hit\n").file("c/z", "hit\n");
    assert_eq!(world.text("grep", json!({"pattern": "hit"})).await, "a/x:1:hit\nb/y:1:hit");
    assert_eq!(world.text("find_path", json!({"pattern": "**/?"})).await, "a/x\nb/y");
    assert!(world.text("grep", json!({"pattern": "hit", "path": "."})).await.contains("sandbox_outside"));
}

#[tokio::test]
async fn files_and_counts_instead_of_lines() {
    let world = World::new();
    world.file("a.rs", "x\nx\n").file("b/c.py", "x\n").file("b/d.rs", "y\n");
    let text = world.text("grep", json!({"pattern": "x", "mode": "files"})).await;
    assert_eq!(text, "a.rs\nb/c.py");
    let text = world.text("grep", json!({"pattern": "x", "mode": "counts"})).await;
    assert_eq!(text, "a.rs:2\nb/c.py:1\n[3 matches in 2 files]");
    let text = world.text("grep", json!({"pattern": "x", "mode": "files", "limit": 1})).await;
    assert_eq!(text, "a.rs\n[showing files 1-1 of 2; for more: offset=1, or narrow the search]");
    let text = world.text("grep", json!({"pattern": "x", "mode": "counts", "offset": 1})).await;
    assert_eq!(text, "b/c.py:1\n[files 2-2 of 2]");
}

#[tokio::test]
async fn types_of_files_by_name() {
    let world = World::new();
    world.file("a.rs", "x\n").file("b.py", "x\n").file("Makefile", "x\n");
    assert_eq!(world.text("grep", json!({"pattern": "x", "type": "rust"})).await, "a.rs:1:x");
    assert_eq!(world.text("grep", json!({"pattern": "x", "type": "make"})).await, "Makefile:1:x");
    let text = world.text("grep", json!({"pattern": "x", "type": "rusty"})).await;
    assert!(
        text.starts_with("invalid_parameters/invalid_parameters: unknown file type `rusty`; near ones: "),
        "{text}"
    );
    assert!(text.contains("`rust`"), "{text}");
}

#[tokio::test]
async fn a_search_that_has_enough_stops_and_shows_the_same_every_time() {
    let world = World::new();
    for n in 0..40 {
        world.file(&format!("d{n:02}/f"), "x\n".repeat(100));
    }
    world.file("d39/binary", b"x\0");
    let end = "[showing matches 1-100 of more than 1000; for more: offset=100, or narrow the search]";
    for _ in 0..20 {
        let text = world.text("grep", json!({"pattern": "x"})).await;
        assert_eq!(text.lines().count(), 101);
        assert!(text.starts_with("d00/f:1:x\n") && text.ends_with(&format!("d00/f:100:x\n{end}")), "{text}");
    }
    let text = world.text("grep", json!({"pattern": "x", "offset": 3900})).await;
    assert!(text.starts_with("d39/f:1:x\n"), "{text}");
    assert!(text.ends_with("[matches 3901-4000 of 4000]\n[1 binary files skipped]"), "{text}");
}

#[tokio::test]
async fn long_lines_are_cut_by_characters() {
    let world = World::with(|_, config| FileConfig { line_chars: 40, ..config });
    world.file("f", format!("{}\n{}\n", "я".repeat(40), "я".repeat(41)));
    let text = world.text("read", json!({"path": "f"})).await;
    let whole = "я".repeat(40);
    assert_eq!(text, format!("     1\t{whole}\n     2\t{whole} … [line of 82 bytes]"));
    world.file("f", format!("{}x{}\n", "я".repeat(30), "я".repeat(30)));
    let text = world.text("grep", json!({"pattern": "x"})).await;
    assert_eq!(text, "f:1:… яяxяяяяяяя … [line of 121 bytes]");
    let text = world.text("grep", json!({"pattern": "я$"})).await;
    assert!(text.starts_with("f:1:… яяяяяяяяяя [line of"), "{text}");
}

#[tokio::test]
async fn paths_of_one_kind() {
    let world = World::new();
    world.file("d/f", "").link("l", "d");
    let find = async |kind: &str| world.text("find_path", json!({"pattern": "**", "kind": kind})).await;
    assert_eq!((find("file").await.as_str(), find("directory").await.as_str()), ("d/f", "d/"));
    assert_eq!(find("symlink").await, "l");
}

#[tokio::test]
async fn a_deep_and_wide_tree_is_searched_to_its_ends() {
    let world = World::new();
    let mut path = String::new();
    for level in 0..200 {
        path.push_str("d/");
        world.file(&format!("{path}side/f"), format!("{level}\n"));
        world.file(&format!("{path}other/f"), format!("{level}\n"));
    }
    let text = world.text("grep", json!({"pattern": "[0-9]", "mode": "counts", "limit": 1000})).await;
    assert!(text.ends_with("[400 matches in 400 files]"), "{text}");
}

/// The answer in pages of `limit`, put together, without what is said below the last one.
async fn pages(world: &World, mode: &str, context: usize, limit: usize) -> (Vec<String>, String) {
    let (mut all, mut offset) = (Vec::new(), 0);
    loop {
        let params = json!({"pattern": "hit", "mode": mode, "context": context, "limit": limit, "offset": offset});
        let output = world.call("grep", params).await.unwrap();
        all.extend(output.summary.lines().filter(|line| !line.starts_with('[')).map(str::to_owned));
        match output.window.and_then(|window| window.next) {
            Some(next) => offset = usize::try_from(next).unwrap(),
            None => return (all, output.summary),
        }
    }
}

#[tokio::test]
async fn a_nul_behind_many_matches_loses_none_of_another_file() {
    let world = World::new();
    let many =
        |name: &str, count: usize| (0..count).map(|n| format!("hit {name}{n:060}\n")).collect::<Vec<_>>().concat();
    let far = "quiet line\n".repeat(400_000);
    world
        .file("a", [many("a", 1500).as_bytes(), b"\0 hit\n"].concat())
        .file("b", many("b", 1200))
        .file("c", [many("c", 20).as_bytes(), far.as_bytes(), b"\0 hit\n"].concat())
        .file("d", [b"\0".as_slice(), many("d", 20).as_bytes(), far.as_bytes()].concat());
    let (all, end) = pages(&world, "lines", 0, 250).await;
    let of = |name: &str| all.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!((of("a:"), of("b:"), of("c:"), of("d:")), (1501, 1200, 21, 0));
    assert!(end.ends_with("of 2722]\n[1 binary files skipped]"), "{end}");
    assert!(all.contains(&"a:1501:\u{2400} hit".to_owned()));
    for (mode, expected) in [("files", "a\nb\nc"), ("counts", "a:1501\nb:1200\nc:21")] {
        let text = world.text("grep", json!({"pattern": "hit", "mode": mode})).await;
        assert!(text.starts_with(expected) && text.ends_with("[1 binary files skipped]"), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn pages_of_any_size_make_the_whole_answer_wherever_files_hold_a_nul(
        files in proptest::collection::vec((1..500_usize, 0..60_usize, 1..9_usize, proptest::option::of(any::<prop::sample::Index>())), 1..5),
        limit in 20..700_usize,
    ) {
        let world = World::new();
        for (index, (lines, width, nth, nul)) in files.iter().enumerate() {
            let mut text: Vec<u8> = (0..*lines)
                .flat_map(|n| format!("{} {n:0width$}\n", if n % nth == 0 { "hit" } else { "no" }).into_bytes())
                .collect();
            if let Some(place) = nul {
                text.insert(place.index(text.len()), 0);
            }
            world.file(&format!("f{index}"), text);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (lines, end) = runtime.block_on(pages(&world, "lines", 0, 20_000));
        let skipped = |text: &str| text.lines().find(|line| line.contains("binary")).map(str::to_owned);
        let paged = runtime.block_on(pages(&world, "lines", 0, limit));
        prop_assert_eq!((&paged.0, skipped(&paged.1)), (&lines, skipped(&end)));
        for (mode, limit) in [("files", 1), ("files", 100), ("counts", 1), ("counts", 100)] {
            let (named, end_of_mode) = runtime.block_on(pages(&world, mode, 0, limit));
            let expected: Vec<String> = (0..files.len()).filter_map(|index| {
                let count = lines.iter().filter(|line| line.starts_with(&format!("f{index}:"))).count();
                (count > 0).then(|| if mode == "files" { format!("f{index}") } else { format!("f{index}:{count}") })
            }).collect();
            prop_assert_eq!((named, skipped(&end_of_mode)), (expected, skipped(&end)));
        }
    }
}

#[tokio::test]
async fn half_of_a_line_break_is_no_text() {
    let world = World::new();
    let wide = |text: &str| -> Vec<u8> {
        [0xFEFF].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let text = "a\r\n\r\nb \u{0A0D}\r\n";
    let far = "\r\n".repeat(2_200_000);
    world.file("f", text).file("large", format!("{text}{far}")).file("wide", wide(text)).file("cr", "x\ry\r\n");
    let check = async |pattern: &str, path: &str, expected: &str| {
        let text = world.text("grep", json!({"pattern": pattern, "path": path, "limit": 3, "mode": "lines"})).await;
        let lines: Vec<&str> = text.lines().filter_map(|line| line.split(':').nth(1)).collect();
        assert_eq!(lines.join(" "), expected, "{pattern} in {path}: {text}");
    };
    for path in ["f", "large", "wide"] {
        check(".", path, "1 3").await;
        check("[^a-z]", path, "3").await;
        check("a$", path, "1").await;
        check("a\\s", path, "").await;
        check("a\r$", path, "1").await;
        check("a\\r$", path, "1").await;
        check("\u{0A0D}", path, "3").await;
    }
    check("^$", "f", "2").await;
    check("^$", "wide", "2").await;
    check("x.y$", "cr", "1").await;
    check("x\\ry", "cr", "1").await;
    // Over lines: only what names carriage returns sees them.
    check("a\\n\\nb", "f", "1 2 3").await;
    check("a\\r\\n\\r\\nb", "f", "1 2 3").await;
    check("\u{0A0D}\\n", "wide", "3").await;
}

#[tokio::test]
async fn globs_are_taken_in_every_form_in_which_they_are_sent() {
    let world = World::new();
    world.file("x.py", "foo\n").file("a/y.py", "foo\n");
    let grep = async |glob: &str| world.text("grep", json!({"pattern": "foo", "mode": "files", "glob": glob})).await;
    let absolute = world.path("a/*").display().to_string();
    for glob in ["/a/**", "./a/*", "a/", &absolute] {
        assert_eq!(grep(glob).await, "a/y.py", "{glob}");
    }
    assert_eq!(grep("!*.rs").await, "a/y.py\nx.py");
    assert_eq!(grep("*.py,*.rs").await, "a/y.py\nx.py");
    assert_eq!(grep("/x.py").await, "x.py");
    assert_eq!(grep("*.rs").await, "[no matches: no file fits `glob`]");
    assert!(grep("../x/*").await.contains("name that folder as `path`"));
    let text = world.text("grep", json!({"pattern": "bar", "glob": "*.py"})).await;
    assert_eq!(text, "[no matches]");
    let text = world.text("grep", json!({"pattern": "foo", "type": "rust"})).await;
    assert_eq!(text, "[no matches: no file has this `type`]");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn pages_that_are_full_have_each_match_once_with_all_its_context(
        hits in proptest::collection::vec(prop::bool::weighted(0.2), 1..150),
        context in 0..4_usize,
        bytes in 720..1000_usize,
    ) {
        let mut world = World::new();
        let line = |hit: &bool| if *hit { "hit\n" } else { "no\n" };
        world.file("f", hits.iter().map(line).collect::<String>());
        world.cx = world.cx.clone().answering(AnswerBudget::of_bytes(bytes));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (lines, _) = runtime.block_on(pages(&world, "lines", context, 1000));
        let number = |line: &str| line.split([':', '-']).nth(1).and_then(|number| number.parse::<usize>().ok());
        let shown: std::collections::BTreeSet<usize> = lines.iter().filter_map(|line| number(line)).collect();
        let matched: Vec<usize> =
            lines.iter().filter(|line| line.starts_with("f:")).filter_map(|line| number(line)).collect();
        let wanted: Vec<usize> = (1..=hits.len()).filter(|number| hits[number - 1]).collect();
        let around = |number: &usize| wanted.iter().any(|hit| hit.abs_diff(*number) <= context);
        prop_assert_eq!(&matched, &wanted);
        prop_assert_eq!(shown.into_iter().collect::<Vec<_>>(), (1..=hits.len()).filter(around).collect::<Vec<_>>());
    }
}
