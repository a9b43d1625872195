//! The hosts that commands tried to reach through the gate, from the lines of their connections.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// Maximum number of hosts counted individually; a command may try any number.
const MAX_HOSTS: usize = 2000;

/// Connections by host and port.
#[derive(Debug, Default)]
pub(super) struct Hosts(pub(super) BTreeMap<String, HostUsage>);

#[derive(Debug, Default)]
pub(super) struct HostUsage {
    pub(super) connections: u64,
    pub(super) refused: u64,
    pub(super) sent: u64,
    pub(super) received: u64,
    pub(super) programs: BTreeSet<String>,
    pub(super) rule: String,
}

impl Hosts {
    /// Adds the connection of a line if its session is selected; returns whether the line is one.
    pub(super) fn add(&mut self, line: &[u8], is_asked_for: impl FnOnce(&str) -> bool) -> bool {
        // Most lines are calls, and parsing them twice would be slow.
        if !line.windows(20).any(|bytes| bytes == br#""event":"connection""#) {
            return false;
        }
        let Ok(line) = serde_json::from_slice::<Map<String, Value>>(line) else { return false };
        let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or_default();
        let number = |key: &str| line.get(key).and_then(Value::as_u64).unwrap_or_default();
        if text("event") != "connection" {
            return false;
        }
        let is_inbound = line.get("inbound") == Some(&Value::Bool(true));
        let name =
            format!("{}{}:{}", if is_inbound { "from this machine to " } else { "" }, text("host"), number("port"));
        if is_asked_for(text("session")) && (self.0.len() < MAX_HOSTS || self.0.contains_key(&name)) {
            let reached = self.0.entry(name).or_default();
            reached.connections += 1;
            reached.refused += u64::from(text("decision") == "deny");
            reached.sent += number("sent");
            reached.received += number("received");
            reached.programs.extend(Some(text("program")).filter(|name| !name.is_empty()).map(str::to_owned));
            text("rule").clone_into(&mut reached.rule);
        }
        true
    }
}
