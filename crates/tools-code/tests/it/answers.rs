//! What a model reads, and calls that cannot be answered.

use serde_json::json;
use tools_code::IndexConfig;
use tools_core::{AnswerBudget, ToolCall, ToolErrorCategory};
use tools_testkit::{Workspace, contract};

use crate::folder::{Folder, answer, call};

const AUTH: &str = "//! Who may call.\n\n/// Checks the token of each request.\n///\n/// Requests without one are refused.\npub fn auth_layer(limit: usize) -> Layer {\n    Layer::new(limit)\n}\n\n/// How a layer is set.\npub struct Layer {\n    /// Most requests.\n    pub limit: usize,\n}\n\nimpl Layer {\n    pub fn new(limit: usize) -> Self {\n        Self { limit }\n    }\n}\n";
const MAIN: &str = "mod auth;\n\nfn main() {\n    // auth_layer is explained elsewhere\n    let layer = auth::auth_layer(3);\n    serve(layer, \"auth_layer\");\n}\n";

fn folder() -> (tempfile::TempDir, Folder) {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path());
    folder.write("src/auth.rs", AUTH);
    folder.write("src/main.rs", MAIN);
    folder.write("tool.py", "class Layer:\n    \"\"\"A layer in Python.\"\"\"\n    def stop(self):\n        pass\n");
    (root, folder)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_kind_answers_in_its_form() {
    let (_root, folder) = folder();
    let stack = folder.stack(&IndexConfig::default());
    let ask = async |kind, query| answer(&stack, &folder.root, kind, query).await;
    assert_eq!(
        ask("definition", "auth_layer").await,
        "[structural] src/auth.rs:6 pub fn auth_layer(limit: usize) -> Layer\n    /// Checks the token of each request.\n    /// Requests without one are refused."
    );
    assert_eq!(ask("reference", "auth_layer").await, "[structural] src/main.rs:5 let layer = auth::auth_layer(3);");
    assert_eq!(
        ask("definition", "Layer").await,
        "[structural] src/auth.rs:11 pub struct Layer\n    /// How a layer is set.\n        pub limit: usize,\n    }\n[structural] tool.py:1 class Layer\n    \"\"\"A layer in Python.\"\"\""
    );
    let semantic = ask("semantic", "check the token of a request").await;
    assert!(semantic.starts_with("[semantic] src/auth.rs:3-8 (score: "), "{semantic}");
    assert!(semantic.contains(") pub fn auth_layer(limit: usize) -> Layer\n    /// Checks the token"), "{semantic}");
    assert_eq!(
        ask("text", "auth_layer is explained").await,
        "[text] src/main.rs:4 // auth_layer is explained elsewhere"
    );
    let auto = ask("auto", "Layer::new").await;
    assert!(auto.starts_with("[structural] src/auth.rs:17 pub fn new(limit: usize) -> Self\n"), "{auto}");
    let outline = call(&stack, &folder.root, json!({"kind": "outline", "path": "src/auth.rs"})).await.unwrap();
    assert_eq!(
        outline.summary,
        "src/auth.rs\n  6 pub fn auth_layer(limit: usize) -> Layer\n  11 pub struct Layer\n  16 impl Layer\n    17 pub fn new(limit: usize) -> Self"
    );
    let outline = call(&stack, &folder.root, json!({"kind": "outline", "lang": "python"})).await.unwrap();
    assert_eq!(outline.summary, "tool.py\n  1 class Layer\n    3 def stop(self)");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_nearly_right_is_found() {
    let (_root, folder) = folder();
    let stack = folder.stack(&IndexConfig::default());
    for query in
        ["AUTH_LAYER", "authLayer", "fn auth_layer", "auth::auth_layer", "auth_layer()", "where is auth_layer defined?"]
    {
        let found = answer(&stack, &folder.root, "auto", query).await;
        assert!(found.starts_with("[structural] src/auth.rs:6 "), "{query}: {found}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_file_is_neither_found_nor_shown_also_when_it_was_indexed() {
    let (_root, folder) = folder();
    let stack = folder.stack(&IndexConfig::default());
    assert!(answer(&stack, &folder.root, "auto", "auth_layer").await.contains("src/auth.rs"));
    folder.closed.lock().unwrap().insert(folder.root.join("src/auth.rs"));
    for kind in ["auto", "definition", "reference", "semantic", "text", "outline"] {
        let found = answer(&stack, &folder.root, kind, "auth_layer").await;
        assert!(!found.contains("src/auth.rs") && !found.contains("limit: usize"), "{kind}: {found}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_not_shown() {
    let (_root, folder) = folder();
    folder.write("src/key.rs", "/// The key is hunter2.\npub const KEY: &str = \"hunter2\";\n");
    let stack = folder.stack(&IndexConfig::default());
    for (kind, query) in
        [("auto", "KEY"), ("semantic", "key"), ("text", "pub const KEY"), ("outline", "KEY"), ("definition", "KEY")]
    {
        let output = call(&stack, &folder.root, json!({"kind": kind, "query": query})).await.unwrap();
        assert!(output.summary.contains("src/key.rs"), "{kind}: {}", output.summary);
        assert!(!format!("{output:?}").contains("hunter2"), "{kind}: {output:?}");
    }
}

/// What is too long to be searched is told, in the scope that was asked about.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_too_long_are_named() {
    let (_root, folder) = folder();
    folder.write("gen/big.py", format!("def bigone():\n    pass\n{}", "# filler\n".repeat(150_000)));
    let stack = folder.stack(&IndexConfig::default());
    let told = "`gen/big.py` is longer than 1048576 bytes and not searched; `grep` searches them";
    for kind in ["definition", "text", "reference", "semantic"] {
        assert!(answer(&stack, &folder.root, kind, "bigone").await.contains(told), "{kind}");
    }
    let params = json!({"kind": "definition", "query": "bigone", "path": "src"});
    assert!(!call(&stack, &folder.root, params).await.unwrap().summary.contains("longer than"));
    folder.write("gen/big.py", "def bigone():\n    pass\n");
    let found = answer(&stack, &folder.root, "definition", "bigone").await;
    assert!(found.contains("gen/big.py:1") && !found.contains("longer than"), "{found}");
}

/// A query that finds a part of a credential would tell which parts are right.
#[tokio::test(flavor = "multi_thread")]
async fn credentials_are_not_found() {
    let (_root, folder) = folder();
    folder.write("src/key.rs", "pub const KEY: &str = \"hunter2\";\n");
    folder.write("notes.md", "the key is hunter2 for now\n");
    let stack = folder.stack(&IndexConfig::default());
    for kind in ["auto", "definition", "reference", "semantic", "text", "outline"] {
        for query in ["hunter2", "hunter", "unter2"] {
            let right = answer(&stack, &folder.root, kind, query).await;
            let wrong = answer(&stack, &folder.root, kind, "gatherer9").await;
            assert_eq!(right.replace(query, "gatherer9"), wrong, "{kind} {query}");
        }
    }
    for query in ["key is", "for now"] {
        assert!(answer(&stack, &folder.root, "text", query).await.contains("notes.md"), "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_fits_and_every_hit_comes_once() {
    let root = tempfile::tempdir().unwrap();
    let mut folder = Folder::new(root.path());
    for number in 0..120 {
        folder.write(&format!("m{number:03}.rs"), format!("/// Number {number}.\npub fn same() {{}}\n"));
    }
    folder.answer = AnswerBudget::of_bytes(1500);
    let stack = folder.stack(&IndexConfig::default());
    let (mut offset, mut seen) = (0, Vec::new());
    loop {
        let params = json!({"kind": "definition", "query": "same", "offset": offset, "limit": 50});
        let output = call(&stack, &folder.root, params).await.unwrap();
        assert!(folder.answer.holds(&output.summary), "{}", output.summary.len());
        seen.extend(output.raw_response.unwrap()["hits"].as_array().unwrap().iter().map(|hit| hit["path"].to_string()));
        match output.window.unwrap().next {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(seen.len(), 120);
    assert!(seen.is_sorted());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_searched_is_said() {
    let (_root, folder) = folder();
    let stack = folder.stack(&IndexConfig::default());
    let check = async |params: serde_json::Value, code: &str| {
        let error = call(&stack, &folder.root, params.clone()).await.unwrap_err();
        assert_eq!(
            (error.category(), error.code()),
            (ToolErrorCategory::InvalidParameters, code),
            "{params} {error:?}"
        );
        assert!(!error.suggestion().is_empty(), "{params}");
    };
    check(json!({}), "no_query").await;
    check(json!({"query": "!!! ???"}), "no_words").await;
    check(json!({"query": "x".repeat(10_000)}), "query_too_long").await;
    check(json!({"query": "a", "lang": "cobol"}), "unknown_language").await;
    let nothing = answer(&stack, &folder.root, "auto", "zyxwvut").await;
    assert!(nothing.starts_with("[nothing found; try other words, or `grep`"), "{nothing}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_not_what_they_seem_do_no_harm() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path());
    folder.write("good.rs", "pub fn wanted() {}\n");
    folder.write("binary.rs", b"fn wanted\0\x01\x02");
    folder.write("latin.rs", b"// gr\xfc\xdfe\npub fn wanted_too() {}\n");
    folder.write("huge.rs", "fn wanted() {}\n".repeat(200_000));
    folder.write("deep.rs", format!("fn wanted_deep() {{ {} }}", "{".repeat(100_000)));
    folder.write("one_line.js", format!("var wanted_js={{{}}}", "a:1,".repeat(200_000)));
    folder.write("long.rs", format!("fn {}() {{}}\n", "x".repeat(100_000)));
    folder.write("empty.rs", "");
    let stack = folder.stack(&IndexConfig::default());
    assert!(
        answer(&stack, &folder.root, "definition", "wanted")
            .await
            .starts_with("[structural] good.rs:1 pub fn wanted()")
    );
    assert!(answer(&stack, &folder.root, "definition", "wanted_too").await.starts_with("[structural] latin.rs:2 "));
    for kind in ["auto", "reference", "semantic", "text", "outline"] {
        let found = answer(&stack, &folder.root, kind, "wanted").await;
        assert!(!found.contains("binary.rs") && !found.contains("huge.rs:"), "{kind}: {found}");
        assert!(found.lines().all(|line| line.len() < 600), "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_that_is_too_small_is_said() {
    let root = tempfile::tempdir().unwrap();
    let folder = Folder::new(root.path());
    for number in 0..200 {
        folder.write(&format!("m{number}.rs"), format!("fn name_{number}() {{ other_{number}() }}\n"));
    }
    let stack = folder.stack(&IndexConfig { memory_bytes: 20_000, ..IndexConfig::default() });
    let found = answer(&stack, &folder.root, "auto", "name_1 name_199").await;
    assert!(found.contains("files did not fit into the index"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_executor_keeps_the_contract() {
    let (_root, folder) = folder();
    let config = IndexConfig::default();
    let tool = tools_code::SearchCode::new(
        tools_core::Shared::new(config.compile().unwrap()),
        std::sync::Arc::new(folder.clone()),
    );
    let samples = [ToolCall::new("search_code", json!({"query": "auth_layer"})).unwrap()];
    contract::check(tool.into_executor(), &Workspace::new(), &samples).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_takes_too_long_to_be_parsed_is_counted() {
    let (_root, folder) = folder();
    let config = IndexConfig { max_file_bytes: 64 << 20, ..IndexConfig::default() };
    let stack = folder.stack(&config);
    folder
        .write("src/slow.rs", format!("{}fn needle() {{}}\n", "fn f(a: [u8; 3]) -> u8 { a[0] + 1 }\n".repeat(120_000)));
    let note = "[1 files take too long to be parsed: what they define is not all known; `grep` finds it]";
    let found = answer(&stack, &folder.root, "definition", "needle").await;
    assert!(found.contains(note), "{found}");
    // Only where it is among what is asked about, and no longer than it is so.
    let elsewhere = call(&stack, &folder.root, json!({"query": "auth_layer", "path": "src/auth.rs"})).await.unwrap();
    assert!(!elsewhere.summary.contains("too long"), "{}", elsewhere.summary);
    folder.write("src/slow.rs", "fn needle() {}\n");
    let found = answer(&stack, &folder.root, "definition", "needle").await;
    assert!(found.contains("src/slow.rs:1") && !found.contains("too long"), "{found}");
}
