//! Any JSON as the input of a hook, for each host: it is read or refused, and every answer has the
//! host's format.

use serde_json::Value;
use tools_hosts::Host;
use tools_hosts::hook::{Answer, Decision, HookRequest};

const HOSTS: [Host; 4] = [Host::ClaudeCode, Host::Codex, Host::Cursor, Host::Gemini];

pub(crate) fn check(bytes: &[u8]) {
    let Ok(input) = serde_json::from_slice::<Value>(bytes) else { return };
    for format in HOSTS.into_iter().filter_map(Host::hooks) {
        let Ok(event) = format.read(&input) else { continue };
        if let HookRequest::Before(calls) = &event.meaning {
            assert!(calls.iter().all(|call| call.params.is_object()), "the parameters of a call are an object");
        }
        let command = Some("true".to_owned());
        for decision in [Decision::Allow, Decision::Leave, Decision::Ask, Decision::Deny] {
            let answer = Answer { decision, reason: "why".to_owned(), command: command.clone() };
            assert!(format.answer(&input, &answer).is_object(), "an answer is an object");
        }
        let _ = format.replace(&input, &Value::from("result"));
    }
}
