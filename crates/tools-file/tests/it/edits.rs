//! 87 edits of source files as models ask for them: what is written is what was sent, and every
//! other byte is as it was.

use std::fs;

use serde_json::{Value, json};

use crate::world::World;

/// One file, by what it is written in.
struct Source {
    name: &'static str,
    text: &'static str,
    /// A line without indentation that stands there once, and what is written in its place.
    line: (&'static str, &'static str),
    /// A piece within a line, which occurs twice.
    twice: &'static str,
    /// Several lines with their indentation.
    block: &'static str,
}

const SOURCES: [Source; 8] = [
    Source {
        name: "lib.rs",
        text: "use std::fmt;\n\npub fn first(value: u32) -> u32 {\n    if value > 1 {\n        value + 1\n    } else {\n        0\n    }\n}\n\npub const NAME: &str = \"n\";\n",
        line: (
            "pub const NAME: &str = \"n\";",
            "pub const NAME: &str = \"package main\\n\\nfunc main() {\\n\\tx()\\n}\";",
        ),
        twice: "value: u32",
        block: "    if value > 1 {\n        value + 1\n    } else {",
    },
    Source {
        name: "tool.py",
        text: "import os\n\nclass Reader:\n    def read(self, path):\n        with open(path) as file:\n            return file.read()\n\nROWS = None\n",
        line: ("ROWS = None", "ROWS = \"\"\"\n\tname\tvalue\n\ta\t1\n\"\"\""),
        twice: "path",
        block: "    def read(self, path):\n        with open(path) as file:",
    },
    Source {
        name: "view.ts",
        text: "import { a } from './a';\n\nexport function view(model: Model): string {\n  if (model.ready) {\n    return model.name;\n  }\n  return '';\n}\n\nexport const css = ``;\n",
        line: ("export const css = ``;", "export const css = `\n\t.a {\n\t\tcolor: red;\n\t}\n`;"),
        twice: "model.",
        block: "  if (model.ready) {\n    return model.name;\n  }",
    },
    Source {
        name: "main.go",
        text: "package main\n\nfunc main() {\n\tif ready() {\n\t\trun()\n\t}\n}\n\nconst y = ``\n",
        line: ("const y = ``", "const y = `\na:\n  - b: 1\n    c: 2\n`"),
        twice: "main",
        block: "\tif ready() {\n\t\trun()\n\t}",
    },
    Source {
        name: "Makefile",
        text: "all: build\n\nbuild:\n\tcargo build\n\tcp target/x out\n\nUSAGE =\n",
        line: ("USAGE =", "define USAGE\n    make build   builds\n    make all     does everything\nendef"),
        twice: "build",
        block: "\tcargo build\n\tcp target/x out",
    },
    Source {
        name: "list.c",
        text: "#include <stdio.h>\n\nstatic int length(const char *text)\n{\n\tint n = 0;\n\n\twhile (text[n])\n\t\tn++;\n\treturn n;\n}\n\n/* todo */\n",
        line: ("/* todo */", "/*\n * Counts bytes:\n *     length(\"ab\") == 2\n */"),
        twice: "text",
        block: "\twhile (text[n])\n\t\tn++;",
    },
    Source {
        name: "README.md",
        text: "# Title\n\n- first\n  - nested  \n    deeper\n- second\n\nBuild: see below.\n",
        line: ("Build: see below.", "Build:\n\n```make\nall:\n\tcargo build\n```"),
        twice: "- ",
        block: "  - nested  \n    deeper",
    },
    Source {
        name: "app.min.js",
        text: "!function(){var a=1,b=2;function c(d){return d+a}window.c=c;window.e=b}();\n//# end\n",
        line: ("//# end", "//# sourceMappingURL=x\n\t//# end"),
        twice: "window",
        block: "!function(){var a=1,b=2;function c(d){return d+a}window.c=c;window.e=b}();",
    },
];

/// What a model asks for, and what the file must hold afterwards.
fn edits(source: &Source) -> Vec<(&'static str, Value, String)> {
    let text = source.text;
    let (line, replacement) = source.line;
    let one = |old: &str, new: &str| (json!({"old_string": old, "new_string": new}), text.replacen(old, new, 1));
    let mut all = Vec::new();
    let mut add = |what, (call, expected): (Value, String)| all.push((what, call, expected));
    add("a line becomes lines of another style", one(line, replacement));
    add("a line becomes tabs", one(line, "x\n\ty\n\t\tz"));
    add("a line becomes blanks", one(line, "x\n  y\n    z\n        deep"));
    add("trailing blanks are meant", one(line, "x  \ny\t\n\n  \nz"));
    add("a block loses its indentation", one(source.block, "x\ny"));
    add("a block gets another style", one(source.block, "\tx {\n        y\n\t  z\n}"));
    add("a text is taken away", one(&format!("{line}\n"), ""));
    add("characters that mean something elsewhere", one(line, "$1 \\1 $& \\n \u{1f600} 漢 `'\""));
    add(
        "every occurrence",
        (
            json!({"old_string": source.twice, "new_string": "N\n\t N", "replace_all": "true"}),
            text.replace(source.twice, "N\n\t N"),
        ),
    );
    let after = text.replacen(line, "one\n\ttwo", 1).replacen("\ttwo", "  three", 1);
    let several = json!([
        {"old_string": line, "new_string": "one\n\ttwo"},
        {"old_string": "one\n\ttwo", "new_string": "one\n  three"},
    ]);
    add("several at once", (json!({"edits": several.to_string(), "old_string": ""}), after));
    all
}

