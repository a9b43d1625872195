//! The question put to a person, what they may answer, and what a refusal says. Pure; asking is the connection's part.

use std::fmt::Write as _;

use async_trait::async_trait;
use rmcp::model::{ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema, PrimitiveSchemaDefinition};
use serde_json::Value;
use tools_core::{
    Answer, CallContext, ConfirmPrompt, Refusal, SessionId, StoredRule, ToolCall, ToolError, ToolErrorCategory, Verdict,
};

/// The one field of the form.
const FIELD: &str = "decision";
/// How many parts of a call are listed.
const LISTED_PARTS: usize = 20;
/// How much of one part is shown: more than a person reads, less than fills a screen for ever.
const SHOWN_CHARS: usize = 2_000;

/// Takes what people decide beyond one call. Called by the server when an answer comes; implemented by hosts that own
/// the permission rules and the record.
#[async_trait]
pub trait Decisions: Send + Sync {
    /// From now on calls of this session that `rule` matches run without a question.
    fn allow_for_session(&self, session: &SessionId, rule: StoredRule);

    /// From now on calls that `rule` matches in the folder that `cx` works in run without a question.
    fn allow_always(&self, cx: &CallContext, rule: StoredRule);

    /// A person refused a call: for the record. `error` is what the model is told.
    async fn declined(&self, call: ToolCall, cx: &CallContext, refusal: Refusal, error: ToolError);
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Question {
    pub(crate) message: String,
    /// Whether "session" and "always" are among the answers.
    pub(crate) stores: bool,
}

impl Question {
    /// The question for `prompt`; "session" and "always" are offered when the host takes rules and
    /// there is one to store.
    pub(crate) fn new(prompt: &ConfirmPrompt, takes_rules: bool) -> Self {
        let rule = prompt.would_store.as_ref().filter(|_| takes_rules);
        Self { message: message(prompt, rule), stores: rule.is_some() }
    }

    fn choices(&self) -> Vec<String> {
        let choices: &[&str] = if self.stores { &["once", "session", "always", "no"] } else { &["once", "no"] };
        choices.iter().map(|choice| (*choice).to_owned()).collect()
    }

    /// The form: one required choice.
    pub(crate) fn schema(&self) -> ElicitationSchema {
        let choice = EnumSchema::builder(self.choices()).untitled().title("Let it run?").build();
        let fields = [(FIELD.to_owned(), PrimitiveSchemaDefinition::Enum(choice))];
        ElicitationSchema::new(fields.into()).with_required(vec![FIELD.to_owned()])
    }

