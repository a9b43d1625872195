//! Fuzzes `tools_fuzz::permission_rules`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("permission_rules", bytes));
