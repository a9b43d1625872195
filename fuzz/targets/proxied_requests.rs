//! Fuzzes `tools_fuzz::proxied_requests`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("proxied_requests", bytes));
