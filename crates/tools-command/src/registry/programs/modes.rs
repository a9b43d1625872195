//! Programs that change the permissions or owner of a file.

use super::files::is_special;
use crate::registry::Doubt;
use crate::registry::prelude::*;
use tools_core::Access;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["chmod", "gchmod"],
        flags: "-R|--recursive -c|--changes -f|--silent|--quiet -v|--verbose --no-preserve-root --preserve-root --dereference \
                    -h|--no-dereference -H -L -P -r -w -x -X -s -t -u -g -o -rw -rx -wx -rwx",
        valued: "--reference",
        rules: &[always(By(changed))],
        builds: true,
        is_exhaustive: true,
        examples: &[
            ("chmod u+s x", Expect::Asks("its owner's rights")),
            ("chmod 4755 x", Expect::Asks("its owner's rights")),
            ("chmod 02755 x", Expect::Asks("its owner's rights")),
            ("chmod u=rwxs,g+x x", Expect::Asks("its owner's rights")),
            ("chmod -R 700 private", Expect::Writes("private")),
            ("chmod --reference=a private", Expect::Writes("private")),
            ("chmod -x private", Expect::Writes("private")),
        ],
        plain_lines: &["chmod +x script.sh", "chmod 0755 x", "chmod 1777 x"],
        ..Program::GNU
    },
    Program {
        family: &["chown", "chgrp"],
        flags: "-R|--recursive -c|--changes -f|--silent|--quiet -v|--verbose --no-preserve-root --preserve-root --dereference \
                    -h|--no-dereference -H -L -P",
        valued: "--reference --from",
        rules: &[always(By(changed))],
        builds: true,
        is_exhaustive: true,
        examples: &[
            ("chown -R me private", Expect::Writes("private")),
            ("chgrp --ref x private", Expect::Writes("private")),
        ],
        plain_lines: &["chown me x"],
        ..Program::GNU
    },
    Program {
        family: &["chattr", "setfacl"],
        flags: "-R|--recursive -*",
        valued: "-m|--modify -x|--remove -M -X --set --set-file --restore",
        rules: &[when(Has("--recursive"), ChangesTrees(At::All)), when(Lacks("--recursive"), Writes(At::All))],
        examples: &[
            ("chattr -R +i private", Expect::Writes("private")),
            ("chattr -i private", Expect::Writes("private")),
        ],
        ..Program::EXACT
    },
    Program {
        names: &["setcap"],
        rules: &[always(Says(Consequence::ChangesIdentity, "gives a file special rights"))],
        examples: &[("setcap cap_sys_admin+ep x", Expect::Asks("gives a file special rights"))],
        ..Program::GNU
    },
];

/// The files that are changed. The first operand is the change, unless an option gives it.
fn changed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let by_option = parsed.has("--reference -r -w -x -X -s -t -u -g -o -rw -rx -wx -rwx");
    let is_tree = parsed.has("--recursive");
    let files = parsed.operands().skip(usize::from(!by_option));
    let mut found: Vec<Effect> =
        files.map(|path| Effect::Path { path: path.clone(), access: Access::Write, is_tree }).collect();
    let mode = parsed.operand(0).filter(|_| parsed.program.all_names().contains(&"chmod"));
    let open = mode.filter(|mode| !by_option && mode.start().is_some());
    found.extend(open.map(|mode| Effect::MayDecide(mode.clone(), Doubt::Operand)));
    if mode.is_some_and(|mode| is_special(&mode.text)) {
        found.push(Effect::says(Consequence::ChangesIdentity, "gives a file its owner's rights"));
    }
    found
}
