//! The kept inputs of every target, and that each target is complete.

#![expect(clippy::unwrap_used, reason = "a failed set-up is a failed test")]

/// A test for each target, so that they run side by side and a failure names its target.
macro_rules! with_targets {
    ($tests:ident) => {
        $tests! {
            acp_messages audit_lines configuration credentials edits escape_sequences filter_rules filtered_output
            globs hook_input host_files mcp_messages model_answers pages permission_rules proxied_requests schedules
            shell_analysis skills stored_approvals tool_definitions urls
        }
    };
}
use with_targets;

mod kept;
mod mutated;
mod targets;
