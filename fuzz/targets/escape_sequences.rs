//! Fuzzes `tools_fuzz::escape_sequences`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("escape_sequences", bytes));
