//! What stands in examples and in redacted texts instead of a credential; read by the build script
//! only.

/// Patterns, one of which matches.
pub(crate) const EXAMPLE: &[&str] = &[
    r"(?i:example|changeme|change_me|change-me|placeholder|redacted|your_|your-|dummy|hidden|undefined|xxxx|insert_|replace_)",
    r"(?i:sample|not-a-|todo|abcdefgh|12345678|abc123|abcd1234|%s)|\*{4}|\.{4}|«|»|\{\}|\$\{|\{\{",
];
