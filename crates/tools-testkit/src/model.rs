//! A static embedding model with a few words, in the files of a real one.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

/// The words with their vectors.
const WORDS: [(&str, [f32; 2]); 5] = [
    ("[UNK]", [0.0, 0.0]),
    ("car", [1.0, 0.0]),
    ("automobile", [0.9, 0.1]),
    ("cheese", [0.0, 1.0]),
    ("red", [0.4, 0.4]),
];

/// Writes a static model into an existing folder. In it, a car is similar to an automobile, and
/// cheese to neither. Other words have zero vectors.
pub fn write_model(folder: &Path) {
    let write = |file: &str, bytes: &[u8]| fs::write(folder.join(file), bytes).expect("the folder can be written");
    write("tokenizer.json", tokenizer().as_bytes());
    write("model.safetensors", &table());
    write("config.json", br#"{"normalize": false}"#);
}

fn tokenizer() -> String {
    let vocabulary: Map<String, Value> =
        WORDS.iter().enumerate().map(|(number, (word, _))| ((*word).to_owned(), json!(number))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    })
    .to_string()
}

/// The safetensors format: the length of a header, the header, the numbers.
fn table() -> Vec<u8> {
    let numbers: Vec<u8> =
        WORDS.iter().flat_map(|(_, vector)| vector).flat_map(|number| number.to_le_bytes()).collect();
    let header = json!({"embeddings": {"dtype": "F32", "shape": [WORDS.len(), 2], "data_offsets": [0, numbers.len()]}});
    let mut header = header.to_string().into_bytes();
    header.resize(header.len().next_multiple_of(8), b' ');
    [&(header.len() as u64).to_le_bytes()[..], &header, &numbers].concat()
}
