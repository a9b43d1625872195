//! The homes of other users in the local user database.

use std::path::{Path, PathBuf};

/// Minimum user id of people; lower ids belong to services.
const MIN_OF_PEOPLE: u32 = 1000;
/// The user id of `nobody`.
const NOBODY: u32 = 65534;

pub(super) fn database() -> String {
    let bytes = std::fs::read("/etc/passwd").unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The homes of people and of the administrator, without that of `id`.
pub(super) fn others_in_database(database: &str, id: u32) -> Vec<PathBuf> {
    let is_of_people = |uid: u32| uid == 0 || (uid >= MIN_OF_PEOPLE && uid != NOBODY);
    entries(database).filter(|(uid, _)| *uid != id && is_of_people(*uid)).map(|(_, home)| home).collect()
}

fn entries(database: &str) -> impl Iterator<Item = (u32, PathBuf)> {
    database.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let uid = fields.nth(2)?.parse().ok()?;
        let home = Path::new(fields.nth(2)?);
        home.is_absolute().then(|| (uid, home.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATABASE: &str = "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1::/usr/sbin:/bin/false\n\
        me:x:1000:1000:,,,:/home/me:/bin/bash\nyou:x:1001:1001::/data/you:/bin/sh\nnobody:x:65534:65534::/nonexistent:\n\
        bad\nworse:x:y:1::/x:\nshort:x:1002\n";

    #[test]
    fn homes_are_read_from_the_database() {
        assert_eq!(others_in_database(DATABASE, 1000), [PathBuf::from("/root"), PathBuf::from("/data/you")]);
        assert_eq!(others_in_database(DATABASE, 0), [PathBuf::from("/home/me"), PathBuf::from("/data/you")]);
    }
}
