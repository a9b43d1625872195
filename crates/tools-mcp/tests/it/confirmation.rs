//! Consent through the client: given, refused, not given, not askable.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::ElicitRequestParams;
use serde_json::{Value, json};
use tools_core::{
    Absence, Answer, Approval, CallContext, CallerId, ConfirmPrompt, Confirmer, Decisions, ExecuteResult, Inspection,
    PromptPart, Refusal, SessionId, Stack, StoredRule, Subject, ToolCall, ToolDef, ToolDefs, ToolError,
    ToolErrorCategory, ToolExecutor, ToolKind, ToolName, ToolOutput, ToolTraits, Verdict,
};
use tools_mcp::{FallbackConfirmer, McpServer};

use crate::support::{Client, Person, Seen, builder, call, connect, meta, text};

async fn remove(person: Person) -> (rmcp::model::CallToolResult, usize, usize) {
    let seen = Arc::new(Seen::default());
    let (client, _serving) = connect(builder(&seen).build(), Client::new(person)).await;
    let result = call(&client, "remove", json!({"path": "x"})).await;
    let questions = client.service().questions.lock().unwrap().len();
    (result, seen.removed.load(Ordering::SeqCst), questions)
}

#[tokio::test]
async fn a_consent_runs_the_call_once() {
    let (result, removed, questions) = remove(Person::Accepts(json!({"decision": "once"}))).await;
    assert_eq!((text(&result).as_str(), removed, questions), ("removed x", 1, 1));
}

#[tokio::test]
async fn whatever_is_no_consent_refuses() {
    for (person, code, said) in [
        (Person::Accepts(json!({"decision": "no"})), "declined", "the person declined"),
        (Person::Accepts(json!({"decision": "session"})), "declined", "the person declined"),
        (Person::Accepts(json!({})), "declined", "the person declined"),
        (Person::Declines, "declined", "the person declined"),
        (Person::Dismisses, "question_dismissed", "the question was dismissed"),
    ] {
        let (result, removed, questions) = remove(person).await;
        assert_eq!((meta(&result, "haft/code"), removed, questions), (code.into(), 0, 1));
        assert_eq!(meta(&result, "haft/category"), "confirmation_required");
        assert!(text(&result).contains(said), "{}", text(&result));
    }
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused_at_once() {
    let (result, removed, questions) = remove(Person::None).await;
    assert_eq!((meta(&result, "haft/code"), removed, questions), ("nobody_to_ask".into(), 0, 0));
    assert!(text(&result).contains("The operator decides by: `tools.test`"), "{}", text(&result));
}

#[tokio::test(start_paused = true)]
async fn nobody_answering_in_time_is_a_refusal() {
    let asked = tokio::time::Instant::now();
    let (result, removed, _) = remove(Person::NeverAnswers).await;
    assert_eq!((meta(&result, "haft/code"), removed), ("nobody_answered".into(), 0));
    assert!((120..125).contains(&asked.elapsed().as_secs()));
}

#[tokio::test]
async fn the_question_is_one_choice_about_this_call() {
    let seen = Arc::new(Seen::default());
    let (client, _serving) = connect(builder(&seen).build(), Client::new(Person::Declines)).await;
    call(&client, "remove", json!({"path": "x"})).await;
    let questions = client.service().questions.lock().unwrap().clone();
    let [ElicitRequestParams::FormElicitationParams { message, requested_schema, .. }] = questions.as_slice() else {
        panic!("one form is shown: {questions:?}");
    };
    let expected = "remove ASK: delete /w/x\nWhy it asks: it removes `x`\n  rule: tools.test\nonce: only this call. no: it does not run.";
    assert_eq!(message, expected);
    let schema = serde_json::to_value(requested_schema).unwrap();
    let choices = json!([{"const": "once", "title": "Yes, this call only"}, {"const": "no", "title": "No"}]);
    assert_eq!(schema["properties"]["decision"]["oneOf"], choices);
}

/// A person beside the client, who always says the same.
struct Beside(Answer, Arc<Mutex<Vec<String>>>);

#[async_trait::async_trait]
impl Confirmer for Beside {
    async fn confirm(&self, prompt: &ConfirmPrompt) -> Answer {
        self.1.lock().unwrap().push(prompt.tool.to_string());
        self.0.clone()
    }
}

impl FallbackConfirmer for Beside {
    fn confirmer(&self, client: &str, _: &CallContext) -> Box<dyn Confirmer> {
        self.1.lock().unwrap().push(client.to_owned());
        Box::new(Self(self.0.clone(), Arc::clone(&self.1)))
    }

    fn advice(&self) -> &'static str {
        "Look in the other window."
    }
}

