//! The texts for a model about a call that no person agreed to. No other module has such texts.

use super::{Absence, ConfirmPrompt, Verdict};
use crate::{ToolError, ToolErrorCategory, VisibleText};

/// Maximum number of rules that a refusal names.
const NAMED_RULES: usize = 3;
/// Maximum length in characters of a pattern in a refusal; nobody would write a longer one as a
/// rule.
const MAX_PATTERN_CHARS: usize = 400;
/// Advice on how to shorten a question.
const SPLIT: &str = "Split the command into several calls, each with fewer or shorter commands.";

/// Reason why there is no consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalReason {
    /// A person refused, perhaps with their own words for the model.
    Declined(Option<String>),
    /// No person answered.
    Absent(Absence),
    /// The answer belongs to no open question.
    Stale,
    /// The question is too long to be shown whole.
    TooLong {
        /// Number of characters that ask.
        chars: usize,
        /// Number of parts that ask.
        parts: usize,
    },
}

/// The refusal of a call that a person should have agreed to. Keeps the category, the gate's
/// message, and the question.
pub fn refusal(asked: &ToolError, why: &RefusalReason) -> ToolError {
    let said = match why {
        RefusalReason::Declined(_) => "the person declined".to_owned(),
        RefusalReason::Absent(Absence::CannotAsk) => "nobody can be asked here".to_owned(),
        RefusalReason::Absent(Absence::NoAnswer) => "nobody answered".to_owned(),
        RefusalReason::Absent(Absence::Dismissed) => "the question was dismissed".to_owned(),
        RefusalReason::Absent(Absence::NotShown) => {
            "the client shows only the beginning of a question, and this one is longer, so nobody was asked".to_owned()
        }
        RefusalReason::Stale => "the answer belongs to no open question".to_owned(),
        RefusalReason::TooLong { chars, parts } => format!(
            "the question is too long to be shown whole ({chars} characters in {parts} parts), so nobody was asked"
        ),
    };
    let code = code(why);
    let error = ToolError::new(ToolErrorCategory::ConfirmationRequired, code, format!("{}; {said}", asked.message()));
    let error = match asked.prompt() {
        Some(prompt) => error.with_prompt(prompt.clone()),
        None => error,
    };
    error.with_suggestion(advice(asked.prompt(), why))
}

/// Whether a refusal means that no person answered, so that asking in another way could still help.
pub fn is_unanswered(error: &ToolError) -> bool {
    let absences = [Absence::CannotAsk, Absence::NoAnswer, Absence::Dismissed, Absence::NotShown];
    absences.into_iter().any(|absence| code(&RefusalReason::Absent(absence)) == error.code())
}

fn code(why: &RefusalReason) -> &'static str {
    match why {
        RefusalReason::Declined(_) => "declined",
        RefusalReason::Absent(Absence::CannotAsk) => "nobody_to_ask",
        RefusalReason::Absent(Absence::NoAnswer) => "nobody_answered",
        RefusalReason::Absent(Absence::Dismissed) => "question_dismissed",
        RefusalReason::Absent(Absence::NotShown) | RefusalReason::TooLong { .. } => "question_too_long",
        RefusalReason::Stale => "stale_answer",
    }
}

fn advice(prompt: Option<&ConfirmPrompt>, why: &RefusalReason) -> String {
    let first = match why {
        RefusalReason::Declined(Some(words)) if !words.is_empty() => {
            format!("Do not try this again; the person said: {words}.")
        }
        RefusalReason::Declined(_) => {
            "Do not try this again unless the user asks for it; reach the goal another way.".to_owned()
        }
        RefusalReason::TooLong { .. } | RefusalReason::Absent(Absence::NotShown) => SPLIT.to_owned(),
        RefusalReason::Absent(_) | RefusalReason::Stale => {
            "Tell the user what should run and why, and go on with something else.".to_owned()
        }
    };
    match prompt {
        Some(prompt) => format!("{first} {}", how_to_allow(prompt)),
        None => first,
    }
}

