//! Fuzzes `tools_fuzz::command_line`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tools_fuzz::check("shell_analysis", bytes));
