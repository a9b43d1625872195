//! Fuzzes `tools_fuzz::model_answers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("model_answers", bytes));
