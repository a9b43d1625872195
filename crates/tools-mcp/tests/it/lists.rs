//! What the client is told: versions, tools, annotations, changes.

use std::sync::Arc;

use serde_json::json;
use tools_core::{
    Approval, CallContext, ExecuteResult, Inspection, SessionId, Shared, Stack, ToolCall, ToolDef, ToolDefs, ToolError,
    ToolExecutor, ToolKind, ToolName, ToolTraits,
};
use tools_mcp::{Greeting, McpServer, ToolVisibility};

use crate::support::{Client, Person, Raw, builder, call, connect, text};

#[tokio::test]
async fn every_tool_is_listed_in_order_with_its_annotations() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let tools = client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    assert_eq!(names, ["echo", "lines", "remove", "survey", "hang", "stubborn", "count", "where", "fail", "budget"]);
    assert_eq!(
        serde_json::to_value(&tools[0]).unwrap(),
        json!({
            "name": "echo",
            "title": "Echo",
            "description": "Gives back its text.",
            "inputSchema": {
                "type": "object",
                "properties": {"text": {"type": "string", "description": "What to give back."}},
                "required": ["text"],
                "additionalProperties": false,
            },
            "annotations": {
                "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
            },
        })
    );
    assert_eq!(client.list_all_tools().await.unwrap(), tools);
}

#[tokio::test]
async fn known_versions_are_agreed_to_and_others_get_the_newest_with_a_handshake() {
    for (asked, agreed) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let greeting = Greeting { version: "9.9".to_owned(), ..Greeting::default() };
        let mut client = Raw::connect(builder(&Arc::default()).greeting(greeting).build());
        let answer = client.initialize(asked).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed, "{asked}");
        assert_eq!(answer["result"]["serverInfo"], json!({"name": "tools-mcp", "version": "9.9"}));
        // What the tools do is told by whoever knows them.
        let instructions = answer["result"]["instructions"].as_str().unwrap();
        assert!(!instructions.contains("bash") && instructions.contains("[tool_error]"), "{instructions}");
        assert_eq!(answer["result"]["capabilities"], json!({"logging": {}, "tools": {"listChanged": true}}));
    }
}

/// An executor whose list is swapped from outside.
#[derive(Clone)]
struct Changing(Shared<ToolDefs>);

fn definitions(names: &[&str]) -> ToolDefs {
    let definition = |name: &&str| {
        let name = ToolName::parse(name).unwrap();
        Arc::new(ToolDef::new(name, "x", schemars::Schema::default(), ToolKind::Other, ToolTraits::READ_ONLY))
    };
    names.iter().map(definition).collect()
}

impl ToolExecutor for Changing {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(&self.0.load())
    }
    async fn inspect(&self, _: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }
    async fn execute_tool_call(&self, _: &ToolCall, _: &CallContext) -> ExecuteResult {
        Ok(None)
    }
    async fn execute_tool_call_confirmed(&self, _: &ToolCall, _: &Approval, _: &CallContext) -> ExecuteResult {
        Ok(None)
    }
}

#[tokio::test]
async fn a_changed_list_is_told_at_once_where_the_host_says_so_and_after_the_next_call_in_any_case() {
    let executor = Changing(Shared::new(definitions(&["a"])));
    let changed = Arc::new(tokio::sync::Notify::new());
    let stack = Arc::new(Stack::new(vec![], executor.clone()));
    let server = McpServer::builder(stack).definitions_changed(Arc::clone(&changed)).build();
    let (client, _serving) = connect(server, Client::new(Person::None)).await;
    let told = Arc::clone(&client.service().list_changed);
    assert_eq!(client.list_all_tools().await.unwrap().len(), 1);

    executor.0.store(definitions(&["a", "b"]));
    changed.notify_waiters();
    told.notified().await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);

    executor.0.store(definitions(&["a", "b", "c"]));
    call(&client, "a", json!({})).await;
    told.notified().await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 3);
}

/// Shows the tools of some names, in another order.
struct Chosen(Shared<Vec<&'static str>>);

impl ToolVisibility for Chosen {
    fn shown(&self, _: &SessionId, listed: &ToolDefs) -> ToolDefs {
        let named = |name: &&str| listed.iter().find(|tool| tool.name.as_str() == *name).cloned();
        self.0.load().iter().filter_map(named).collect()
    }
}

#[tokio::test]
async fn a_client_sees_what_the_host_shows_it_and_may_call_the_rest() {
    let shown = Shared::new(vec!["fail", "echo"]);
    let server = builder(&Arc::default()).showing(Arc::new(Chosen(shown.clone())));
    let server = server.always_load([ToolName::parse("echo").unwrap()]).build();
    let (client, _serving) = connect(server, Client::new(Person::None)).await;
    let told = Arc::clone(&client.service().list_changed);
    let names = |tools: &[rmcp::model::Tool]| tools.iter().map(|tool| tool.name.to_string()).collect::<Vec<_>>();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(names(&tools), ["fail", "echo"]);
    assert_eq!(serde_json::to_value(&tools[1]).unwrap()["_meta"], json!({"anthropic/alwaysLoad": true}));
    assert_eq!(tools[0].meta, None);
    let hidden = call(&client, "budget", json!({})).await;
    assert_ne!(hidden.is_error, Some(true), "{hidden:?}");

    shown.store(vec!["fail", "echo", "lines"]);
    call(&client, "echo", json!({"text": "x"})).await;
    told.notified().await;
    assert_eq!(names(&client.list_all_tools().await.unwrap()), ["fail", "echo", "lines"]);
}

#[tokio::test]
async fn what_a_model_thought_reaches_no_tool_and_an_alias_reaches_its_tool() {
    let (client, _serving) = connect(builder(&Arc::default()).build(), Client::new(Person::None)).await;
    let said = call(&client, "echo", json!({"_tafc_think": "a marker", "text": "x"})).await;
    assert_eq!(text(&said), "x");
    let only = call(&client, "echo", json!({"_tafc_think": "a marker"})).await;
    assert!(text(&only).contains("no parameters given") && !text(&only).contains("marker"), "{only:?}");
    let named = call(&client, "Echo", json!({"text": "y"})).await;
    assert_eq!(text(&named), "[warning] the tool `Echo` is called `echo` here\ny");
}
