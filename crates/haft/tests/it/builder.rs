//! What the builder takes from a host: executors and layers of its own, at known places, under
//! names of their own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use haft::config::{HaftConfig, LoadError, LoadedConfig};
use haft::core::{DynExecutor, Invocation, Layer, Next, Outcome, ToolTraits};
use haft::{Place, Toolbox, ToolboxBuilder};
use serde_json::json;
use tools_testkit::{Behaviour, ScriptedExecutor, Workspace};

use crate::{ALL_COMMANDS, outcome, toolbox};

fn builder(workspace: &Workspace, text: &str) -> ToolboxBuilder {
    let mut loaded = LoadedConfig::parse(text, &|_| None).expect("the configuration is valid");
    crate::keep_beside(&mut loaded.config, workspace);
    Toolbox::builder(loaded, workspace.dir("work"))
}

/// Notes each call that reaches it, and what came back.
struct Notes(&'static str, Arc<Mutex<Vec<String>>>);

#[async_trait::async_trait]
impl Layer for Notes {
    fn name(&self) -> &'static str {
        self.0
    }

    async fn call(&self, inv: &Invocation, next: Next<'_>) -> Outcome {
        let outcome = next.run(inv).await;
        let said = outcome.as_ref().map_or_else(|error| error.code().to_owned(), |output| output.summary.clone());
        self.1.lock().unwrap().push(format!("{}: {said}", self.0));
        outcome
    }
}

#[tokio::test]
async fn layers_of_a_host_stand_where_they_were_put() {
    let workspace = Workspace::new();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    workspace.file("work/a", &token);
    let notes = Arc::new(Mutex::new(vec![]));
    let toolbox = builder(&workspace, "[[tools.permissions.read]]\npattern = \"b\"\naction = \"deny\"\n[[tools.permissions.read]]\npattern = \"*\"\naction = \"allow\"\n")
        .layer(Place::AroundExecution, Notes("inner", Arc::clone(&notes)))
        .layer(Place::BeforeGates, Notes("outer", Arc::clone(&notes)))
        .layer(Place::AfterGates, Notes("middle", Arc::clone(&notes)))
        .layer(Place::AfterGates, Notes("second", Arc::clone(&notes)))
        .build()
        .expect("it can be built");
    let names = toolbox.stack().layer_names();
    let between = |name: &str, outside: &str, inside: &str| {
        let at = |name: &str| names.iter().position(|one| *one == name).unwrap_or_else(|| panic!("{name}: {names:?}"));
        assert!(at(outside) < at(name) && at(name) < at(inside), "{name}: {names:?}");
    };
    between("outer", "audit", "quota");
    between("middle", "permissions", "second");
    between("second", "middle", "cache");
    between("inner", "anomaly", "retry");

    outcome(&toolbox, "read", json!({"path": "b"})).await.expect_err("it is denied");
    let met = std::mem::take(&mut *notes.lock().unwrap());
    assert_eq!(met, ["outer: permission_denied"], "only what stands outside the gates sees what they refuse");

    outcome(&toolbox, "read", json!({"path": "a"})).await.expect("it is allowed");
    let met = std::mem::take(&mut *notes.lock().unwrap());
    let order: Vec<&str> = met.iter().filter_map(|note| note.split(':').next()).collect();
    assert_eq!(order, ["inner", "second", "middle", "outer"]);
    assert!(met[1..].iter().all(|note| !note.contains(&token)), "{met:?}");
}

#[test]
fn a_layer_has_a_name_of_its_own() {
    let workspace = Workspace::new();
    for place in [Place::BeforeGates, Place::AfterGates, Place::AroundExecution] {
        let built = builder(&workspace, "").layer(place, Notes("audit", Arc::default())).build();
        assert!(matches!(built, Err(LoadError::LayerTwice { name: "audit" })), "{built:?}");
    }
}

#[test]
fn a_tool_has_a_name_of_its_own() {
    let workspace = Workspace::new();
    let named =
        |name: &str| DynExecutor::new(ScriptedExecutor::new().tool(name, ToolTraits::CAUTIOUS, Behaviour::reply("x")));
    let built = builder(&workspace, "").executor(named("read")).build();
    assert!(matches!(&built, Err(LoadError::ToolTwice { tool }) if tool.as_str() == "read"), "{built:?}");
    let built = builder(&workspace, "").executor(named("mine")).executor(named("mine")).build();
    assert!(matches!(&built, Err(LoadError::ToolTwice { tool }) if tool.as_str() == "mine"), "{built:?}");
    // Without the built-in tools their names are free.
    builder(&workspace, "[tools]\nenabled = false\n").executor(named("read")).build().expect("nobody else has it");
}

#[test]
fn a_relative_working_directory_is_made_absolute() {
    let workspace = Workspace::new();
    let loaded = |text: &str| -> LoadedConfig {
        let mut loaded = LoadedConfig::parse(text, &|_| None).expect("the configuration is valid");
        let config: &mut HaftConfig = &mut loaded.config;
        crate::keep_beside(config, &workspace);
        loaded
    };
    let toolbox = Toolbox::builder(loaded(""), "src").build().expect("it can be built");
    let expected: PathBuf = std::env::current_dir().unwrap().join("src");
    assert_eq!(toolbox.workdir(), expected.as_path());
    assert_eq!(toolbox.roots(), [Path::canonicalize(&expected).unwrap()]);
}

#[tokio::test]
async fn the_schemas_of_tools_are_made_for_those_who_look() {
    let workspace = Workspace::new();
    let toolbox = toolbox(&workspace, ALL_COMMANDS);
    outcome(&toolbox, "bash", json!({"command": "true"})).await.unwrap();
    let definitions = toolbox.stack().definitions();
    assert!(definitions.len() > 5);
    let made = definitions.iter().filter(|tool| tool.input.is_made()).map(|tool| tool.name.as_str());
    assert_eq!(made.collect::<Vec<_>>(), [""; 0], "a call needs no schema");
    let bash = definitions.iter().find(|tool| tool.name.as_str() == "bash").unwrap();
    assert!(bash.description.contains("command") && bash.input.is_made());
}
