//! The record of one connection of a command: a separate line, since a job's connections outlive
//! its call.

use schemars::JsonSchema;
use serde::Serialize;
use tools_core::Redactor;

/// A connection that has ended or was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ConnectionLine<'a> {
    /// The session of the command.
    pub session: &'a str,
    /// The host that was asked for.
    pub host: &'a str,
    /// Its port.
    pub port: u16,
    /// The address that was connected to; left out when none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The program; left out when it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<&'a str>,
    /// The command line it belongs to; left out when it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'a str>,
    /// `allow` or `deny`.
    pub decision: &'static str,
    /// The rule, the answer or the reason that decided.
    pub rule: &'a str,
    /// Reason why it broke off although it was allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'a str>,
    /// Whether it came from this machine to a port that the command publishes; the host is the
    /// command's own then. Left out when it went out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inbound: bool,
    /// Bytes that went to the host.
    pub sent: u64,
    /// Bytes that came from it.
    pub received: u64,
    /// Duration of the connection.
    pub duration_ms: u64,
}

/// Maximum length in characters of a recorded command line.
const COMMAND_CHARS: usize = 200;

impl ConnectionLine<'_> {
    /// The members of the line, without braces, after its time.
    pub(crate) fn to_body(&self, now: &str, redactor: &dyn Redactor) -> Result<String, serde_json::Error> {
        let command = self.command.map(|line| redactor.redact(line).chars().take(COMMAND_CHARS).collect::<String>());
        let rule = redactor.redact(self.rule);
        let line = ConnectionLine { command: command.as_deref(), rule: &rule, ..self.clone() };
        let text = serde_json::to_string(&line)?;
        let members = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or_default();
        Ok(format!(r#""ts":"{now}","event":"connection",{members}"#))
    }
}
