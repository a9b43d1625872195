//! Fuzzes `tools_fuzz::filter_rules`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("filter_rules", bytes));
