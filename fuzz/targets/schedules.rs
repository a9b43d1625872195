//! Fuzzes `tools_fuzz::schedules`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("schedules", bytes));
