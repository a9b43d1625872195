//! Fuzzes `tools_fuzz::hook_input`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("hook_input", bytes));
