//! Fuzzes `tools_fuzz::configuration`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("configuration", bytes));