#[tokio::test]
async fn what_is_written_is_what_was_sent() {
    let world = World::new();
    let mut done = 0;
    for source in &SOURCES {
        for (what, mut call, expected) in edits(source) {
            fs::write(world.path(source.name), source.text).unwrap();
            call["path"] = json!(source.name);
            let answer = world.text("edit", call).await;
            assert_eq!(world.content(source.name), expected, "{}: {what}\n{answer}", source.name);
            assert!(answer.starts_with("edited"), "{}: {what}\n{answer}", source.name);
            done += 1;
        }
    }
    // The new text goes in again as it is, also where the file has since been given another style.
    let repaired = [
        ("y.go", "const y = `\n\t- b: 1\n\t\tc: 2\n`\n", "\t- b: 1\n\t\tc: 2", "  - b: 1\n    c: 2"),
        ("a.md", "- a\n  - b\n\n```\n  cargo build\n```\n", "  cargo build", "\tcargo build"),
        (
            "u.go",
            "package u\n\nconst usage = `x`\n\nfunc f() {\n\tg()\n}\n",
            "`x`",
            "`usage:\n    u [file]\n        reads`",
        ),
        ("h.sh", "if x; then\n\ty\nfi\ncat <<EOF\nEOF\n", "cat <<EOF\nEOF", "cat <<EOF\n  a:\n    b\nEOF"),
        ("c.c", "int f(void)\n{\n\treturn 1;\n}\n\nint g;\n", "int g;", "/*\n    a\n        b\n */\nint g;"),
        ("t.py", "def f():\n    return 1\n\nT = ''\n", "T = ''", "T = '''\n\ta\tb\n'''"),
        ("k.json", "{\n\t\"a\": 1\n}\n", "{\n", "{\n    \"b\": 2,\n"),
    ];
    for (name, text, old, new) in repaired {
        fs::write(world.path(name), text).unwrap();
        let answer = world.text("edit", json!({"path": name, "old_string": old, "new_string": new})).await;
        assert_eq!(world.content(name), text.replacen(old, new, 1), "{name}\n{answer}");
        done += 1;
    }
    assert_eq!(done, 87);
}

#[tokio::test]
async fn what_read_shows_of_stray_bytes_edit_finds_and_leaves() {
    let world = World::new();
    let check = async |bytes: &[u8], shown: &str, old: &str, new: &str, expected: &[u8]| {
        world.file("f", bytes);
        let read = world.text("read", json!({"path": "f"})).await;
        assert!(read.contains(shown) && shown.contains(old), "{read}");
        let edited = world.text("edit", json!({"path": "f", "old_string": old, "new_string": new})).await;
        assert_eq!(fs::read(world.path("f")).unwrap(), expected, "{edited}");
    };
    // One line of another encoding in a file of UTF-8, and the other way round.
    let mixed = b"na\xc3\xafve \xc3\xa4\ncaf\xe9 au lait\nend\n";
    check(mixed, "café au lait", "café au", "café, no", b"na\xc3\xafve \xc3\xa4\ncaf\xe9, no lait\nend\n").await;
    check(mixed, "café au lait", "lait", "thé", b"na\xc3\xafve \xc3\xa4\ncaf\xe9 au th\xe9\nend\n").await;
    check(mixed, "naïve ä", "naïve ä", "é", b"\xc3\xa9\ncaf\xe9 au lait\nend\n").await;
    check(b"caf\xe9\nr\xe9s\nna\xc3\xafve\n", "naïve", "naïve", "café", b"caf\xe9\nr\xe9s\ncaf\xc3\xa9\n").await;
    // A damaged character among good ones.
    let damaged = b"\xc3\xa4\xc3\xb6 \xe9 x\n";
    check(damaged, "äö é x", "é x", "é yé", b"\xc3\xa4\xc3\xb6 \xe9 y\xe9\n").await;
    // A NUL far behind the beginning.
    let far = [b"a\n".repeat(5000).as_slice(), b"b\0c\n"].concat();
    world.file("g", &far);
    let read = world.text("read", json!({"path": "g", "offset": 5000})).await;
    assert!(read.contains("b\u{2400}c"), "{read}");
    world.call("edit", json!({"path": "g", "old_string": "b\u{2400}c", "new_string": "b\u{2400}d"})).await.unwrap();
    assert!(fs::read(world.path("g")).unwrap().ends_with(b"\nb\0d\n"));
    // UTF-32 is text for neither.
    world.file("wide", b"\xff\xfe\0\0a\0\0\0");
    assert!(world.text("read", json!({"path": "wide"})).await.contains("binary file: UTF-32 text"));
    let edited = world.text("edit", json!({"path": "wide", "old_string": "a", "new_string": "b"})).await;
    assert!(edited.contains("binary_file"), "{edited}");
}
