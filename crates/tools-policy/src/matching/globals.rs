//! Options that a program takes in front of its subcommand: `git -C . push` is `git push` for a rule that tightens.

/// How a program's options in front of the subcommand are written.
struct Globals {
    program: &'static str,
    /// Those whose value is the next argument. Every other stands alone.
    valued: &'static [&'static str],
}

const GLOBALS: &[Globals] = &[
    Globals {
        program: "git",
        valued: &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--config-env",
            "--super-prefix",
            "--attr-source",
            "--shallow-file",
        ],
    },
    Globals { program: "terraform", valued: &[] },
    Globals { program: "tofu", valued: &[] },
    Globals { program: "cargo", valued: &["-C", "-Z", "--config", "--color"] },
    Globals {
        program: "docker",
        valued: &["-H", "--host", "-c", "--context", "--config", "-l", "--log-level", "--tlscacert", "--tlscert"],
    },
    Globals {
        program: "kubectl",
        valued: &["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "--user", "-s", "--server", "--token"],
    },
];

/// The arguments from the subcommand on, where options stand in front of it; `None` where there are none.
pub(super) fn without_globals<'a>(program: &str, arguments: &'a [String]) -> Option<&'a [String]> {
    let base = program.rsplit('/').next().unwrap_or_default();
    let globals = GLOBALS.iter().find(|globals| globals.program == base)?;
    let mut rest = arguments;
    while let Some((first, after)) = rest.split_first() {
        let is_toolchain = base == "cargo" && first.starts_with('+');
        if !first.starts_with('-') && !is_toolchain {
            break;
        }
        rest = if globals.valued.contains(&first.as_str()) { after.get(1..).unwrap_or_default() } else { after };
    }
    (rest.len() < arguments.len() && !rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_in_front_of_a_subcommand_are_passed_over() {
        let check = |line: &str, expected: Option<&str>| {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let found = without_globals(&words[0], &words[1..]).map(|rest| rest.join(" "));
            assert_eq!(found.as_deref(), expected, "{line}");
        };
        check("git -C . push", Some("push"));
        check("/usr/bin/git --no-pager -P -c a=b push -f", Some("push -f"));
        check("git --work-tree . --git-dir=x push", Some("push"));
        check("git push -f", None);
        check("git --version", None);
        check("terraform -chdir=x apply", Some("apply"));
        check("cargo +nightly -q publish", Some("publish"));
        check("kubectl -n x delete pod", Some("delete pod"));
        check("grep -r x", None);
    }
}
