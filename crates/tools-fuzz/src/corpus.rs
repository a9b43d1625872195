//! Inputs that reached new code when they were found.

use std::{fs, path::PathBuf};

use serde_json::Value;

/// The kept inputs of a target: a JSON list of strings, and of lists of bytes for inputs that are
/// not text.
///
/// # Panics
/// The inputs cannot be read.
pub fn corpus(name: &str) -> Vec<Vec<u8>> {
    let file: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../fuzz/inputs", &format!("{name}.json")].iter().collect();
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let inputs: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    inputs.into_iter().map(bytes).collect()
}

fn bytes(input: Value) -> Vec<u8> {
    match input {
        Value::String(text) => text.into_bytes(),
        list => serde_json::from_value(list).expect("an input is a text or a list of bytes"),
    }
}
