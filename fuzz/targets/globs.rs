//! Fuzzes `tools_fuzz::globs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("globs", bytes));