/// The configuration that lets the call run without a question.
fn how_to_allow(prompt: &ConfirmPrompt) -> String {
    let tool = &prompt.tool;
    if let Some(rule) = prompt.would_store.as_ref().filter(|rule| rule.pattern.chars().count() <= MAX_PATTERN_CHARS) {
        let pattern = serde_json::Value::from(rule.pattern.as_str());
        return format!(
            "The operator can allow it with this rule, in three lines of the configuration:\n[[tools.permissions.{}]]\n\
             pattern = {pattern}\naction = \"allow\"",
            rule.tool
        );
    }
    let asking = prompt.parts.iter().filter(|part| part.verdict == Verdict::Ask);
    let mut rules: Vec<String> = asking.map(|part| format!("`{}`", VisibleText::of(&part.rule))).collect();
    rules.dedup();
    rules.truncate(NAMED_RULES);
    if rules.is_empty() {
        return format!("The operator can allow it in `tools.permissions.{tool}`.");
    }
    format!("The operator decides by: {}", rules.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PromptPart, StoredRule, Subject, ToolName};

    fn asked(pattern: Option<&str>) -> ToolError {
        let tool = ToolName::parse("bash").unwrap();
        let part = PromptPart {
            subject: Subject::Opaque { why: "x".to_owned() },
            verdict: Verdict::Ask,
            rule: "permissions.bash".to_owned(),
        };
        let rule = pattern.map(|pattern| StoredRule::new(tool.clone(), pattern.to_owned()));
        let prompt = ConfirmPrompt::new(tool, "no rule covers it", vec![part]).storing(rule);
        ToolError::new(ToolErrorCategory::ConfirmationRequired, "x", "`bash` needs a person").with_prompt(prompt)
    }

    #[test]
    fn a_refusal_says_who_did_not_agree_and_what_would_allow_it() {
        let check = |why: RefusalReason, pattern: Option<&str>, code: &str, message: &str, suggestion: &str| {
            let refused = refusal(&asked(pattern), &why);
            assert_eq!((refused.code(), refused.suggestion()), (code, suggestion));
            assert_eq!(refused.message(), format!("`bash` needs a person; {message}"));
            assert_eq!(refused.category(), ToolErrorCategory::ConfirmationRequired);
            let has_answer = matches!(why, RefusalReason::Declined(_) | RefusalReason::Stale);
            assert_eq!(is_unanswered(&refused), !has_answer, "{why:?}");
        };
        let absent = RefusalReason::Absent;
        check(
            absent(Absence::CannotAsk),
            Some("rm \"x\""),
            "nobody_to_ask",
            "nobody can be asked here",
            "Tell the user what should run and why, and go on with something else. The operator can allow it with this rule, in three lines of the configuration:\n[[tools.permissions.bash]]\npattern = \"rm \\\"x\\\"\"\naction = \"allow\"",
        );
        let tell = "Tell the user what should run and why, and go on with something else. The operator decides by: `permissions.bash`";
        check(absent(Absence::NoAnswer), None, "nobody_answered", "nobody answered", tell);
        check(absent(Absence::Dismissed), None, "question_dismissed", "the question was dismissed", tell);
        check(RefusalReason::Stale, None, "stale_answer", "the answer belongs to no open question", tell);
        check(
            RefusalReason::Declined(None),
            None,
            "declined",
            "the person declined",
            "Do not try this again unless the user asks for it; reach the goal another way. The operator decides by: `permissions.bash`",
        );
        check(
            RefusalReason::Declined(Some("use write".to_owned())),
            Some("x"),
            "declined",
            "the person declined",
            "Do not try this again; the person said: use write. The operator can allow it with this rule, in three lines of the configuration:\n[[tools.permissions.bash]]\npattern = \"x\"\naction = \"allow\"",
        );
        check(
            RefusalReason::TooLong { chars: 9000, parts: 3 },
            Some(&"x".repeat(9000)),
            "question_too_long",
            "the question is too long to be shown whole (9000 characters in 3 parts), so nobody was asked",
            "Split the command into several calls, each with fewer or shorter commands. The operator decides by: `permissions.bash`",
        );
        check(
            absent(Absence::NotShown),
            Some("x"),
            "question_too_long",
            "the client shows only the beginning of a question, and this one is longer, so nobody was asked",
            "Split the command into several calls, each with fewer or shorter commands. The operator can allow it with this rule, in three lines of the configuration:\n[[tools.permissions.bash]]\npattern = \"x\"\naction = \"allow\"",
        );
    }
}
