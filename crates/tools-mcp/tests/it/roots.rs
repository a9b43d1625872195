//! Roots of a client: they narrow the workspace, set where paths start, and never widen anything.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tools_core::{SessionId, Stack};
use tools_mcp::Workspace;

use crate::support::{Client, Person, builder, call, connect, meta, text};

#[derive(Default)]
struct Told(Mutex<Vec<Vec<PathBuf>>>);

impl Workspace for Told {
    fn narrow(&self, _: &SessionId, roots: &[PathBuf]) -> Option<Arc<Stack>> {
        self.0.lock().unwrap().push(roots.to_vec());
        None
    }
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

/// Where a call runs when the workspace is `configured` and the client offers `offered`; and what
/// the host was told.
async fn run(configured: &Path, offered: Option<Vec<String>>) -> (rmcp::model::CallToolResult, Vec<Vec<PathBuf>>) {
    let told = Arc::new(Told::default());
    let server = builder(&Arc::default())
        .roots(vec![configured.to_owned()])
        .workspace(Arc::clone(&told) as Arc<dyn Workspace>)
        .build();
    let mut client = Client::new(Person::None);
    client.roots = offered;
    let (client, _serving) = connect(server, client).await;
    let result = call(&client, "where", json!({})).await;
    let told = told.0.lock().unwrap().clone();
    (result, told)
}

#[tokio::test]
async fn a_root_inside_the_workspace_narrows_it() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().canonicalize().unwrap();
    let app = workspace.join("app");
    std::fs::create_dir(&app).unwrap();
    let (result, told) = run(&workspace, Some(vec![uri(&app)])).await;
    assert_eq!((text(&result), told), (app.display().to_string(), vec![vec![app]]));
}

#[tokio::test]
async fn a_root_above_the_workspace_gains_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().canonicalize().unwrap();
    for above in ["file:///", "file:///tmp/.."] {
        let (result, told) = run(&workspace, Some(vec![above.to_owned()])).await;
        assert_eq!((text(&result), told), (workspace.display().to_string(), vec![vec![workspace.clone()]]));
    }
}

#[tokio::test]
async fn roots_elsewhere_leave_nothing() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let workspace = dir.path().canonicalize().unwrap();
    // A link inside the workspace that leads out of it is elsewhere too.
    std::os::unix::fs::symlink(other.path(), workspace.join("link")).unwrap();
    let offers = [
        uri(other.path()),
        uri(&workspace.join("link")),
        uri(&workspace.join("missing")),
        "https://example.com/".to_owned(),
    ];
    for offer in &offers {
        let (result, told) = run(&workspace, Some(vec![offer.clone()])).await;
        assert_eq!(meta(&result, "haft/code"), "no_usable_root", "{offer}");
        assert_eq!(told, [Vec::<PathBuf>::new()], "{offer}");
    }
}

#[tokio::test]
async fn without_roots_the_configured_workspace_stands() {
    let dir = tempfile::tempdir().unwrap();
    for offered in [None, Some(vec![])] {
        let (result, told) = run(dir.path(), offered).await;
        assert_eq!((text(&result).as_str(), told), ("/w", vec![]));
    }
}

#[tokio::test]
async fn changed_roots_are_asked_for_again() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().canonicalize().unwrap();
    let told = Arc::new(Told::default());
    let server = builder(&Arc::default())
        .roots(vec![workspace.clone()])
        .workspace(Arc::clone(&told) as Arc<dyn Workspace>)
        .build();
    let mut client = Client::new(Person::None);
    client.roots = Some(vec![uri(&workspace)]);
    let (client, _serving) = connect(server, client).await;
    call(&client, "where", json!({})).await;
    client.notify_roots_list_changed().await.unwrap();
    while told.0.lock().unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(text(&call(&client, "where", json!({})).await), workspace.display().to_string());
}

#[tokio::test]
async fn a_flood_of_changes_is_asked_about_once_more() {
    let dir = tempfile::tempdir().unwrap();
    let workspace = dir.path().canonicalize().unwrap();
    let server = builder(&Arc::default()).roots(vec![workspace.clone()]).build();
    let mut client = Client::new(Person::None);
    client.roots = Some(vec![uri(&workspace)]);
    let asked = Arc::clone(&client.roots_asked);
    let (client, _serving) = connect(server, client).await;
    call(&client, "where", json!({})).await;
    let held = asked.lock().await;
    for _ in 0..200 {
        client.notify_roots_list_changed().await.unwrap();
    }
    // They were taken in before this was answered.
    client.list_all_tools().await.unwrap();
    drop(held);
    assert_eq!(text(&call(&client, "where", json!({})).await), workspace.display().to_string());
    let asked = *asked.lock().await;
    assert!((2..10).contains(&asked), "{asked}");
}
