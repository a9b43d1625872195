//! Fuzzes `tools_fuzz::audit_lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("audit_lines", bytes));
