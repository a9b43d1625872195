//! The server that the official conformance suite expects: its tools and resources, over the crates
//! as any host uses them. Prints its address and serves until standard input ends.
//!
//! `cargo run -p tools-mcp-http --example conformance -- TOKEN HOST:PORT`, where the last is the
//! name under which a proxy that adds the token is reached; `cargo xtask interop conformance` does
//! all of it.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use schemars::Schema;
use serde_json::{Map, Value, json};
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;
use tools_core::{
    Approval, CallContext, ConfirmPrompt, DynExecutor, ExecuteResult, InputRequest, Inspection, Media, SessionId,
    Stack, ToolCall, ToolDef, ToolDefs, ToolError, ToolErrorCategory, ToolExecutor, ToolKind, ToolName, ToolOutput,
    ToolTraits,
};
use tools_mcp::{
    Body, Contents, McpServer, Prompt, PromptError, Prompts, Resource, ResourceError, ResourcePage, ResourceTarget,
    ResourceTemplate, Resources,
};
use tools_mcp_http::{Guest, HttpServer, HttpSettings};

/// The smallest picture: one pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    2, 0, 0, 0, 0x90, 0x77, 0x53, 0xDE, 0, 0, 0, 0x0C, b'I', b'D', b'A', b'T', 8, 0xD7, 0x63, 0xF8, 0xCF, 0xC0, 0, 0,
    3, 1, 1, 0, 0x18, 0xDD, 0x8D, 0xB0, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42, 0x60, 0x82,
];
/// The smallest sound: a header without samples.
const WAV: &[u8] = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1F\0\0\x80\x3E\0\0\x02\0\x10\0data\0\0\0\0";

/// The tool about which a person is asked, as gates ask.
const ASK: &str = "test_elicitation";

/// The tools of the suite, and with one more.
struct Tools {
    usual: ToolDefs,
    more: ToolDefs,
    has_more: AtomicBool,
}

impl Tools {
    fn new() -> Self {
        let plain = |name: &str, description: &str| {
            definition(name, description, json!({"type": "object", "properties": {}, "additionalProperties": false}))
        };
        let text = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]});
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": {"type": "object", "properties": {
                "street": {"type": "string"}, "city": {"type": "string"}}}},
            "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
            "additionalProperties": false,
        });
        let tools = [
            plain("test_simple_text", "Returns text."),
            plain("test_image_content", "Returns a picture."),
            plain("test_audio_content", "Returns a sound."),
            plain("test_error_handling", "Fails."),
            plain("test_tool_with_progress", "Tells how far it is."),
            plain("test_tool_with_logging", "Is logged."),
            plain("test_multiple_content_types", "Returns text and a picture."),
            definition("test_elicitation", "Runs when a person agrees.", text("message")),
            definition("test_prompt", "Returns a text as it is.", text("text")),
            definition("test_prompt_resource", "Returns a resource and a text.", text("uri")),
            plain("test_prompt_input", "Asks for a context."),
            plain("test_embedded_resource", "Returns a resource."),
            definition("test_sampling", "Asks the model of the client.", text("prompt")),
            plain("test_elicitation_sep1034_defaults", "Shows a form with defaults."),
            plain("test_elicitation_sep1330_enums", "Shows a form with choices."),
            plain("test_streaming_elicitation", "Asks for a name."),
            plain("test_input_required_result_elicitation", "Asks for a name."),
            plain("test_input_required_result_sampling", "Asks the model of the client."),
            plain("test_input_required_result_list_roots", "Asks for roots."),
            plain("test_input_required_result_request_state", "Asks for a yes."),
            plain("test_input_required_result_tampered_state", "Asks for a yes."),
            plain("test_input_required_result_multiple_inputs", "Asks for three things."),
            plain("test_input_required_result_multi_round", "Asks twice."),
            plain("test_input_required_result_capabilities", "Asks for what the client offers."),
            plain("test_missing_capability", "Asks the model of the client."),
            plain("test_trigger_tool_change", "Lists one tool more, or that one no more."),
            definition("json_schema_2020_12_tool", "Has a schema with references.", schema),
        ];
        let usual: ToolDefs = tools.into_iter().map(Arc::new).collect();
        let one_more = Arc::new(plain("test_simple_text_again", "Returns text."));
        let more = usual.iter().cloned().chain([one_more]).collect();
        Self { usual, more, has_more: AtomicBool::new(false) }
    }
}

