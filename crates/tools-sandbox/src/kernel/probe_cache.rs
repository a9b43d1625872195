//! Stores the detected features of this machine in a file: a start need not test them again, and
//! can tell a machine that lost features from a weaker one. An entry is valid for one boot, kernel,
//! user and set of surrounding namespaces.

use std::{
    fs,
    io::{self, Write as _},
    path::Path,
};

use super::facilities::{Facility, Probe};

/// Maximum number of entries in the file; the oldest are dropped first.
const MAX_ENTRIES: usize = 32;

/// Key of an entry: the conditions under which it is valid.
pub(super) fn here() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default().trim().replace(char::is_whitespace, "_");
    let link = |path: &str| fs::read_link(path).map(|to| to.to_string_lossy().into_owned()).unwrap_or_default();
    // A container or a confined parent may remove features of the machine.
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let filters = status.lines().find_map(|line| line.strip_prefix("Seccomp_filters:")).unwrap_or("-").trim();
    let kernel = read("/proc/sys/kernel/osrelease");
    format!(
        "{}/{kernel}/{}/{}/{}/{filters}",
        read("/proc/sys/kernel/random/boot_id"),
        crate::process::effective_ids().0,
        link("/proc/self/ns/pid"),
        link("/proc/self/ns/user"),
    )
}

/// The stored features for the key `here`.
pub(super) fn recall(file: &Path, here: &str) -> Option<Probe> {
    let text = fs::read_to_string(file).ok()?;
    text.lines().rev().find_map(|line| parse(line, here))
}

/// Stores the result. A failure is ignored: the next start tests again.
pub(super) fn keep(file: &Path, here: &str, probe: &Probe) {
    let _ = replace(file, here, probe);
}

fn replace(file: &Path, here: &str, probe: &Probe) -> io::Result<()> {
    let before = fs::read_to_string(file).unwrap_or_default();
    let line = format(here, probe);
    let others: Vec<&str> = before.lines().filter(|line| !line.starts_with(&format!("{here} "))).collect();
    let kept = others[others.len().saturating_sub(MAX_ENTRIES - 1)..].iter().copied();
    let text: String = kept.chain([line.as_str()]).flat_map(|line| [line, "\n"]).collect();
    if text == before {
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    crate::private::make_private_folder(folder)?;
    let mut new = tempfile::Builder::new().prefix(".sandbox-").tempfile_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.persist(file)?;
    Ok(())
}

fn format(here: &str, probe: &Probe) -> String {
    let namespaces = if probe.namespaces.is_ok() { "namespaces" } else { "-" };
    let seccomp = if probe.seccomp { "seccomp" } else { "-" };
    format!("{here} {namespaces} {} {seccomp}", probe.landlock.unwrap_or(0))
}

fn parse(line: &str, here: &str) -> Option<Probe> {
    let mut words = line.split(' ');
    let is_here = words.next()? == here;
    let (namespaces, landlock, seccomp) = (words.next()?, words.next()?.parse().ok()?, words.next()?);
    let missing = || Facility { name: "all namespaces with own mounts".to_owned(), missing: Some("before".to_owned()) };
    (is_here && words.next().is_none()).then(|| Probe {
        namespaces: if namespaces == "namespaces" { Ok(()) } else { Err(missing()) },
        landlock: Some(landlock).filter(|abi| *abi > 0),
        seccomp: seccomp == "seccomp",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> Probe {
        Probe { namespaces: Ok(()), landlock: Some(7), seccomp: true }
    }

    #[test]
    fn what_was_kept_is_recalled_where_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("state/sandbox");
        assert_eq!(recall(&file, "a"), None);
        keep(&file, "a", &whole());
        let less = Probe { landlock: None, ..whole() };
        keep(&file, "b", &less);
        assert_eq!([recall(&file, "a"), recall(&file, "b"), recall(&file, "c")], [Some(whole()), Some(less), None]);
        let less = Probe { seccomp: false, ..whole() };
        keep(&file, "a", &less);
        assert_eq!(recall(&file, "a"), Some(less));
        for number in 0..100 {
            keep(&file, &format!("n{number}"), &whole());
        }
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), MAX_ENTRIES);
    }

    #[test]
    fn what_is_no_entry_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sandbox");
        for text in ["a", "a namespaces", "a namespaces x seccomp", "a namespaces 7 seccomp more", "\0"] {
            fs::write(&file, text).unwrap();
            assert_eq!(recall(&file, "a"), None, "{text:?}");
        }
    }

    #[test]
    fn this_place_is_one_word_and_stays_the_same() {
        let found = here();
        assert_eq!(found, here());
        assert!(!found.contains(char::is_whitespace) && found.len() > 40, "{found}");
    }
}
