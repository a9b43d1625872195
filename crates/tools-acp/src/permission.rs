//! Converts a question to the protocol: the waiting call, what it would do, and the possible
//! answers.

use serde::Deserialize;
use serde_json::{Value, json};
use tools_core::{Absence, Answer, CallId, ConfirmPrompt, Question, Width};

use crate::rpc::AskError;
use crate::wire::{CallContent, CallStatus, CallUpdate};

const ONCE: &str = "allow_once";
const SESSION: &str = "allow_session";
const ALWAYS: &str = "allow_always";
const REJECT: &str = "reject_once";
const NEVER: &str = "reject_always";

/// A question ready to be sent.
#[derive(Debug)]
pub(crate) struct Permission {
    params: Value,
    /// Whether an answer can store a rule.
    stores: bool,
}

impl Permission {
    /// The question of a prompt about a call; `None` if it is too long to be shown completely.
    pub(crate) fn new(session: &str, call: &CallId, prompt: &ConfirmPrompt) -> Option<Self> {
        let question = Question::of(prompt).ok()?;
        let rows = question.rows(Width::UNBOUNDED).join("\n");
        let stores = question.stores();
        let mut options = vec![option(ONCE, "allow_once", "Allow once")];
        if stores {
            let rule = |front: &str| question.stored_rows(front, Width::UNBOUNDED).join(" ");
            options.push(option(SESSION, "allow_always", &rule("Allow for this session, and calls that match: ")));
            options.push(option(ALWAYS, "allow_always", &rule("Always allow calls that match: ")));
        }
        options.push(option(REJECT, "reject_once", "Reject"));
        if stores {
            let rule = question.stored_rows("Always reject calls that match: ", Width::UNBOUNDED).join(" ");
            options.push(option(NEVER, "reject_always", &rule));
        }
        let call = CallUpdate {
            tool_call_id: call.to_string(),
            status: Some(CallStatus::Pending),
            content: Some(vec![CallContent::text(rows)]),
            ..CallUpdate::default()
        };
        let params = json!({"sessionId": session, "toolCall": call, "options": options});
        Some(Self { params, stores })
    }

    /// Parameters of the request.
    pub(crate) fn params(&self) -> &Value {
        &self.params
    }

    /// Interprets the client's answer. Only an offered option can be a yes.
    pub(crate) fn read(&self, answer: Result<Value, AskError>) -> Answer {
        #[derive(Deserialize)]
        struct PermissionResponse {
            outcome: Outcome,
        }
        #[derive(Deserialize)]
        #[serde(tag = "outcome", rename_all = "snake_case", rename_all_fields = "camelCase")]
        enum Outcome {
            Selected { option_id: String },
            Cancelled,
        }
        let answered = match answer {
            Ok(answered) => serde_json::from_value::<PermissionResponse>(answered),
            Err(AskError::Late) => return Answer::Nobody(Absence::NoAnswer),
            Err(AskError::Refused(_) | AskError::Gone) => return Answer::Nobody(Absence::CannotAsk),
        };
        match answered.map(|answered| answered.outcome) {
            Ok(Outcome::Selected { option_id }) => match option_id.as_str() {
                ONCE => Answer::Once,
                SESSION if self.stores => Answer::Session,
                ALWAYS if self.stores => Answer::Always,
                NEVER if self.stores => Answer::Never,
                _ => Answer::No(None),
            },
            Ok(Outcome::Cancelled) => Answer::Nobody(Absence::Dismissed),
            Err(_) => Answer::No(None),
        }
    }
}

fn option(id: &str, kind: &str, name: &str) -> Value {
    json!({"optionId": id, "kind": kind, "name": name})
}

#[cfg(test)]
mod tests {
    use tools_core::{PromptPart, StoredRule, Subject, ToolName, Verdict};

    use super::*;
    use crate::rpc::RpcError;

    fn permission(pattern: Option<&str>) -> Permission {
        let tool = ToolName::parse("bash").expect("a name");
        let part = PromptPart {
            subject: Subject::Opaque { why: "x".to_owned() },
            verdict: Verdict::Ask,
            rule: "permissions.bash".to_owned(),
        };
        let rule = pattern.map(|pattern| StoredRule::new(tool.clone(), pattern.to_owned()));
        let prompt = ConfirmPrompt::new(tool, "no rule covers it", vec![part]).storing(rule);
        Permission::new("s", &CallId::parse("c").expect("an id"), &prompt).expect("it fits")
    }

    #[test]
    fn the_rule_that_an_answer_stores_is_shown() {
        let asked = permission(Some("cargo *"));
        let names: Vec<&str> = asked.params["options"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|option| option["name"].as_str().expect("a name"))
            .collect();
        assert_eq!(
            names,
            [
                "Allow once",
                "Allow for this session, and calls that match: cargo *",
                "Always allow calls that match: cargo *",
                "Reject",
                "Always reject calls that match: cargo *"
            ]
        );
        assert_eq!(permission(None).params["options"].as_array().map(Vec::len), Some(2));
        assert_eq!((&asked.params["sessionId"], &asked.params["toolCall"]["toolCallId"]), (&json!("s"), &json!("c")));
    }

    #[test]
    fn only_what_was_offered_is_a_yes() {
        let check = |pattern: Option<&str>, answer: Result<Value, AskError>, expected: Answer| {
            assert_eq!(permission(pattern).read(answer), expected);
        };
        let selected = |id: &str| Ok(json!({"outcome": {"outcome": "selected", "optionId": id}}));
        check(Some("x"), selected("allow_once"), Answer::Once);
        check(Some("x"), selected("allow_session"), Answer::Session);
        check(Some("x"), selected("allow_always"), Answer::Always);
        check(None, selected("allow_always"), Answer::No(None));
        check(None, selected("allow_session"), Answer::No(None));
        check(Some("x"), selected("reject_once"), Answer::No(None));
        check(Some("x"), selected("reject_always"), Answer::Never);
        check(None, selected("reject_always"), Answer::No(None));
        check(Some("x"), selected("yes"), Answer::No(None));
        check(Some("x"), Ok(json!({"outcome": {"outcome": "cancelled"}})), Answer::Nobody(Absence::Dismissed));
        for odd in
            [json!(null), json!({}), json!("allow_once"), json!({"outcome": "selected", "optionId": "allow_once"})]
        {
            check(Some("x"), Ok(odd), Answer::No(None));
        }
        check(Some("x"), Err(AskError::Late), Answer::Nobody(Absence::NoAnswer));
        check(Some("x"), Err(AskError::Gone), Answer::Nobody(Absence::CannotAsk));
        check(Some("x"), Err(AskError::Refused(RpcError::no_method("x"))), Answer::Nobody(Absence::CannotAsk));
    }
}
