//! Fuzzes `tools_fuzz::mcp_messages`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("mcp_messages", bytes));
