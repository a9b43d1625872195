//! Texts that replace a credential in examples and redacted texts; read only by the build script.

/// Patterns, of which one must match.
pub(crate) const EXAMPLE: &[&str] = &[
    r"(?i:example|changeme|change_me|change-me|placeholder|redacted|your_|your-|dummy|hidden|undefined|xxxx|insert_|replace_)",
    // Values from standards, and `user:pass` in base64.
    r"QWxhZGRpbjpvcGVu|YWxhZGRpbjpvcGVu|dXNlcm5hbWU6cGFzc3|dXNlcjpwYXNz|czZCaGRSa3F0M|2YotnFZFEjr1|tGzv3JOkF0XG|SlAV32hkKG|mF_9\.B5f",
    r"(?i:sample|anonymous|random|not-a-|todo|abcdefgh|12345678|abc123|abcd1234|%s|battery.{0,3}staple|&lt;|aws4_request|^my_?(?:personal)?_?(?:access)?_?token\d*$)|\*{4}|\.{4}|«|»|\{\}|\$\{|\{\{",
];
