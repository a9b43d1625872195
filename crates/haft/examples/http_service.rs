//! The tools behind a service of your own, with a session for each client.
//!
//! ```text
//! TOKEN=secret cargo run -p haft --example http_service
//! curl -H 'authorization: Bearer secret' -H 'content-type: application/json' \
//!     -d '{"tool": "bash", "params": {"command": "ls"}}' ADDRESS/sessions/one/calls
//! curl -H 'authorization: Bearer secret' -X DELETE ADDRESS/sessions/one
//! ```
//!
//! A service for clients that speak MCP is there already: `haft mcp serve --http`.

use std::{sync::Arc, time::Instant};

use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, post};
use axum::{Json, Router};
use haft::config::LoadedConfig;
use haft::core::{NobodyToAsk, SessionId, ToolCall};
use haft::{CallReport, Toolbox};
use serde::Deserialize;
use serde_json::Value;

/// What nobody is asked about. Everything else that would be asked is refused.
const RULES: &str = r#"
[[tools.permissions.write]]
pattern = "*"
action = "allow"
"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallRequest {
    tool: String,
    params: Value,
}

/// Status and reason of a request that is not served.
type Refused = (StatusCode, String);

/// Refuses requests without the token: whoever reaches the port would run commands otherwise.
async fn authorize(State(token): State<Arc<str>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    match given.and_then(|value| value.strip_prefix("Bearer ")) {
        Some(given) if given == &*token => next.run(request).await,
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}

/// The session that a client names; what one has read, agreed to and stored no other sees.
fn session(name: &str) -> Result<SessionId, Refused> {
    SessionId::parse(name).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))
}

async fn call(
    State(toolbox): State<Arc<Toolbox>>,
    Path(name): Path<String>,
    Json(CallRequest { tool, params }): Json<CallRequest>,
) -> Result<Json<CallReport>, Refused> {
    let call = ToolCall::new(&tool, params).map_err(|error| (StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    let context = toolbox.context().in_session(session(&name)?);
    // A service with people behind it gives its own `Confirmer` here.
    let (id, definition, began) = (call.id.clone(), toolbox.stack().definition_or_unknown(&call.tool), Instant::now());
    let recorded = toolbox.call(call, &context, &NobodyToAsk).await;
    Ok(Json(CallReport::new(id, &definition, &recorded, began.elapsed())))
}

async fn end(State(toolbox): State<Arc<Toolbox>>, Path(name): Path<String>) -> Result<StatusCode, Refused> {
    let session = session(&name)?;
    toolbox.end_jobs(&session).await;
    toolbox.end_session(&session);
    Ok(StatusCode::NO_CONTENT)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let token: Arc<str> = std::env::var("TOKEN").map_err(|_| "set TOKEN to what clients have to send")?.into();
    let toolbox = Toolbox::builder(LoadedConfig::parse(RULES, &|_| None)?, std::env::current_dir()?).build()?;
    let service = Router::new()
        .route("/sessions/{session}/calls", post(call))
        .route("/sessions/{session}", delete(end))
        .layer(from_fn_with_state(token, authorize))
        .with_state(Arc::new(toolbox));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    axum::serve(listener, service).await?;
    Ok(())
}
