//! Results of requests.

use serde_json::{Value, json};

use crate::{Modes, SessionSummary};

/// The only supported version.
const VERSION: u16 = 1;

/// Answer to `initialize`: the supported version, whatever the client requested. The client may
/// disconnect.
pub(crate) fn initialized(name: &str, version: &str) -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentInfo": {"name": name, "title": "Haft", "version": version},
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": {"image": false, "audio": false, "embeddedContext": true},
            "mcpCapabilities": {"http": false, "sse": false},
            "sessionCapabilities": {"list": {}, "resume": {}, "close": {}, "delete": {}},
        },
        "authMethods": [],
    })
}

/// Answer for an opened session; only a new one includes its id.
pub(crate) fn opened(session: Option<&str>, modes: &Modes) -> Value {
    let available: Vec<Value> = modes
        .available()
        .iter()
        .map(|mode| json!({"id": mode.id, "name": mode.name, "description": mode.description}))
        .collect();
    let mut answer = json!({"modes": {"currentModeId": modes.current().id, "availableModes": available}});
    if let Some(session) = session {
        answer["sessionId"] = session.into();
    }
    answer
}

/// The saved sessions, all on one page.
pub(crate) fn listed(sessions: Vec<SessionSummary>) -> Value {
    let sessions: Vec<Value> = sessions
        .into_iter()
        .map(|kept| {
            json!({
                "sessionId": kept.session, "cwd": kept.workdir, "title": kept.title, "updatedAt": kept.written,
            })
        })
        .collect();
    json!({"sessions": sessions})
}
