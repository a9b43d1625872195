//! Whether a rule on a program with any arguments would allow too much.

use super::lookup::find;
use super::spec::{At, Does, Rule, Subcommand};

/// Whether the effects of a program depend so much on its arguments that a rule on any arguments
/// would allow too much: it runs or evaluates them, reaches hosts, removes files, or concerns other
/// people or the machine. `false` for an unknown program, and for one that builds what the
/// workspace says.
pub fn is_open_ended(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or_default();
    find(name).is_some_and(|program| {
        let says_more = |rule: &Rule| says_more(rule) && !(program.builds && is_of_options(rule));
        program.rules.iter().any(says_more) || any_says_more(program.subcommands)
    })
}

fn any_says_more(subcommands: &[Subcommand]) -> bool {
    subcommands.iter().any(|one| one.rules.iter().any(says_more) || any_says_more(one.subcommands))
}

/// Whether a rule covers more than files that are read, written or looked for.
fn says_more(rule: &Rule) -> bool {
    use Does::{Decides, Follows, Obeys, ObeysAround, ObeysIn, Reads, Unpacks, Writes};
    !matches!(
        rule.does,
        Reads(_) | Writes(_) | Unpacks(_) | Follows(_) | Obeys(_) | ObeysIn(..) | ObeysAround(_) | Decides(_)
    )
}

/// Whether a rule is about options, which ask by themselves.
fn is_of_options(rule: &Rule) -> bool {
    matches!(rule.does, Does::Hides(_) | Does::By(_) | Does::ByOption(_) | Does::RunsScript(At::Value(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_do_what_they_are_told_are_open_ended() {
        for program in ["bash", "/usr/bin/env", "git", "curl", "rm", "docker", "npm", "python3", "ssh", "xargs"] {
            assert!(is_open_ended(program), "{program}");
        }
        for program in ["ls", "cat", "wc", "make", "unheard-of"] {
            assert!(!is_open_ended(program), "{program}");
        }
    }
}
