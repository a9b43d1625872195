//! The programs that obey a file: by its name in the table, by a link with such a name, or by the
//! configuration of a repository.

use std::path::Path;

use super::configured::ConfiguredFiles;
use super::find::{find_obeyed, leads_to_guarded};
use super::table::ObeyedClass;

/// The programs that obey the file that a change of `path` would reach (`git`,
/// `direnv, mise and asdf`); `None` if there are none, or only builds.
///
/// `path` is canonical and absolute, `workdir` the canonical working directory of the call.
/// `configured` holds the places named in the configuration of the repositories around the path
/// ([`ConfiguredFiles::add_around`]), and the targets of links
/// ([`add_top`](ConfiguredFiles::add_top) for the `workdir`).
pub fn obeyed_by(path: &Path, workdir: &Path, configured: &ConfiguredFiles) -> Option<&'static str> {
    let by_name = by_name(path.strip_prefix(workdir).unwrap_or(path));
    let by_link = || configured.linked_as(path).filter(|row| row.class != ObeyedClass::Reported).map(|row| row.by);
    by_name.or_else(by_link).or_else(|| (configured.is_place(path) || configured.leads_to(path)).then_some("git"))
}

/// The programs that obey a file by its name. A path inside the working directory is given relative
/// to it.
fn by_name(path: &Path) -> Option<&'static str> {
    match find_obeyed(path) {
        Some(found) if found.obeyed.class != ObeyedClass::Reported => Some(found.obeyed.by),
        _ => leads_to_guarded(path).then_some("other programs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_on_the_way_count_too() {
        let by = |path: &str| obeyed_by(&Path::new("/w").join(path), Path::new("/w"), &ConfiguredFiles::default());
        assert_eq!(by(".envrc"), Some("direnv, mise and asdf"));
        assert_eq!(by(".github"), Some("other programs"));
        assert_eq!((by("package.json"), by("src")), (None, None));
    }
}
