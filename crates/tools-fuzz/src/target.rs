//! The list of targets.

use crate::{
    acp_messages, audit_lines, command_line, configuration, credentials, edits, escape_sequences, filter_rules,
    filtered_output, globs, hook_input, host_files, mcp_messages, model_answers, pages, permission_rules,
    proxied_requests, schedules, skills, stored_approvals, tool_definitions, urls,
};

/// A parser with its invariants.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, also that of its file in `fuzz/targets` and of its kept inputs.
    pub name: &'static str,
    /// Runs the target; panics if an invariant is broken.
    pub check: fn(&[u8]),
}

/// Every target, in the order of the names.
pub const TARGETS: &[Target] = &[
    Target { name: "acp_messages", check: acp_messages::check },
    Target { name: "audit_lines", check: audit_lines::check },
    Target { name: "configuration", check: configuration::check },
    Target { name: "credentials", check: credentials::check },
    Target { name: "edits", check: edits::check },
    Target { name: "escape_sequences", check: escape_sequences::check },
    Target { name: "filter_rules", check: filter_rules::check },
    Target { name: "filtered_output", check: filtered_output::check },
    Target { name: "globs", check: globs::check },
    Target { name: "hook_input", check: hook_input::check },
    Target { name: "host_files", check: host_files::check },
    Target { name: "mcp_messages", check: mcp_messages::check },
    Target { name: "model_answers", check: model_answers::check },
    Target { name: "pages", check: pages::check },
    Target { name: "permission_rules", check: permission_rules::check },
    Target { name: "proxied_requests", check: proxied_requests::check },
    Target { name: "schedules", check: schedules::check },
    Target { name: "shell_analysis", check: command_line::check },
    Target { name: "skills", check: skills::check },
    Target { name: "stored_approvals", check: stored_approvals::check },
    Target { name: "tool_definitions", check: tool_definitions::check },
    Target { name: "urls", check: urls::check },
];

/// The target with this name; `None` if there is none.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Runs the target with this name.
///
/// # Panics
/// There is no such target, or an invariant is broken.
pub fn check(name: &str, bytes: &[u8]) {
    let target = target(name).unwrap_or_else(|| panic!("no target is named `{name}`"));
    (target.check)(bytes);
}
