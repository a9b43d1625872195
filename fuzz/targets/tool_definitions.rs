//! Fuzzes `tools_fuzz::tool_definitions`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("tool_definitions", bytes));