#[tokio::test]
async fn who_cannot_be_asked_through_the_client_is_asked_elsewhere() {
    let check = async |person: Person, answer: Answer, expected: &str, asked: usize| {
        let (seen, told) = (Arc::new(Seen::default()), Arc::default());
        let elsewhere = Beside(answer, Arc::clone(&told));
        let server = builder(&seen).fallback(Arc::new(elsewhere)).build();
        let (client, _serving) = connect(server, Client::new(person)).await;
        let result = call(&client, "remove", json!({"path": "x"})).await;
        assert!(text(&result).contains(expected), "{}", text(&result));
        assert_eq!(seen.removed.load(Ordering::SeqCst), usize::from(expected == "removed x"));
        let told = told.lock().unwrap().iter().filter(|tool| *tool == "remove").count();
        assert_eq!(told, asked);
    };
    let cannot = Answer::Nobody(Absence::CannotAsk);
    check(Person::None, Answer::Once, "removed x", 1).await;
    check(Person::None, Answer::No(None), "the person declined", 1).await;
    check(Person::None, cannot.clone(), "nobody can be asked here", 1).await;
    check(Person::None, cannot.clone(), "Look in the other window.", 1).await;
    check(Person::Dismisses, Answer::Once, "removed x", 1).await;
    check(Person::Dismisses, cannot, "the question was dismissed", 1).await;
    // Who was asked and answered is not asked again.
    check(Person::Declines, Answer::Once, "the person declined", 0).await;
}

#[tokio::test(start_paused = true)]
async fn what_codex_declines_without_showing_it_was_seen_by_nobody() {
    let check = async |answer: Answer, expected: &str| {
        let seen = Arc::new(Seen::default());
        let server = builder(&seen).fallback(Arc::new(Beside(answer, Arc::default()))).build();
        let client = Client { name: "codex-mcp-client", ..Client::new(Person::Declines) };
        let (client, _serving) = connect(server, client).await;
        let result = call(&client, "remove", json!({"path": "x"})).await;
        assert!(text(&result).contains(expected), "{}", text(&result));
    };
    check(Answer::Nobody(Absence::CannotAsk), "the question was dismissed").await;
    check(Answer::Once, "removed x").await;
    check(Answer::No(None), "the person declined").await;
}

/// Asks about everything, with a rule to store, and remembers who agreed.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<Vec<CallerId>>>);

impl ToolExecutor for Gate {
    fn tool_definitions(&self) -> ToolDefs {
        let name = ToolName::parse("bash").unwrap();
        let schema = schemars::Schema::default();
        [Arc::new(ToolDef::new(name, "x", schema, ToolKind::Execute, ToolTraits::CAUTIOUS))].into_iter().collect()
    }
    async fn inspect(&self, _: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::mutating())
    }
    async fn execute_tool_call(&self, call: &ToolCall, _: &CallContext) -> ExecuteResult {
        let tool = call.tool.clone();
        let part = PromptPart {
            subject: Subject::Opaque { why: "ls".to_owned() },
            verdict: Verdict::Ask,
            rule: "default".to_owned(),
        };
        let rule = StoredRule::new(tool.clone(), "ls *".to_owned());
        let prompt = ConfirmPrompt::new(tool, "no rule covers it", vec![part]).storing(Some(rule));
        let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, "ask", "`bash` needs a person");
        Err(error.with_prompt(prompt))
    }
    async fn execute_tool_call_confirmed(
        &self,
        call: &ToolCall,
        approval: &Approval,
        _: &CallContext,
    ) -> ExecuteResult {
        assert!(approval.covers(call));
        self.0.lock().unwrap().push(approval.by().clone());
        Ok(Some(ToolOutput::text("ran")))
    }
}

