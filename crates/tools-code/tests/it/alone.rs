//! The tool as a library has it that brings no files of its own.

use std::{fs, os::unix::fs::symlink, path::Path, sync::Arc};

use serde_json::json;
use tools_code::{FolderSources, IndexConfig, SearchCode};
use tools_core::{CallContext, Outcome, Shared, Stack, ToolCall};
use tools_secrets::SecretRedactor;
use tools_testkit::Workspace;

fn stack() -> Stack {
    let policy = Shared::new(IndexConfig::default().compile().unwrap());
    let sources = FolderSources::new(Arc::new(SecretRedactor::default()));
    Stack::new(vec![], SearchCode::new(policy, Arc::new(sources)).into_executor())
}

async fn search(stack: &Stack, root: &Path, params: serde_json::Value) -> Outcome {
    stack.dispatch(ToolCall::new("search_code", params).unwrap(), &CallContext::new(root)).await
}

#[tokio::test]
async fn what_is_closed_ignored_or_elsewhere_is_not_found() {
    let (work, outside) = (Workspace::new(), Workspace::new());
    let definition = "fn wanted() {}\n";
    for file in ["src/a.rs", "target/b.rs", ".git/d.rs", "sub/deep/e.rs"] {
        work.file(file, definition);
    }
    work.file("secrets/c.py", "def wanted(): pass\n");
    work.file(".gitignore", "target\n/sub/deep\n");
    outside.file("f.rs", definition);
    symlink(outside.root(), work.path("linked")).unwrap();
    symlink(outside.path("f.rs"), work.path("g.rs")).unwrap();
    work.file("h.rs", b"// \xff\nfn other() {} // password = \"Zx81pQ7mLw2k\"\n");

    let stack = stack();
    let found = search(&stack, work.root(), json!({"query": "wanted", "kind": "definition"})).await.unwrap().summary;
    assert!(found.contains("src/a.rs"), "{found}");
    for name in ["b.rs", "c.py", "d.rs", "e.rs", "f.rs", "g.rs"] {
        assert!(!found.contains(name), "{name}: {found}");
    }
    let found = search(&stack, work.root(), json!({"query": "other", "kind": "text"})).await.unwrap().summary;
    assert!(found.contains("h.rs") && !found.contains("Zx81pQ7mLw2k"), "{found}");
    // A folder below an ignore file, and a part of the workspace.
    let found = search(&stack, work.root(), json!({"query": "wanted", "path": "src"})).await.unwrap().summary;
    assert!(found.contains("src/a.rs"), "{found}");

    let check = async |path: &str, code: &str| {
        let refused = search(&stack, work.root(), json!({"query": "wanted", "path": path})).await.unwrap_err();
        assert_eq!(refused.code(), code, "{path}: {refused}");
    };
    check("..", "sandbox_outside").await;
    check("linked", "sandbox_outside").await;
    check("secrets/c.py", "read_denied").await;
}

#[tokio::test]
async fn a_file_that_changes_is_found_as_it_is() {
    let work = Workspace::new();
    work.file("a.rs", "fn before() {}\n");
    let stack = stack();
    let query = |name: &str| json!({"query": name, "kind": "definition"});
    assert!(search(&stack, work.root(), query("before")).await.unwrap().summary.contains("a.rs"));
    fs::write(work.path("a.rs"), "fn afterwards() {}\n").unwrap();
    assert!(search(&stack, work.root(), query("afterwards")).await.unwrap().summary.contains("a.rs"));
    assert!(!search(&stack, work.root(), query("before")).await.unwrap().summary.contains("a.rs:1"));
}
