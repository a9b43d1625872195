//! Verbs that are started often, and whose options are read alone: making the options of all verbs
//! takes longer than these do.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser};

use super::{CommonArgs, Network};

/// A command to run, and how.
#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// Filter the output and replace credentials with placeholders, even when standard output
    /// is not a terminal.
    #[arg(long)]
    pub(crate) filter: bool,
    /// Stop the command after this many seconds [default: 3600].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    /// Network access of the command; overrides the configuration.
    #[arg(long, value_name = "MODE")]
    pub(crate) network: Option<Network>,
    /// Approve this command in advance.
    #[arg(long)]
    pub(crate) yes: bool,
    /// A hook has put the command on record already: where that cannot be done from here, run
    /// it without a record and without a way to undo it.
    #[arg(long, hide = true)]
    pub(crate) on_record: bool,
    /// Directory the command may write to, if the configuration names none and the working
    /// directory is inside it [default: the working directory].
    #[arg(long, value_name = "DIR")]
    pub(crate) within: Option<PathBuf>,
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,
}

/// What to filter, and as which command.
#[derive(Debug, Args)]
pub(crate) struct Filter {
    /// Command line that printed the text.
    #[arg(long, value_name = "CMD", allow_hyphen_values = true)]
    pub(crate) command: String,
    /// Exit code of that command.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) exit_code: Option<i32>,
    /// Print to standard error which rule applied and how much it removed.
    #[arg(long)]
    pub(crate) stats: bool,
    /// Show all lines, with `-` before removed lines and `+` before their replacements.
    #[arg(long)]
    pub(crate) diff: bool,
}

/// One verb alone.
#[derive(Debug, Parser)]
struct SingleVerb<V: Args> {
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    verb: V,
}

/// The options of the verb `name`, when the words are that and options that are right.
pub(crate) fn parse_single_verb<V: Args>(name: &str, arguments: &[OsString]) -> Option<(CommonArgs, V)> {
    let [program, verb, options @ ..] = arguments else { return None };
    if verb != name {
        return None;
    }
    let alone = SingleVerb::try_parse_from(std::iter::once(program).chain(options)).ok()?;
    Some((alone.common, alone.verb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Verb};

    #[test]
    fn right_words_of_one_verb_alone_say_what_they_say_among_all_verbs() {
        let check = |words: &[&str], is_right: bool| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            let exec = parse_single_verb::<Exec>("exec", &words).map(|(common, verb)| format!("{common:?} {verb:?}"));
            let filter =
                parse_single_verb::<Filter>("filter", &words).map(|(common, verb)| format!("{common:?} {verb:?}"));
            let cli = Cli::try_parse_from(&words).ok().filter(|_| is_right);
            let expected = cli.and_then(|Cli { common, verb, .. }| match verb? {
                Verb::Exec(verb) => Some(format!("{common:?} {verb:?}")),
                Verb::Filter(verb) => Some(format!("{common:?} {verb:?}")),
                _ => None,
            });
            assert_eq!((expected.is_some(), exec.or(filter)), (is_right, expected), "{words:?}");
        };
        check(&["haft", "filter", "--command", "cargo test", "--exit-code", "101"], true);
        check(&["haft", "filter", "--command", "-x", "--quiet"], true);
        check(&["haft", "exec", "--yes", "--", "true", "--json"], true);
        check(&["haft", "exec", "--json", "-q", "--workdir", "x", "ls", "-l", "--help"], true);
        check(&["haft", "exec", "--timeout", "3", "--network", "off", "--within", "..", "--filter", "a b"], true);
        for wrong in [
            &["haft", "filter", "--help"][..],
            &["haft", "filter"],
            &["haft", "exec"],
            &["haft", "exec", "--help"],
            &["haft", "exec", "--timeout", "x", "true"],
            &["haft", "--json", "exec", "true"],
            &["haft", "tools"],
        ] {
            check(wrong, false);
        }
    }
}