#[derive(Default)]
struct Rules(Mutex<Vec<StoredRule>>, Mutex<Vec<String>>);

#[async_trait::async_trait]
impl Decisions for Rules {
    fn allow_for_session(&self, _: &SessionId, rule: StoredRule) {
        self.0.lock().unwrap().push(rule);
    }

    async fn allow_always(&self, cx: &CallContext, rule: StoredRule) {
        self.1.lock().unwrap().push(format!("always {} in {}", rule.pattern, cx.workdir().display()));
    }

    async fn reject_always(&self, cx: &CallContext, rule: StoredRule) {
        self.1.lock().unwrap().push(format!("never {} in {}", rule.pattern, cx.workdir().display()));
    }

    async fn declined(&self, call: ToolCall, _: &CallContext, refusal: Refusal, error: ToolError) {
        self.1.lock().unwrap().push(format!("{} {} by {}", error.code(), call.tool, refusal.by));
    }
}

async fn gated(answer: Value, rules: Option<Arc<Rules>>) -> (String, Vec<CallerId>) {
    let gate = Gate::default();
    let server = McpServer::builder(Arc::new(Stack::new(vec![], gate.clone())));
    let server = match rules {
        Some(rules) => server.decisions(rules),
        None => server,
    };
    let (client, _serving) = connect(server.build(), Client::new(Person::Accepts(answer))).await;
    let result = call(&client, "bash", json!({})).await;
    (text(&result), gate.0.lock().unwrap().clone())
}

#[tokio::test]
async fn an_answer_for_the_session_adds_the_rule_and_runs_the_call() {
    let rules = Arc::new(Rules::default());
    let (text, by) = gated(json!({"decision": "session"}), Some(Arc::clone(&rules))).await;
    assert_eq!((text.as_str(), by), ("ran", vec![CallerId::parse("mcp:test-client").unwrap()]));
    let added = rules.0.lock().unwrap().clone();
    assert_eq!(added, [StoredRule::new(ToolName::parse("bash").unwrap(), "ls *".to_owned())]);
    let (text, by) = gated(json!({"decision": "session"}), None).await;
    assert!(by.is_empty() && text.contains("the person declined"), "{text}");
}

#[tokio::test]
async fn an_answer_for_good_and_a_refusal_are_told_to_the_host() {
    let rules = Arc::new(Rules::default());
    let (text, by) = gated(json!({"decision": "always"}), Some(Arc::clone(&rules))).await;
    assert_eq!((text.as_str(), by.len()), ("ran", 1));
    let (text, by) = gated(json!({"decision": "no"}), Some(Arc::clone(&rules))).await;
    assert!(by.is_empty() && text.contains("the person declined"), "{text}");
    let told = rules.1.lock().unwrap().clone();
    assert_eq!(told, ["always ls * in /", "declined bash by mcp:test-client"]);
    assert!(rules.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn once_adds_no_rule() {
    let rules = Arc::new(Rules::default());
    let (text, _) = gated(json!({"decision": "once"}), Some(Arc::clone(&rules))).await;
    assert_eq!(text, "ran");
    assert!(rules.0.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_host_sets_how_long_a_person_may_take() {
    let server = builder(&Arc::default()).question_timeout(Duration::from_secs(7)).build();
    let (client, _serving) = connect(server, Client::new(Person::NeverAnswers)).await;
    let asked = tokio::time::Instant::now();
    call(&client, "remove", json!({"path": "x"})).await;
    assert!((7..9).contains(&asked.elapsed().as_secs()));
}
