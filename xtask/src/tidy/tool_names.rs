//! No code may depend on the name of a tool; such differences are fields of its definition. This
//! rule searches for names of built-in tools in comparisons and patterns. Definitions of tools and
//! defaults in the configuration use names only as values.

use std::ops::Range;

use super::rust_text::RustFile;

const TOOLS: &[&str] = &[
    "bash",
    "read",
    "edit",
    "write",
    "grep",
    "find_path",
    "list_directory",
    "create_directory",
    "delete_path",
    "move_path",
    "copy_path",
    "fetch",
    "web_scrape",
    "diagnostics",
    "search_code",
    "read_overflow",
    "memory_search",
    "memory_save",
    "load_skill",
    "invoke_skill",
    "schedule_periodic",
    "schedule_deferred",
    "cancel_task",
    "compress_context",
];

/// Places in which the same words have another meaning, with that meaning.
const ELSEWHERE: &[(&str, &str)] = &[
    ("crates/tools-command/src/", "names of programs and shell builtins in a command line"),
    ("crates/tools-shell/src/", "names of programs and shell builtins in a command line"),
    ("crates/tools-filter/src/", "names of programs whose output is filtered"),
    ("crates/tools-hosts/src/hook/", "names of tools of other agents"),
    ("crates/tools-testkit/", "doubles for tests"),
    ("crates/tools-bench/", "names of benches"),
    ("xtask/", "this list"),
];

pub(crate) fn check(file: &RustFile) -> Vec<String> {
    if is_exempt(file) {
        return Vec::new();
    }
    file.strings
        .iter()
        .filter_map(|range| {
            let name = file.text.get(range.clone())?.trim_matches('"');
            (TOOLS.contains(&name) && is_compared(&file.code, range)).then(|| {
                let advice = "ask the definition's traits or the inspection";
                format!("{}:{}: the tool name `{name}` decides something: {advice}", file.path, file.line(range.start))
            })
        })
        .collect()
}

fn is_exempt(file: &RustFile) -> bool {
    let is_home = file.path.contains("/tools/") || file.path.ends_with("/config.rs");
    is_home || file.is_test() || ELSEWHERE.iter().any(|(prefix, _)| file.path.starts_with(prefix))
}

/// Whether a literal is next to `==` or `!=`, in a pattern before `=>`, or the argument of `.eq(`.
fn is_compared(code: &str, literal: &Range<usize>) -> bool {
    let before = code.get(..literal.start).unwrap_or_default().trim_end();
    let after = code.get(literal.end..).unwrap_or_default();
    let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == ')' || c == ']');
    let is_operand =
        before.ends_with("==") || before.ends_with("!=") || after.starts_with("==") || after.starts_with("!=");
    let is_pattern = after.starts_with("=>") || (after.starts_with('|') && !after.starts_with("||"));
    let is_argument = [".eq(", ".ne(", "matches!("].iter().any(|call| before.ends_with(call));
    // `"a" | "bash"` ends a pattern; `|a| "bash"` is a closure that returns a value.
    let is_last_alternative = before.strip_suffix('|').is_some_and(|rest| rest.trim_end().ends_with('"'));
    is_operand || is_pattern || is_argument || is_last_alternative
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, body: &str) -> usize {
        check(&RustFile::new(path, body)).len()
    }

    const HERE: &str = "crates/tools-audit/src/layer.rs";

    #[test]
    fn comparisons_and_patterns_are_found() {
        for body in [
            r#"if call.tool == "bash" {}"#,
            r#"if "bash" != name {}"#,
            r#"match name { "read" => 1, _ => 0 }"#,
            r#"match name { Some("read") => 1, _ => 0 }"#,
            r#"matches!(name, "x" | "write")"#,
            r#"if name.eq("grep") {}"#,
        ] {
            assert_eq!(lines(HERE, body), 1, "{body}");
        }
    }

    #[test]
    fn values_and_other_words_pass() {
        for body in [
            r#"ToolDef::of::<Args>("read", ToolKind::Read)"#,
            r#"match access { Access::Read => "read", Access::Write => "write" }"#,
            r#"if name == "build" || is("bash") {}"#,
            r#"names.map(|_| "bash")"#,
            r#"// if tool == "bash""#,
            "#[cfg(test)] mod tests { fn a() { tool == \"bash\" } }",
        ] {
            assert_eq!(lines(HERE, body), 0, "{body}");
        }
    }

    #[test]
    fn the_tools_own_files_are_exempt() {
        let body = r#"if name == "read" {}"#;
        assert_eq!(lines("crates/tools-file/src/tools/read.rs", body), 0);
        assert_eq!(lines("crates/tools-policy/src/trust/config.rs", body), 0);
        assert_eq!(lines("crates/haft/tests/it/tools.rs", body), 0);
        assert_eq!(lines("crates/haft/src/toolbox.rs", body), 1);
    }
}
