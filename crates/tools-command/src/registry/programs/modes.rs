//! Changing who may do what with a file.

use super::files::is_special;
use crate::effect::Effect;
use crate::registry::{
    ArgumentCondition::{Has, Lacks},
    At, Consequence, Does, Doubt, Expect, Parsed, Program, Syntax, always, when,
};
use tools_core::Access;

pub(super) static ALL: &[Program] = &[
    Program {
        names: &["chmod", "gchmod"],
        syntax: Syntax {
            flags: "-R|--recursive -c|--changes -f|--silent|--quiet -v|--verbose --no-preserve-root --preserve-root --dereference \
                    -h|--no-dereference -H -L -P -r -w -x -X -s -t -u -g -o -rw -rx -wx -rwx",
            valued: "--reference",
            ..Syntax::GNU
        },
        rules: &[always(Does::By(changed))],
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
            ("chmod +x script.sh", Expect::Plain),
            ("chmod 0755 x", Expect::Plain),
            ("chmod 1777 x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["chown", "chgrp"],
        is_family: true,
        syntax: Syntax {
            flags: "-R|--recursive -c|--changes -f|--silent|--quiet -v|--verbose --no-preserve-root --preserve-root --dereference \
                    -h|--no-dereference -H -L -P",
            valued: "--reference --from",
            ..Syntax::GNU
        },
        rules: &[always(Does::By(changed))],
        builds: true,
        is_exhaustive: true,
        examples: &[
            ("chown -R me private", Expect::Writes("private")),
            ("chgrp --ref x private", Expect::Writes("private")),
            ("chown me x", Expect::Plain),
        ],
        ..Program::NEW
    },
    Program {
        names: &["chattr", "setfacl"],
        is_family: true,
        syntax: Syntax {
            flags: "-R|--recursive -*",
            valued: "-m|--modify -x|--remove -M -X --set --set-file --restore",
            ..Syntax::EXACT
        },
        rules: &[
            when(&[Has("--recursive")], Does::ChangesTrees(At::All)),
            when(&[Lacks("--recursive")], Does::Writes(At::All)),
        ],
        examples: &[
            ("chattr -R +i private", Expect::Writes("private")),
            ("chattr -i private", Expect::Writes("private")),
        ],
        ..Program::NEW
    },
    Program {
        names: &["setcap"],
        rules: &[always(Does::Says(Consequence::ChangesIdentity, "gives a file special rights"))],
        examples: &[("setcap cap_sys_admin+ep x", Expect::Asks("gives a file special rights"))],
        ..Program::NEW
    },
];

/// The files of a change; the first operand says what changes, unless an option does.
fn changed(parsed: &Parsed<'_>) -> Vec<Effect> {
    let by_option = parsed.has("--reference -r -w -x -X -s -t -u -g -o -rw -rx -wx -rwx");
    let is_tree = parsed.has("--recursive");
    let files = parsed.operands().skip(usize::from(!by_option));
    let mut found: Vec<Effect> =
        files.map(|path| Effect::Path { path: path.clone(), access: Access::Write, is_tree }).collect();
    let mode = parsed.operand(0).filter(|_| parsed.program.names.contains(&"chmod"));
    let open = mode.filter(|mode| !by_option && mode.start().is_some());
    found.extend(open.map(|mode| Effect::MayDecide(mode.clone(), Doubt::Operand)));
    if mode.is_some_and(|mode| is_special(&mode.text)) {
        found.push(Effect::says(Consequence::ChangesIdentity, "gives a file its owner's rights"));
    }
    found
}
