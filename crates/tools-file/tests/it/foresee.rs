//! What a person is shown before a call changes files: without a change having been made.

use insta::assert_snapshot;
use serde_json::{Value, json};
use tools_core::{Change, ConfirmPrompt, PromptPart, Question, Verdict, Width};

use crate::world::World;

async fn change(world: &World, tool: &str, params: Value) -> Option<Change> {
    world.inspect(tool, params).await.expect("it can be inspected").change?.look().await
}

/// The rows of the question, with the folder of the test taken out.
async fn shown(world: &World, tool: &str, params: Value) -> String {
    let before = world.snapshot();
    let inspection = world.inspect(tool, params).await.expect("it can be inspected");
    let part = |subject| PromptPart { subject, verdict: Verdict::Ask, rule: "default".to_owned() };
    let parts = inspection.subjects.iter().cloned().map(part).collect();
    let prompt = ConfirmPrompt::new(tools_core::ToolName::parse(tool).unwrap(), "default", parts);
    let prompt = prompt.with_predicted_changes(&inspection).await;
    assert_eq!(world.snapshot(), before, "looking changes nothing");
    let rows = Question::of(&prompt).expect("it fits").rows(Width::columns(200)).join("\n");
    rows.replace(&world.path("").to_string_lossy().into_owned(), "/w/")
}

#[tokio::test]
async fn an_edit_shows_the_lines_that_change() {
    let world = World::new();
    world.file("f.py", "a = 1\nb = 2\nc = 3\n");
    let params = json!({"path": "f.py", "old_string": "b = 2", "new_string": "import os; os.system(\"x\")"});
    assert_snapshot!(shown(&world, "edit", params).await, @r#"
    edit ASK (+1 -1 lines): write /w/f.py
          │ -b = 2
          │ +import os; os.system("x")
    Why it asks: default
    "#);
    let unknown = json!({"path": "f.py", "old_string": "«secret:x#1»", "new_string": "y"});
    assert_snapshot!(shown(&world, "edit", unknown).await, @r"
    edit ASK (+1 -1 lines): write /w/f.py
          │ -«secret:x#1»
          │ +y
    Why it asks: default
    ");
}

#[tokio::test]
async fn a_write_shows_the_beginning_or_the_difference() {
    let world = World::new();
    world.file("old.txt", "one\ntwo\n").file("binary", b"\0\x01\x02");
    assert_snapshot!(shown(&world, "write", json!({"path": "new.txt", "content": "x\ny\n"})).await, @r"
    write ASK (4 bytes, new file): write /w/new.txt
          │ x
          │ y
    Why it asks: default
    ");
    assert_snapshot!(shown(&world, "write", json!({"path": "old.txt", "content": "one\nTWO\n"})).await, @r"
    write ASK (+1 -1 lines): write /w/old.txt
          │ -two
          │ +TWO
    Why it asks: default
    ");
    assert_snapshot!(shown(&world, "write", json!({"path": "binary", "content": "text"})).await, @r"
    write ASK (4 bytes, replaces what is there): write /w/binary
          │ text
    Why it asks: default
    ");
    let long = "line\n".repeat(5_000);
    let rows = shown(&world, "write", json!({"path": "long", "content": long})).await;
    assert!(rows.lines().count() < 60 && rows.contains("more bytes that are not shown"), "{rows}");
}

#[tokio::test]
async fn a_deletion_shows_how_much_goes() {
    let world = World::new();
    world.file("src/a.rs", "a").file("src/b/c.rs", "c").file("one", "1").link("src/l", "../one");
    assert_snapshot!(shown(&world, "delete_path", json!({"path": "src", "recursive": true})).await, @r"
    delete_path ASK (recursive, 5 entries): delete /w/src
          │ /w/src/a.rs
          │ /w/src/b/c.rs
          │ /w/src/l
      and 2 more entries that are not shown
    Why it asks: default
    ");
    assert_snapshot!(shown(&world, "delete_path", json!({"path": "one"})).await, @r"
    delete_path ASK (1 entry): delete /w/one
    Why it asks: default
    ");
}

#[tokio::test]
async fn a_copy_that_replaces_a_file_shows_the_difference() {
    let world = World::new();
    world.file("a", "new\n").file("b", "old\n").file("d/x", "x");
    for tool in ["copy_path", "move_path"] {
        let over = json!({"source": "a", "destination": "b", "overwrite": true});
        let Some(Change::Diff(diff)) = change(&world, tool, over).await else { panic!("it is a diff") };
        assert_eq!((diff.path, diff.unified.as_str()), (world.path("b"), "@@ -1 +1 @@\n-old\n+new\n"));
        assert_eq!((diff.before, diff.after), (None, None));
        assert_eq!(change(&world, tool, json!({"source": "a", "destination": "c"})).await, None);
        assert_eq!(change(&world, tool, json!({"source": "d", "destination": "e"})).await, None);
    }
}
