//! The estimate against a real tokenizer.

use std::{fs, path::Path};

use tools_filter::estimate_tokens;

/// All fixtures of one kind are one text: a single short one says little about what an estimate is
/// for.
#[test]
fn the_estimate_is_within_fifteen_percent_of_o200k() {
    let encoding = tiktoken::get_encoding("o200k_base").expect("the vocabulary is built in");
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default();
    let mut kinds: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(here.join("tests/it/fixtures")).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|end| end == "raw") {
            let kind = path.file_stem().unwrap().to_string_lossy().split('-').next().unwrap().to_owned();
            let text = read(&path);
            match kinds.iter_mut().find(|(name, _)| *name == kind) {
                Some((_, texts)) => texts.push_str(&text),
                None => kinds.push((kind, text)),
            }
        }
    }
    for source in ["src/pipeline.rs", "src/command.rs", "src/builtin.toml", "README.md", "../../docs/architecture.md"] {
        kinds.push((source.to_owned(), read(&here.join(source))));
    }
    let json = serde_json::json!({"id": 17, "name": "read", "input": {"path": "src/lib.rs", "limit": 200}, "ok": true});
    kinds.push(("json".to_owned(), vec![json.to_string(); 20].join("\n")));
    for (kind, text) in kinds.iter().filter(|(_, text)| text.len() > 1500) {
        let (counted, estimate) = (encoding.encode(text).len(), estimate_tokens(text));
        let error = estimate.abs_diff(counted) * 100 / counted;
        assert!(error <= 15, "{kind}: {estimate} for {counted}, {error} %");
    }
}
