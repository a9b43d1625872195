//! Fuzzes `tools_fuzz::stored_approvals`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("stored_approvals", bytes));
