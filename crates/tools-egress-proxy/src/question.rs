//! The question about a host: which program of which command wants to connect to what.

use tools_core::{ConfirmPrompt, NamedBy, PromptPart, Redactor, StoredRule, Subject, ToolName, Verdict};
use tools_egress::endpoint::UndecidedConnection;
use tools_policy::permissions::NETWORK;

/// Maximum number of characters of a command line that a question shows.
const MAX_CHARS: usize = 200;

/// Text in place of a rule if no rule decides.
pub(crate) const NO_RULE: &str = "no rule of `tools.permissions.network` allows it";

/// The rule that an answer stores: this host and this port.
pub(crate) fn rule(wanted: &UndecidedConnection) -> Option<StoredRule> {
    Some(StoredRule::new(ToolName::parse(NETWORK).ok()?, wanted.target.to_string()))
}

/// The question. `line` is the command; credentials in it are not shown.
pub(crate) fn prompt(wanted: &UndecidedConnection, line: &str, redactor: &dyn Redactor) -> Option<ConfirmPrompt> {
    let program = wanted.caller.program.as_deref().unwrap_or("a program");
    let line = redactor.redact(line);
    let mut shown: String = line.chars().take(MAX_CHARS).collect();
    if shown.len() < line.len() {
        shown.push('…');
    }
    let subject = Subject::Host { host: wanted.target.to_string(), by: NamedBy::Call };
    let rule_name = wanted.rule.clone().unwrap_or_else(|| NO_RULE.to_owned());
    let part = PromptPart { subject, verdict: Verdict::Ask, rule: rule_name };
    let reason = format!("`{program}` connects to this host, for the command: {shown}");
    let tool = ToolName::parse(NETWORK).ok()?;
    Some(ConfirmPrompt::new(tool, reason, vec![part]).storing(rule(wanted)))
}
