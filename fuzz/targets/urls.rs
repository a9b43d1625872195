//! Fuzzes `tools_fuzz::urls`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("urls", bytes));
