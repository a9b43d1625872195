//! `haft policy replay`: decides the recorded calls again with this configuration.

use std::{collections::BTreeMap, path::Path};

use haft::audit::view::Follower;
use haft::core::{ToolCall, TrustLevel, Verdict};
use haft::{Explanation, Toolbox};
use serde_json::{Value, json};

use crate::{
    args::CommonArgs,
    commands::{explain::word, open::open, record_file::RecordFile},
    exit::Exit,
    output::{self, one_line},
};

/// Error categories of calls that fail before they are judged.
const UNJUDGED: [&str; 3] = ["tool_not_found", "invalid_parameters", "type_mismatch"];

#[derive(Debug, Clone)]
pub(crate) struct RecordedCall {
    pub(crate) seq: u64,
    pub(crate) call: ToolCall,
    trust: TrustLevel,
    /// Verdict of the gates at that time. If a person approved, it is still `Ask`.
    pub(crate) verdict: Verdict,
    /// Whether the call ran.
    pub(crate) ran: bool,
}

impl RecordedCall {
    /// Parses the call of a line; `None` if there is none, or its parameters were cut.
    fn of(line: &[u8]) -> Option<Self> {
        let line: Value = serde_json::from_slice(line).ok()?;
        let text = |key: &str| line.get(key).and_then(Value::as_str);
        let call = ToolCall::new(text("tool")?, line.get("call")?.clone()).ok()?;
        let verdict = match text("decision")? {
            _ if text("approved_by") == Some("person") => Verdict::Ask,
            // No gate judged a call of an unknown tool or with invalid parameters.
            _ if text("error_category").is_some_and(|category| UNJUDGED.contains(&category)) => Verdict::Deny,
            "allow" => Verdict::Allow,
            "ask" => Verdict::Ask,
            _ => Verdict::Deny,
        };
        let trust = match text("trust") {
            Some("Untrusted") => TrustLevel::Untrusted,
            Some("Provisional") => TrustLevel::Provisional,
            _ => TrustLevel::Trusted,
        };
        let ran = text("result").is_some_and(|result| result != "not_executed");
        Some(Self { seq: line.get("seq").and_then(Value::as_u64).unwrap_or_default(), call, trust, verdict, ran })
    }

    /// Decision that the toolbox would make now.
    pub(crate) async fn judged(&self, toolbox: &Toolbox) -> Explanation {
        toolbox.explain(self.call.clone(), &toolbox.context().capped(self.trust)).await
    }

    /// Short description of the call.
    pub(crate) fn about(&self) -> String {
        let telling = ["command", "path", "url", "source"].iter().find_map(|key| self.call.params.get(*key)?.as_str());
        let all = || Value::Object(self.call.params.clone()).to_string();
        let text = telling.map_or_else(all, str::to_owned);
        one_line(&text).chars().take(80).collect()
    }
}

/// Reads the calls of the named record, else of the configured one.
pub(crate) async fn past(toolbox: &Toolbox, audit: Option<&Path>) -> Result<Vec<RecordedCall>, String> {
    let file = match audit {
        Some(file) => RecordFile::of(file),
        None => RecordFile::configured(toolbox.config()).await?,
    };
    let mut follower = Follower::from_start(&file).map_err(|error| error.to_string())?;
    let lines = follower.poll().map_err(|error| error.to_string())?;
    Ok(lines.iter().filter_map(|line| RecordedCall::of(line)).collect())
}

/// Judges every recorded call again.
pub(crate) async fn run(common: &CommonArgs, audit: Option<&Path>, all: bool) -> Result<Exit, String> {
    let toolbox = open(common)?;
    let mut counts: BTreeMap<(Verdict, Verdict), usize> = BTreeMap::new();
    for past in past(&toolbox, audit).await? {
        let now = past.judged(&toolbox).await;
        *counts.entry((past.verdict, now.verdict)).or_default() += 1;
        if now.verdict == past.verdict && !all {
            continue;
        }
        if common.json {
            output::json(&json!({
                "seq": past.seq,
                "tool": past.call.tool,
                "about": past.about(),
                "then": past.verdict,
                "now": now.verdict,
                "decided_by": now.decided_by,
            }));
        } else {
            output::line(&format!(
                "{:>6}  {:>5} -> {:<5}  {:<12} {:<50}  {}",
                past.seq,
                word(past.verdict),
                word(now.verdict),
                past.call.tool,
                past.about(),
                one_line(&now.decided_by)
            ));
        }
    }
    if !common.json {
        let total: usize = counts.values().sum();
        let same: usize = counts.iter().filter(|((then, now), _)| then == now).map(|(_, count)| count).sum();
        output::line(&format!("{total} calls: {same} unchanged"));
        for ((then, now), count) in counts.iter().filter(|((then, now), _)| then != now) {
            output::line(&format!("{count:>6}  {} -> {}", word(*then), word(*now)));
        }
    }
    Ok(Exit::Ok)
}
