//! Fuzzes `tools_fuzz::skills`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("skills", bytes));