    /// What the person said. Anything that is not one of the offered consents is none.
    pub(crate) fn read(&self, result: &ElicitResult) -> Answer {
        match result.action {
            ElicitationAction::Accept => {}
            ElicitationAction::Decline => return Answer::No(None),
            _ => return Answer::Nobody,
        }
        let choice = result.content.as_ref().and_then(|content| content.get(FIELD));
        match choice.and_then(Value::as_str) {
            Some("once") => Answer::Once,
            Some("session") if self.stores => Answer::Session,
            Some("always") if self.stores => Answer::Always,
            _ => Answer::No(None),
        }
    }
}

fn message(prompt: &ConfirmPrompt, rule: Option<&StoredRule>) -> String {
    let uncovered = prompt.parts.iter().filter(|part| part.verdict != Verdict::Allow).count();
    let mut text = format!("`{}` wants to run", prompt.tool);
    if prompt.parts.len() > 1 {
        let _ = write!(text, " ({uncovered} of {} parts not covered by a rule)", prompt.parts.len());
    }
    text.push('\n');
    for part in prompt.parts.iter().take(LISTED_PARTS) {
        let mark = match part.verdict {
            Verdict::Allow => "allowed",
            Verdict::Ask => "ASK",
            Verdict::Deny => "DENIED",
        };
        let about = visible(&part.subject.text());
        let _ = writeln!(text, "  {mark}  {about}  ({})", visible(&part.rule));
    }
    if prompt.parts.len() > LISTED_PARTS {
        let _ = writeln!(text, "  and {} more parts that are not shown", prompt.parts.len() - LISTED_PARTS);
    }
    let _ = writeln!(text, "Why it asks: {}", visible(&prompt.reason));
    text.push_str("once: only this call. no: it does not run.");
    if let Some(rule) = rule {
        let _ = write!(
            text,
            " session: also allow `{}` calls that match `{}` until this session ends. always: the same, in this folder, from now on.",
            rule.tool,
            visible(&rule.pattern)
        );
    }
    text
}

/// Text from a model, made fit to be shown to the person who is to judge it: nothing moves the cursor, hides or
/// reorders characters, and what is left out is said.
fn visible(text: &str) -> String {
    let escape = |c: char| c.is_control() || is_invisible(c);
    let shown = |part: &str| -> String {
        part.chars().map(|c| if escape(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
    };
    let count = text.chars().count();
    if count <= SHOWN_CHARS {
        return shown(text);
    }
    let tail = SHOWN_CHARS / 4;
    let cut_at = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let (head, rest) = (cut_at(SHOWN_CHARS - tail), cut_at(count - tail));
    let hidden = count - SHOWN_CHARS;
    format!("{} [{hidden} CHARACTERS NOT SHOWN] {}", shown(&text[..head]), shown(&text[rest..]))
}

/// Characters that show nothing or change the direction of what follows.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The refusal of a call that a person should have agreed to. Keeps what the gate said.
pub(crate) fn refusal(asked: &ToolError, why: Unanswered) -> ToolError {
    let (code, said) = match why {
        Unanswered::Declined => ("declined", "the person declined"),
        Unanswered::Nobody => ("nobody_answered", "nobody answered"),
        Unanswered::CannotAsk => ("nobody_to_ask", "this client cannot ask a person"),
        Unanswered::BadState => ("stale_answer", "the answer belongs to no open question"),
    };
    let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, code, format!("{}; {said}", asked.message()));
    let error = match asked.prompt() {
        Some(prompt) => error.with_prompt(prompt.clone()),
        None => error,
    };
    error.with_suggestion(match why {
        Unanswered::Declined => {
            "Do not try this again unless the user asks for it; reach the goal another way.".to_owned()
        }
        Unanswered::Nobody | Unanswered::BadState => {
            "Tell the user what should run and why, and go on with something else.".to_owned()
        }
        Unanswered::CannotAsk => format!("Tell the user what should run and why. {}", how_to_allow(asked.prompt())),
    })
}

/// Why there is no consent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unanswered {
    Declined,
    Nobody,
    CannotAsk,
    BadState,
}

/// What the operator would have to write so that the call runs without a question.
fn how_to_allow(prompt: Option<&ConfirmPrompt>) -> String {
    let Some(prompt) = prompt else {
        return "The operator can allow it in the configuration.".to_owned();
    };
    if let Some(rule) = &prompt.would_store {
        let pattern = Value::from(rule.pattern.as_str());
        return format!(
            "The operator can allow it with this rule: [[tools.permissions.{}]] pattern = {pattern}, action = \"allow\"",
            rule.tool
        );
    }
    let mut rules: Vec<String> = prompt
        .parts
        .iter()
        .filter(|part| part.verdict == Verdict::Ask)
        .map(|part| format!("`{}`", visible(&part.rule)))
        .collect();
    rules.dedup();
    rules.truncate(3);
    if rules.is_empty() {
        return format!("The operator can allow it in `tools.permissions.{}`.", prompt.tool);
    }
    format!("The operator decides by: {}", rules.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tools_core::{PromptPart, Subject, ToolName};

    use super::*;

    fn prompt(lines: &[(&str, Verdict)], pattern: Option<&str>) -> ConfirmPrompt {
        let tool = ToolName::parse("bash").unwrap();
        let part = |(line, verdict): &(&str, Verdict)| PromptPart {
            subject: Subject::Opaque { why: (*line).to_owned() },
            verdict: *verdict,
            rule: "permissions.bash".to_owned(),
        };
        ConfirmPrompt {
            reason: "no rule covers it".to_owned(),
            parts: lines.iter().map(part).collect(),
            would_store: pattern.map(|pattern| StoredRule { tool: tool.clone(), pattern: pattern.to_owned() }),
            tool,
        }
    }

    #[test]
    fn the_message_says_what_why_and_what_would_be_stored() {
        let prompt = prompt(&[("cargo build", Verdict::Allow), ("rm -rf x", Verdict::Ask)], Some("rm -rf x"));
        let expected = "`bash` wants to run (1 of 2 parts not covered by a rule)
  allowed  cargo build  (permissions.bash)
  ASK  rm -rf x  (permissions.bash)
Why it asks: no rule covers it
once: only this call. no: it does not run. session: also allow `bash` calls that match `rm -rf x` until this session ends. always: the same, in this folder, from now on.";
        assert_eq!(Question::new(&prompt, true).message, expected);
        let without = expected.split(" session:").next().unwrap();
        assert_eq!(Question::new(&prompt, false).message, without);
    }

    #[test]
    fn nothing_in_a_command_can_hide_or_forge_lines() {
        let hostile = "ls\n  allowed  rm\u{1b}[2K\u{202e}x";
        let shown = Question::new(&prompt(&[(hostile, Verdict::Ask)], None), false).message;
        assert!(shown.contains("ASK  ls\\n  allowed  rm\\u{1b}[2K\\u{202e}x  ("), "{shown}");
        let long = format!("{}; rm -rf /", "a".repeat(10_000));
        let shown = Question::new(&prompt(&[(&long, Verdict::Ask)], None), false).message;
        assert!(shown.contains("[8010 CHARACTERS NOT SHOWN]") && shown.contains("; rm -rf /  ("), "{shown}");
    }

    #[test]
    fn only_an_offered_consent_is_one() {
        let check = |stores: bool, result: ElicitResult, expected: Answer| {
            let question = Question { message: String::new(), stores };
            assert_eq!(question.read(&result), expected, "{result:?}");
        };
        let accept = |content: Value| ElicitResult::new(ElicitationAction::Accept).with_content(content);
        check(true, accept(json!({"decision": "once"})), Answer::Once);
        check(true, accept(json!({"decision": "session"})), Answer::Session);
        check(false, accept(json!({"decision": "session"})), Answer::No(None));
        check(true, accept(json!({"decision": "always"})), Answer::Always);
        check(false, accept(json!({"decision": "always"})), Answer::No(None));
        check(true, accept(json!({"decision": "no"})), Answer::No(None));
        check(true, accept(json!({"decision": true})), Answer::No(None));
        check(true, accept(json!({})), Answer::No(None));
        check(true, accept(json!("once")), Answer::No(None));
        check(true, ElicitResult::new(ElicitationAction::Accept), Answer::No(None));
        check(true, ElicitResult::new(ElicitationAction::Decline), Answer::No(None));
        check(true, ElicitResult::new(ElicitationAction::Cancel), Answer::Nobody);
    }

    #[test]
    fn the_form_is_one_required_choice() {
        let question = Question::new(&prompt(&[], Some("x")), true);
        let expected = json!({
            "type": "object",
            "properties": {"decision": {"type": "string", "title": "Let it run?", "enum": ["once", "session", "always", "no"]}},
            "required": ["decision"],
        });
        assert_eq!(serde_json::to_value(question.schema()).unwrap(), expected);
    }

    #[test]
    fn a_refusal_says_who_did_not_agree_and_what_would_allow_it() {
        let asked = ToolError::new(ToolErrorCategory::ConfirmationRequired, "x", "`bash` needs a person")
            .with_prompt(prompt(&[], Some("rm \"x\"")));
        let refused = refusal(&asked, Unanswered::CannotAsk);
        assert_eq!(refused.message(), "`bash` needs a person; this client cannot ask a person");
        assert_eq!(
            refused.suggestion(),
            r#"Tell the user what should run and why. The operator can allow it with this rule: [[tools.permissions.bash]] pattern = "rm \"x\"", action = "allow""#
        );
        assert_eq!(refusal(&asked, Unanswered::Declined).code(), "declined");
    }
}
