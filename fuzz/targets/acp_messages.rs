//! Fuzzes `tools_fuzz::acp_messages`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("acp_messages", bytes));
