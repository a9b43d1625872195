//! `ToolExecutor` has exactly four required methods. A wrapper could forget to forward a fifth or a
//! default method, or answer it differently.

use super::rust_text::{RustFile, block_end};

const HOME: &str = "crates/tools-core/src/dispatch/executor.rs";
const TRAIT: &str = "trait ToolExecutor";
const METHODS: usize = 4;

pub(crate) fn check(files: &[RustFile]) -> Option<String> {
    // A workspace without the file does not have the trait; the layering check knows the crate by
    // name.
    let file = files.iter().find(|file| file.path == HOME)?;
    match methods(file) {
        None => Some(format!("{HOME}: without `{TRAIT}`")),
        Some(Methods { required: METHODS, provided: 0 }) => None,
        Some(Methods { required, provided }) => Some(format!(
            "{HOME}: `ToolExecutor` has {required} required and {provided} provided methods; it has exactly {METHODS} required"
        )),
    }
}

#[derive(Debug, PartialEq)]
struct Methods {
    required: usize,
    provided: usize,
}

fn methods(file: &RustFile) -> Option<Methods> {
    let code = file.code.as_bytes();
    let start = file.words(TRAIT).next()?;
    let end = block_end(code, start)?;
    let mut count = Methods { required: 0, provided: 0 };
    let mut from = start;
    for at in file.words("fn").filter(|at| (start..end).contains(at)) {
        if at < from {
            continue; // inside the body of a provided method
        }
        from = block_end(code, at)?;
        if code.get(from - 1) == Some(&b';') {
            count.required += 1;
        } else {
            count.provided += 1;
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(body: &str) -> Option<String> {
        check(&[RustFile::new(HOME, body)])
    }

    const FOUR: &str = "fn a(&self) -> Defs; fn b(&self) -> impl Future<Output = R> + Send; fn c(&self); fn d(&self);";

    #[test]
    fn four_required_methods_pass() {
        let text = format!("/// fn in a doc;\npub trait ToolExecutor: Send + Sync {{ {FOUR} }}\nfn outside() {{}}");
        assert_eq!(found(&text), None);
    }

    #[test]
    fn a_fifth_method_is_counted() {
        let text = format!("pub trait ToolExecutor {{ {FOUR} fn e(&self); }}");
        assert!(found(&text).is_some_and(|finding| finding.contains("5 required and 0 provided")));
    }

    #[test]
    fn a_default_is_counted() {
        let text = format!("pub trait ToolExecutor {{ {FOUR} fn e(&self) {{ fn inner() {{}} }} }}");
        assert!(found(&text).is_some_and(|finding| finding.contains("4 required and 1 provided")));
    }

    #[test]
    fn a_renamed_trait_is_missed_aloud() {
        assert!(found("pub trait ToolExecutorTwin {}").is_some());
    }
}
