//! Fuzzes `tools_fuzz::host_files`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("host_files", bytes));
