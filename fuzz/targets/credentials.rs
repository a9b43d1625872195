//! Fuzzes `tools_fuzz::credentials`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("credentials", bytes));
