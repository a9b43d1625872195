//! Resolves programs behind links that were in the workspace before the line: `./s` that leads to
//! `/usr/bin/sudo` is judged as `sudo`. The analysis already knows links that the line itself
//! creates.

use std::path::Path;

use tools_command::{Analysis, Command, Links, Surroundings, analyse_through};
use tools_sandbox::kernel::Canonical;

/// Maximum number of rounds to follow programs behind links that start programs behind links.
const MAX_ROUNDS: usize = 4;

/// Finds everything a line would run, given the present content of the workspace.
pub(crate) fn analyse_linked(line: &str, around: &Surroundings) -> Analysis {
    let mut links = Links::default();
    let mut canonical = Canonical::default();
    for _ in 0..MAX_ROUNDS {
        let found = analyse_through(&links, line, around);
        let mut is_over = true;
        for (link, target) in found.commands.iter().filter_map(|command| linked(command, around, &mut canonical)) {
            is_over &= !links.add(&link, &target);
        }
        if is_over {
            return found;
        }
    }
    let mut found = analyse_through(&links, line, around);
    found.opaque.push("programs behind more links than are followed".to_owned());
    found
}

/// The path of a program in the workspace, and its target outside. A target inside is the
/// workspace's own code under either name.
fn linked(command: &Command, around: &Surroundings, canonical: &mut Canonical) -> Option<(String, String)> {
    let program = command.program.placed(command.folder.as_deref());
    let link = Path::new(&program.text);
    if !command.program.text.contains('/') || !program.is_exact || !link.starts_with(&around.workdir) {
        return None;
    }
    let target = canonical.by_words(link);
    let is_outside = target != link && !target.starts_with(canonical.by_words(Path::new(&around.workdir)));
    is_outside.then_some(())?;
    let target = target.to_str()?.to_owned();
    Some((program.text, target))
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir, write};
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_program_behind_a_link_is_judged_as_what_it_is() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let (root, system) = (base.join("w"), base.join("bin"));
        create_dir(&root).unwrap();
        create_dir(&system).unwrap();
        for name in ["sudo", "env", "python3.12", "sh"] {
            write(system.join(name), "").unwrap();
        }
        create_dir(root.join("sub")).unwrap();
        write(root.join("tool"), "").unwrap();
        for (link, target) in [
            ("s", system.join("sudo")),
            ("again", "s".into()),
            ("e", system.join("env")),
            ("sub/python", system.join("python3.12")),
            ("sub/t", "../tool".into()),
            ("bin", system.clone()),
            ("shell", system.join("sh")),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let around = Surroundings { home: "/h".to_owned(), workdir: root.to_str().unwrap().to_owned() };
        let check = |line: &str, expected: &[&str]| {
            let found = analyse_linked(line, &around);
            assert_eq!(found.opaque, [""; 0], "{line}");
            let lines: Vec<String> =
                found.commands.iter().map(|command| command.line.replace(base.to_str().unwrap(), "B")).collect();
            assert_eq!(lines, expected, "{line}");
        };
        check("./s ls", &["./s ls", "B/bin/sudo ls", "ls"]);
        check("./again ls", &["./again ls", "B/bin/sudo ls", "ls"]);
        check("cd sub; ../s ls", &["cd sub", "../s ls", "B/bin/sudo ls", "ls"]);
        check(
            "./e ./e ./s ls",
            &[
                "./e ./e ./s ls",
                "B/bin/env ./e ./s ls",
                "./e ./s ls",
                "B/bin/env ./s ls",
                "./s ls",
                "B/bin/sudo ls",
                "ls",
            ],
        );
        check("./shell -c './s ls'", &["./shell -c './s ls'", "B/bin/sh -c ./s ls", "./s ls", "B/bin/sudo ls", "ls"]);
        // Both names give the same result, or the program is the workspace's own.
        check("sub/python x.py", &["sub/python x.py"]);
        check("sub/t ls", &["sub/t ls"]);
        check("./gone ls; cat s", &["./gone ls", "cat s"]);
        check("bin/sudo ls", &["bin/sudo ls", "ls"]);
    }
}
