//! Fuzzes `tools_fuzz::edits`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("edits", bytes));
