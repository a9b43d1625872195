//! A server's list of tools with the verdict for each: which may be called.

use std::collections::HashMap;

use crate::pins::Finding;

/// Reason why a tool may not be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoldReason {
    /// The server does not list it, or the configuration does not offer it.
    Missing,
    /// A person has to review it first.
    Because(String),
}

/// A judged list.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Result for each tool, in the order of the list; missing tools come last.
    pub findings: Vec<Finding>,
    held: HashMap<String, Option<HoldReason>>,
}

impl Listing {
    /// Builds the list with the reason for each held tool; a tool without one may be called.
    pub(crate) fn new(findings: Vec<Finding>, held: impl Fn(&Finding) -> Option<HoldReason>) -> Self {
        let held = findings.iter().map(|finding| (finding.tool.clone(), held(finding))).collect();
        Self { findings, held }
    }

    /// The reason why a tool may not be called; `None` if it may.
    pub fn held(&self, tool: &str) -> Option<&HoldReason> {
        self.held.get(tool).map_or(Some(&HoldReason::Missing), Option::as_ref)
    }
}
