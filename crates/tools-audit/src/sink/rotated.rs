//! Names of earlier files of a log.

/// The name of an earlier file: `audit.jsonl` with the last line 42 becomes
/// `audit-000000000042.jsonl`.
pub(super) fn rotated_name(log: &str, last: u64) -> String {
    let (stem, extension) = parts(log);
    format!("{stem}-{last:012}{extension}")
}

/// The number of the last line of an earlier file; `None` for any other name.
pub(crate) fn last_number(log: &str, name: &str) -> Option<u64> {
    let (stem, extension) = parts(log);
    name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(extension)?.parse().ok()
}

/// A name before its extension, and the extension with its dot; empty if there is none.
fn parts(name: &str) -> (&str, &str) {
    name.rfind('.').filter(|at| *at > 0).map_or((name, ""), |at| name.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_made() {
        assert_eq!(rotated_name("audit.jsonl", 42), "audit-000000000042.jsonl");
        for log in ["audit.jsonl", "audit", ".audit", "a.b.jsonl"] {
            for last in [0, 42, 1_000_000_000_000] {
                assert_eq!(last_number(log, &rotated_name(log, last)), Some(last), "{log}");
            }
            for name in [log, "audit-x.jsonl", "other-000000000042.jsonl", "audit-000000000042.jsonl.new", ""] {
                assert_eq!(last_number(log, name), None, "{log} {name}");
            }
        }
    }
}
