//! Passwords among the arguments of commands that take them there.

use super::{scan::Finding, value};

/// How long a command line is read.
const LONGEST: usize = 2048;

/// How a command takes a password.
#[derive(Debug, Clone, Copy)]
pub(super) enum Flags {
    /// `-pPASSWORD`, in one word.
    Attached(&'static str),
    /// `-p PASSWORD`, or in one word.
    Next(&'static str),
    /// `-u USER:PASSWORD`.
    UserAnd(&'static str),
}

/// Commands with passwords among their arguments.
pub(super) const COMMANDS: &[(&str, Flags)] = &[
    ("mysql ", Flags::Attached("-p")),
    ("mysqldump ", Flags::Attached("-p")),
    ("mysqladmin ", Flags::Attached("-p")),
    ("mariadb ", Flags::Attached("-p")),
    ("sshpass ", Flags::Next("-p")),
    ("docker login ", Flags::Next("-p")),
    ("podman login ", Flags::Next("-p")),
    ("redis-cli ", Flags::Next("-a")),
    ("curl ", Flags::UserAnd("-u")),
    ("curl -u ", Flags::UserAnd("")),
    ("openssl ", Flags::Next("-passin")),
];

/// Finds the passwords of a command whose name ends at `from`.
pub(super) fn find(text: &str, from: usize, flags: Flags, done: &mut usize, findings: &mut Vec<Finding>) {
    let rest = &text[from..];
    let rest = &rest[..rest.floor_char_boundary(LONGEST)];
    let line = &rest[..rest.find(['\n', ';', '|', '&']).unwrap_or(rest.len())];
    *done = from + line.len();
    let mut position = from;
    let mut is_next = matches!(flags, Flags::UserAnd(""));
    for word in line.split(' ') {
        let at = position;
        position += word.len() + 1;
        let (flag, is_pair) = match flags {
            Flags::Attached(flag) | Flags::Next(flag) => (flag, false),
            Flags::UserAnd(flag) => (flag, true),
        };
        let attached = word.strip_prefix(flag).filter(|rest| !flag.is_empty() && !rest.is_empty());
        let found = match (std::mem::take(&mut is_next), attached) {
            (true, _) => Some((at, word)),
            (false, Some(value)) => Some((at + flag.len(), value)),
            (false, None) => None,
        };
        is_next = word == flag && !matches!(flags, Flags::Attached(_)) || (is_pair && matches!(word, "--user"));
        if let Some((at, value)) = found {
            findings.extend(password(at, value, is_pair));
        }
    }
}

fn password(at: usize, word: &str, is_pair: bool) -> Option<Finding> {
    let quotes = ['"', '\''];
    let value = word.trim_start_matches(quotes);
    let mut at = at + word.len() - value.len();
    let mut value = value.trim_end_matches(quotes);
    if is_pair {
        let (user, password) = value.split_once(':')?;
        at += user.len() + 1;
        value = password;
    } else if value.starts_with('-') {
        return None;
    }
    value::is_password(value).then_some(Finding { start: at, end: at + value.len(), kind: "password" })
}