fn definition(name: &str, description: &str, schema: Value) -> ToolDef {
    let name = ToolName::parse(name).expect("the names of the suite are names of tools");
    let schema = Schema::try_from(schema).expect("an object is a schema");
    ToolDef::new(name, description.to_owned(), schema, ToolKind::Other, ToolTraits::READ_ONLY)
}

impl ToolExecutor for Tools {
    fn tool_definitions(&self) -> ToolDefs {
        Arc::clone(if self.has_more.load(Ordering::Relaxed) { &self.more } else { &self.usual })
    }

    async fn inspect(&self, _: &ToolCall, _: &CallContext) -> Result<Inspection, ToolError> {
        Ok(Inspection::read_only())
    }

    async fn execute_tool_call(&self, call: &ToolCall, cx: &CallContext) -> ExecuteResult {
        if !self.tool_definitions().iter().any(|tool| tool.name == call.tool) {
            return Ok(None);
        }
        if call.tool.as_str() == "test_trigger_tool_change" {
            self.has_more.fetch_not(Ordering::Relaxed);
        }
        if call.tool.as_str() == ASK {
            let reason = "a person has to agree";
            let question = ConfirmPrompt::new(call.tool.clone(), reason, vec![]);
            let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, "confirmation_required", reason);
            return Err(error.with_prompt(question));
        }
        run(call, cx).await.map(Some)
    }

    async fn execute_tool_call_confirmed(&self, call: &ToolCall, _: &Approval, cx: &CallContext) -> ExecuteResult {
        run(call, cx).await.map(Some)
    }
}

async fn run(call: &ToolCall, cx: &CallContext) -> Result<ToolOutput, ToolError> {
    let with = |text: &str, media: Vec<Media>| ToolOutput { media, ..ToolOutput::text(text) };
    let media = |text: &str, mime: &str, data: &[u8]| with(text, vec![Media::new(mime, data)]);
    let resource = |uri: &str, text: &str| Media::new("text/plain", text.as_bytes()).at(uri);
    let given = |name: &str| call.params[name].as_str().unwrap_or_default();
    Ok(match call.tool.as_str() {
        "test_prompt" => ToolOutput::text(given("text")),
        "test_prompt_resource" => {
            let embedded = resource(given("uri"), "Embedded resource content for testing.");
            with("Please process the embedded resource above.", vec![embedded])
        }
        "test_embedded_resource" => {
            with("", vec![resource("test://embedded-resource", "This is an embedded resource content.")])
        }
        "test_image_content" => media("", "image/png", PNG),
        "test_audio_content" => media("", "audio/wav", WAV),
        "test_multiple_content_types" => {
            let embedded = Media::new("application/json", br#"{"test":"data","value":123}"#.as_slice());
            let all = vec![Media::new("image/png", PNG), embedded.at("test://mixed-content-resource")];
            with("Multiple content types test:", all)
        }
        "test_error_handling" => {
            let text = "This tool intentionally returns an error for testing";
            return Err(ToolError::new(ToolErrorCategory::PermanentFailure, "intended", text));
        }
        "test_tool_with_progress" => {
            for step in [0, 50, 100] {
                cx.events().progress(step, Some(100), format!("{step} of 100"));
                // Progress is told four times a second at most.
                tokio::time::sleep(Duration::from_millis(300)).await;
            }
            ToolOutput::text("done")
        }
        "test_tool_with_logging" => {
            for step in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                cx.journal().warn(step);
            }
            ToolOutput::text("done")
        }
        "test_simple_text"
        | "test_simple_text_again"
        | "test_trigger_tool_change"
        | "json_schema_2020_12_tool"
        | ASK => ToolOutput::text("This is a simple text response for testing."),
        _ => ToolOutput::text(asked(call, cx).await?),
    })
}

