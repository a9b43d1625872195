//! Fuzzes `tools_fuzz::filtered_output`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("filtered_output", bytes));
