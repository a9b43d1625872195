//! Decides whether the calls of one answer may run concurrently. Pure.

use std::path::Path;

use tools_core::{Access, Inspection, Subject};

/// Whether calls with these inspections have the same results in any order: all of them only read,
/// or each names what it changes and no other call touches it. `None` stands for a call that cannot
/// be inspected.
pub(crate) fn may_run_at_once<'a>(inspections: impl IntoIterator<Item = Option<&'a Inspection>>) -> bool {
    let mut all: Vec<TouchedPaths<'a>> = Vec::new();
    for inspection in inspections {
        let Some(touched) = inspection.and_then(TouchedPaths::of) else { return false };
        if all.iter().any(|other| other.meets(&touched)) {
            return false;
        }
        all.push(touched);
    }
    true
}

/// The paths that a call touches.
struct TouchedPaths<'a> {
    reads: Vec<&'a Path>,
    writes: Vec<&'a Path>,
    /// Whether it reads more than the named paths.
    reads_more: bool,
}

impl<'a> TouchedPaths<'a> {
    /// `None` if it changes something that no path names.
    fn of(inspection: &'a Inspection) -> Option<Self> {
        let mut touched = Self { reads: vec![], writes: vec![], reads_more: false };
        for subject in &inspection.subjects {
            match subject {
                Subject::Path { path, access: Access::Read, .. } => touched.reads.push(path),
                Subject::Path { path, .. } => touched.writes.push(path),
                Subject::Paths { access: Access::Read, .. } | Subject::Url { .. } => touched.reads_more = true,
                _ if inspection.read_only => touched.reads_more = true,
                _ => return None,
            }
        }
        // A call that changes something must have said what.
        (inspection.read_only || !touched.writes.is_empty()).then_some(touched)
    }

    fn meets(&self, other: &Self) -> bool {
        self.writes_into(other) || other.writes_into(self)
    }

    fn writes_into(&self, other: &Self) -> bool {
        let overlap = |a: &Path, b: &Path| a.starts_with(b) || b.starts_with(a);
        let touched = || other.reads.iter().chain(&other.writes);
        !self.writes.is_empty()
            && (other.reads_more || self.writes.iter().any(|written| touched().any(|path| overlap(written, path))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[(&str, Access)]) -> Inspection {
        let empty = if paths.iter().all(|(_, access)| *access == Access::Read) {
            Inspection::read_only()
        } else {
            Inspection::mutating()
        };
        paths.iter().fold(empty, |inspection, (path, access)| inspection.touching(Subject::path(*path, *access)))
    }

    #[test]
    fn calls_run_at_once_where_no_order_makes_a_difference() {
        use Access::{Delete, Read, Write};
        let check = |calls: &[Inspection], expected: bool| {
            assert_eq!(may_run_at_once(calls.iter().map(Some)), expected, "{calls:?}");
            assert_eq!(may_run_at_once(calls.iter().rev().map(Some)), expected, "{calls:?}");
        };
        check(&[of(&[("/a", Read)]), of(&[("/a", Read)])], true);
        check(&[of(&[("/a", Write)]), of(&[("/b", Write)])], true);
        check(&[of(&[("/a", Write)]), of(&[("/ab", Delete)])], true);
        check(&[of(&[("/a", Write)]), of(&[("/a", Write)])], false);
        check(&[of(&[("/a", Read)]), of(&[("/a/b", Write)])], false);
        check(&[of(&[("/a/b", Delete)]), of(&[("/a", Read)])], false);
        check(&[Inspection::mutating(), Inspection::read_only()], false);
        let command = Subject::Command { line: "x".into(), program: "x".into(), argv: vec![], via: vec![] };
        check(&[Inspection::mutating().touching(command.clone()), of(&[("/a", Read)])], false);
        check(&[Inspection::read_only().touching(command.clone()), of(&[("/a", Read)])], true);
        check(&[Inspection::read_only().touching(command), of(&[("/a", Write)])], false);
        assert!(!may_run_at_once([None, Some(&Inspection::read_only())]));
    }
}