/// A form of one text.
fn form(message: &str, field: &str) -> InputRequest {
    let schema = json!({"type": "object", "properties": {field: {"type": "string"}}, "required": [field]});
    InputRequest::Form { message: message.to_owned(), schema }
}

/// Runs the tools that ask their client.
async fn asked(call: &ToolCall, cx: &CallContext) -> Result<String, ToolError> {
    let name = || ("user_name", form("What is your name?", "name"));
    let completion = |prompt: &str| InputRequest::Completion { prompt: prompt.to_owned(), max_tokens: 100 };
    let question = || ("capital_question", completion("What is the capital of France?"));
    let roots = || ("client_roots", InputRequest::Roots);
    let agreed = || {
        let schema = json!({"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]});
        ("confirm", InputRequest::Form { message: "Please confirm".to_owned(), schema })
    };
    let requests = match call.tool.as_str() {
        "test_sampling" => vec![("sampled", completion(call.params["prompt"].as_str().unwrap_or_default()))],
        "test_elicitation_sep1034_defaults" => vec![("form", defaults())],
        "test_elicitation_sep1330_enums" => vec![("form", choices())],
        "test_prompt_input" => vec![("user_context", form("What context should the prompt use?", "context"))],
        "test_input_required_result_sampling" | "test_missing_capability" => vec![question()],
        "test_input_required_result_list_roots" => vec![roots()],
        "test_input_required_result_request_state" | "test_input_required_result_tampered_state" => vec![agreed()],
        "test_input_required_result_multiple_inputs" => {
            vec![name(), ("greeting", completion("Generate a greeting")), roots()]
        }
        "test_input_required_result_capabilities" => {
            let all = [name(), question(), roots()].into_iter();
            all.filter(|(_, request)| cx.offers_input(request.kind())).collect()
        }
        _ => vec![name()],
    };
    let ask = |requests: Vec<(&str, InputRequest)>| {
        cx.input(requests.into_iter().map(|(key, request)| (key.to_owned(), request)).collect())
    };
    let mut answers = ask(requests).await?;
    if call.tool.as_str() == "test_input_required_result_multi_round" {
        answers.extend(ask(vec![("step2", form("Step 2: What is your favorite color?", "color"))]).await?);
    }
    Ok(format!("state-ok {answers:?}"))
}

/// A form with a default for each kind of field.
fn defaults() -> InputRequest {
    let schema = json!({"type": "object", "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": true},
    }});
    InputRequest::Form { message: "Please review the form".to_owned(), schema }
}

/// A form with each kind of choice.
fn choices() -> InputRequest {
    let options = ["option1", "option2", "option3"];
    let titled = |name: &str| json!([{"const": "value1", "title": format!("First {name}")}, {"const": "value2", "title": format!("Second {name}")}, {"const": "value3", "title": format!("Third {name}")}]);
    let schema = json!({"type": "object", "properties": {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    }});
    InputRequest::Form { message: "Please choose".to_owned(), schema }
}

/// The resources of the suite.
struct Fixture;

const TEXT: &str = "test://static-text";
const BINARY: &str = "test://static-binary";
const WATCHED: &str = "test://watched-resource";
const TEMPLATE: &str = "test://template/{id}/data";

#[async_trait]
impl Resources for Fixture {
    async fn list(&self, _: &SessionId, _: Option<&str>) -> Result<ResourcePage, ResourceError> {
        let resource = |uri: &str, name: &str, mime| Resource {
            uri: uri.to_owned(),
            name: name.to_owned(),
            title: name.to_owned(),
            mime,
            bytes: None,
        };
        let resources =
            vec![resource(TEXT, "Static text", "text/plain"), resource(BINARY, "Static picture", "image/png")];
        Ok(ResourcePage { resources, next: None })
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        vec![ResourceTemplate { uri: TEMPLATE, name: "data", description: "Data of an id.", mime: "application/json" }]
    }

