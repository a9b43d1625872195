//! Statistics over the lines of a record, one line at a time: savings, confidence of the filters,
//! decisions on calls.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

/// Approximate bytes per token: token counts are estimates, as in `haft tools --cost`.
const TOKEN: u64 = 4;

#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Figures {
    calls: u64,
    failed: u64,
    /// Number of calls by decision: `allow`, `ask`, `deny`.
    decisions: BTreeMap<String, u64>,
    /// Bytes that tools returned.
    raw: u64,
    shown: u64,
    tokens_saved: u64,
    /// Number of filtered outputs by the filter's confidence.
    confidence: BTreeMap<String, u64>,
}

impl Figures {
    /// Adds a line; lines that are not calls are ignored.
    pub(super) fn add(&mut self, line: &[u8]) {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { return };
        if !line["tool"].is_string() {
            return;
        }
        self.calls += 1;
        self.failed += u64::from(line["error_code"].is_string());
        if let Some(decision) = line["decision"].as_str() {
            *self.decisions.entry(decision.to_owned()).or_default() += 1;
        }
        let shown = line["bytes"]["model"].as_u64().unwrap_or_default();
        let raw = line["bytes"]["raw"].as_u64().unwrap_or_default().max(shown);
        self.raw = self.raw.saturating_add(raw);
        self.shown = self.shown.saturating_add(shown);
        self.tokens_saved = (self.raw - self.shown) / TOKEN;
        if let Some(confidence) = line["filter"]["confidence"].as_str() {
            *self.confidence.entry(confidence.to_owned()).or_default() += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_added_up_and_what_is_no_call_is_not() {
        let mut figures = Figures::default();
        let filtered = json!({"tool": "bash", "decision": "allow", "bytes": {"raw": 4100, "model": 100},
                              "filter": {"rule": "cargo", "confidence": "full"}});
        let failed = json!({"tool": "read", "decision": "deny", "error_code": "x", "bytes": {"model": 10}});
        for line in [filtered.to_string(), failed.to_string(), json!({"host": "h"}).to_string(), "no JSON".to_owned()] {
            figures.add(line.as_bytes());
        }
        let found = serde_json::to_value(figures).expect("it is data");
        let expected = json!({"calls": 2, "failed": 1, "decisions": {"allow": 1, "deny": 1}, "raw": 4110, "shown": 110,
                              "tokens_saved": 1000, "confidence": {"full": 1}});
        assert_eq!(found, expected);
    }
}
