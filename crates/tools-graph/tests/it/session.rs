//! What sessions are shown, what they find, and what they have to do first.

use std::sync::Arc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;
use tools_core::{CallContext, DynExecutor, SessionId, Stack, ToolCall, ToolDef, ToolErrorCategory, ToolTraits};
use tools_graph::{DependencyLayer, ListSettings, SessionLists, ToolDependencyGraph, ToolFilterConfig, ToolSearch};
use tools_testkit::{Behaviour, ScriptedExecutor};

use crate::support::{Letters, config, name, names, rules, tool};

fn weather() -> Vec<Arc<ToolDef>> {
    [
        ("tool_search", "Finds tools by what they do"),
        ("get_weather", "Tells the weather forecast of a city"),
        ("send_mail", "Sends an electronic mail to a person"),
        ("list_files", "Lists the files of a folder"),
        ("read_file", "Reads the text of a file"),
    ]
    .map(|(name, text)| tool(name, text))
    .to_vec()
}

fn listed(tools: &[Arc<ToolDef>]) -> String {
    tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_short_list_is_all_there_is_and_a_long_one_grows_by_what_is_asked_for() {
    let all = weather();
    let session = SessionId::generate();
    let short = SessionLists::new(ListSettings { search_above: 4, ..ListSettings::default() });
    assert_eq!(listed(&short.shown(&session, &all)), "get_weather send_mail list_files read_file");

    let core = vec![name("read_file"), name("gone")];
    let long = SessionLists::new(ListSettings { search_above: 3, core, ..ListSettings::default() });
    assert!(long.is_long(&all) && !short.is_long(&all));
    assert_eq!(listed(&long.shown(&session, &all)), "read_file tool_search");
    assert_eq!(long.search(&session, "send a mail", 1).len(), 1);
    assert_eq!(long.search(&session, "list_files, get_weather,tool_search", 5).len(), 2);
    assert_eq!(listed(&long.shown(&session, &all)), "read_file tool_search send_mail get_weather list_files");
    assert_eq!(long.search(&session, "quantum", 5).len(), 0);
    assert_eq!(listed(&long.shown(&SessionId::generate(), &all)), "read_file tool_search", "another session");
    long.forget(&session);
    assert_eq!(listed(&long.shown(&session, &all)), "read_file tool_search");
}

#[test]
fn a_profile_says_which_tools_there_are_and_in_which_order() {
    let all = weather();
    let tools = Some(vec![name("send_mail"), name("get_weather"), name("absent")]);
    let lists = SessionLists::new(ListSettings { tools, search_above: 2, ..ListSettings::default() });
    assert_eq!(listed(&lists.shown(&SessionId::generate(), &all)), "send_mail get_weather");
}

#[test]
fn the_status_of_the_filter_counts_the_vectors_that_there_are() {
    let (all, session) = (weather(), SessionId::generate());
    let lists = |filter, embedder| SessionLists::new(ListSettings { filter, embedder, ..ListSettings::default() });
    let policy = || Some(config(2).compile().expect("it is valid"));
    assert_eq!(lists(None, None).filter_status(), None);
    let words = lists(policy(), None);
    words.turn(&session, &all, "weather", &[]);
    assert_eq!(words.filter_status().as_deref(), Some("Filter: top_k=2, always_on=0, embeddings=0"));
    let meaning = lists(policy(), Some(Arc::new(Letters)));
    meaning.turn(&session, &all, "weather", &[]);
    // The vectors are made on a thread of their own.
    let until = Instant::now() + Duration::from_secs(20);
    let all_known = "Filter: top_k=2, always_on=0, embeddings=5";
    while meaning.filter_status().as_deref() != Some(all_known) {
        assert!(Instant::now() < until, "{:?}", meaning.filter_status());
        std::thread::yield_now();
    }
}

fn graph(needs: &[(&str, &[&str])], all: &[Arc<ToolDef>]) -> ToolDependencyGraph {
    let known = all.iter().map(|tool| tool.name.clone()).collect();
    ToolDependencyGraph::new(&rules(needs, &[]), &known, &names(&[])).0
}

#[test]
fn a_tool_comes_when_what_it_needs_has_succeeded() {
    let all = weather();
    let graph = graph(&[("send_mail", &["read_file", "list_files"])], &all);
    let lists = SessionLists::new(ListSettings { graph, ..ListSettings::default() });
    let session = SessionId::generate();
    assert_eq!(listed(&lists.shown(&session, &all)), "get_weather list_files read_file");
    assert_eq!(lists.missing(&session, &name("send_mail")), [name("list_files"), name("read_file")]);
    lists.complete(&session, &name("read_file"));
    lists.complete(&session, &name("list_files"));
    assert_eq!(lists.missing(&session, &name("send_mail")), []);
    assert_eq!(listed(&lists.shown(&session, &all)), "get_weather list_files read_file send_mail", "behind the others");
    assert_eq!(listed(&lists.shown(&SessionId::generate(), &all)), "get_weather list_files read_file");
}

#[test]
fn when_every_tool_waits_none_does() {
    let all = [tool("a", "one two three"), tool("b", "one two three")];
    let graph = graph(&[("a", &["b"]), ("b", &["a"])], &all);
    let lists = SessionLists::new(ListSettings { graph, ..ListSettings::default() });
    let session = SessionId::generate();
    assert_eq!(listed(&lists.shown(&session, &all)), "a b");
    assert_eq!(lists.missing(&session, &name("a")), []);
}

#[test]
fn a_turn_adds_what_it_speaks_of_only_where_words_may_decide() {
    let all = weather();
    let session = SessionId::generate();
    let turn = |lexical: bool, texts: &[&str]| {
        let filter = ToolFilterConfig {
            enabled: true,
            top_k: 1,
            always_on: vec!["read_file".to_owned()],
            lexical,
            ..ToolFilterConfig::default()
        };
        let hosts: Vec<_> =
            all.iter().map(|tool| Arc::new(ToolDef::clone(tool).from_origin(tools_core::ToolOrigin::Host))).collect();
        let lists = SessionLists::new(ListSettings { filter: filter.compile().ok(), ..ListSettings::default() });
        let mut shown = String::new();
        for text in texts {
            shown = listed(&lists.turn(&session, &hosts, text, &[]));
        }
        shown
    };
    assert_eq!(turn(true, &["the weather forecast", "please mail it"]), "read_file get_weather send_mail");
    assert_eq!(turn(true, &["call list_files"]), "read_file get_weather list_files".replace("get_weather ", ""));
    assert_eq!(turn(false, &["weather"]).split(' ').count(), 4, "nobody said that words may decide");
}

fn stack() -> (Stack, Arc<SessionLists>) {
    let scripted = ScriptedExecutor::new().tool("build", ToolTraits::READ_ONLY, Behaviour::reply("built")).tool(
        "deploy",
        ToolTraits::READ_ONLY,
        Behaviour::reply("deployed"),
    );
    let executor = DynExecutor::new(scripted);
    let all = tools_core::ToolExecutor::tool_definitions(&executor);
    let graph = graph(&[("deploy", &["build"])], &all);
    let lists = Arc::new(SessionLists::new(ListSettings { graph, ..ListSettings::default() }));
    lists.publish(&all);
    (Stack::new(vec![Arc::new(DependencyLayer::new(Arc::clone(&lists)))], executor), lists)
}

#[tokio::test]
async fn a_call_of_a_tool_that_waits_is_refused_with_what_it_waits_for() {
    let (stack, lists) = stack();
    let cx = CallContext::new("/");
    let call = |name: &str| ToolCall::new(name, json!({})).expect("a call");
    let refused = stack.dispatch(call("deploy"), &cx).await.expect_err("it waits");
    assert_eq!((refused.category(), refused.code()), (ToolErrorCategory::PolicyBlocked, "needs_tool_first"));
    assert_eq!(refused.to_string(), "`deploy` needs `build` first");
    assert!(stack.dispatch(call("build"), &cx).await.is_ok());
    assert!(stack.dispatch(call("deploy"), &cx).await.is_ok());
    let other = CallContext::new("/");
    assert!(stack.dispatch(call("deploy"), &other).await.is_err(), "another session has built nothing");
    lists.forget(cx.session());
    assert!(stack.dispatch(call("deploy"), &cx).await.is_err(), "the conversation began anew");
}

#[tokio::test]
async fn the_search_gives_definitions_and_puts_them_into_the_list() {
    let all = weather();
    let lists = Arc::new(SessionLists::new(ListSettings { search_above: 1, ..ListSettings::default() }));
    lists.publish(&all);
    let stack = Stack::new(vec![], ToolSearch::new(Arc::clone(&lists)).into_executor());
    let cx = CallContext::new("/");
    let call = ToolCall::new("tool_search", json!({"query": "weather in a city", "limit": 1})).expect("a call");
    let found = stack.dispatch(call, &cx).await.expect("it searches");
    assert!(
        found.summary.contains("get_weather: Tells the weather") && found.summary.contains("parameters: {"),
        "{}",
        found.summary
    );
    assert_eq!(listed(&lists.shown(cx.session(), &all)), "tool_search get_weather");
    let nothing = ToolCall::new("tool_search", json!({"query": "zzz"})).expect("a call");
    assert!(stack.dispatch(nothing, &cx).await.expect("it searches").summary.contains("No tool fits"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    /// 500 turns each: tools and their texts come and go, calls succeed, searches are made.
    #[test]
    fn the_serialised_list_only_grows(steps in proptest::collection::vec((0_usize..4, 0_usize..30, any::<u32>()), 500)) {
        let mut all: Vec<_> = (0..30).map(|n| tool(&format!("tool{n}"), &format!("about subject{n} and the world"))).collect();
        all.push(tool("tool_search", "Finds tools"));
        let graph = graph(&[("tool3", &["tool1"]), ("tool4", &["tool2", "tool3"])], &all);
        let settings = ListSettings { core: vec![name("tool5"), name("tool1")], search_above: 5, graph, ..ListSettings::default() };
        let lists = SessionLists::new(settings);
        let session = SessionId::generate();
        let bytes = |tools: &[Arc<ToolDef>]| -> String { lists.shown(&session, tools).iter().flat_map(|tool| [tool.name.as_str(), &tool.description, "\n"].map(str::to_owned)).collect() };
        let mut before = bytes(&all);
        for (step, n, gone) in steps {
            match step {
                0 => { lists.search(&session, &format!("subject{n}"), 2); }
                1 => lists.complete(&session, &name(&format!("tool{n}"))),
                2 => all[n] = tool(&format!("tool{n}"), &format!("another text about subject{n} of the server {gone}")),
                _ => {}
            }
            let here: Vec<_> = all.iter().enumerate().filter(|(at, tool)| gone >> (at % 32) & 1 == 0 || tool.name.as_str() == "tool_search").map(|(_, tool)| Arc::clone(tool)).collect();
            let now = bytes(&here);
            prop_assert!(now.starts_with(&before), "{before}\n--\n{now}");
            before = now;
        }
    }
}