    async fn find(&self, _: &SessionId, uri: &str) -> Result<ResourceTarget, ResourceError> {
        let (mime, body) = match uri {
            TEXT => ("text/plain", Body::Text("This is the content of the static text resource.".to_owned())),
            BINARY => ("image/png", Body::Bytes(PNG.to_vec())),
            other => {
                let id = other.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
                let id = id.ok_or(ResourceError::NotFound)?;
                let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
                ("application/json", Body::Text(data.to_string()))
            }
        };
        Ok(ResourceTarget::Contents(Contents { mime, body, next: None }))
    }

    fn changes(&self, uri: &str) -> bool {
        uri == WATCHED
    }

    async fn complete(
        &self,
        _: &SessionId,
        template: &str,
        variable: &str,
        begun: &str,
    ) -> Result<Option<Vec<String>>, ResourceError> {
        let values = ["paris", "park", "party"].iter().filter(|value| value.starts_with(begun));
        let is_known = template == TEMPLATE && variable == "id";
        Ok(is_known.then(|| values.map(|value| (*value).to_owned()).collect()))
    }

    async fn stored(&self, _: &SessionId, _: &str) -> Option<Resource> {
        None
    }
}

/// The prompts of the suite.
#[async_trait]
impl Prompts for Fixture {
    async fn list(&self, _: &SessionId) -> Vec<Prompt> {
        let prompt = |name: &str, arguments: &[(&'static str, &'static str)]| Prompt {
            name: name.to_owned(),
            description: "A prompt of the suite.".to_owned(),
            arguments: arguments.to_vec(),
        };
        vec![
            prompt("test_simple_prompt", &[]),
            prompt("test_prompt_with_arguments", &[("arg1", "The first."), ("arg2", "The second.")]),
            prompt("test_prompt_with_image", &[]),
            prompt("test_prompt_with_embedded_resource", &[("resourceUri", "The resource.")]),
            prompt("test_input_required_result_prompt", &[]),
        ]
    }

    async fn find(&self, _: &SessionId, name: &str, arguments: &Map<String, Value>) -> Result<ToolCall, PromptError> {
        let of = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let (tool, params) = match name {
            "test_simple_prompt" => ("test_prompt", json!({"text": "This is a simple prompt for testing."})),
            "test_prompt_with_arguments" => {
                let text = format!("Prompt with arguments: arg1='{}', arg2='{}'", of("arg1"), of("arg2"));
                ("test_prompt", json!({ "text": text }))
            }
            "test_prompt_with_image" => ("test_image_content", json!({})),
            "test_prompt_with_embedded_resource" => ("test_prompt_resource", json!({"uri": of("resourceUri")})),
            "test_input_required_result_prompt" => ("test_prompt_input", json!({})),
            other => return Err(PromptError::NotFound { name: other.to_owned() }),
        };
        ToolCall::new(tool, params).map_err(|error| PromptError::Invalid(error.to_string()))
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [token, host] = arguments.as_slice() else { return Err("expected a token and a host".into()) };
    let stack = Arc::new(Stack::new(vec![], DynExecutor::new(Tools::new())));
    let server = McpServer::builder(stack)
        .identity("conformance", "0")
        .resources(Arc::new(Fixture))
        .prompts(Arc::new(Fixture))
        .build();
    let settings = HttpSettings { hosts: vec![host.clone()], ..HttpSettings::default() };
    let guest = Guest::new("suite", token, server)?;
    let server = HttpServer::bind(([127, 0, 0, 1], 0).into(), vec![guest], settings)?;
    println!("{}", server.address());
    let stop = CancellationToken::new();
    let ended = stop.clone();
    tokio::spawn(async move {
        let mut rest = Vec::new();
        let _ = tokio::io::stdin().read_to_end(&mut rest).await;
        ended.cancel();
    });
    server.serve_until(stop).await;
    Ok(())
}
