//! Fuzzes `tools_fuzz::pages`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("pages", bytes));
