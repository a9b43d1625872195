//! The environment of a command: the variables of this process without credentials and without
//! those that make a loader or shell run something, overlaid with the call's own variables.

use std::{borrow::Cow, ffi::OsString, sync::LazyLock};

use aho_corasick::AhoCorasick;
use regex::Regex;
use tools_core::{EnvOverlay, Redactor, is_credential_name};

use super::git_settings as git;
use crate::account::Account;

/// Further name parts that indicate a credential. In an environment a missing variable does less
/// harm than in a text.
const SECRET: [&str; 26] = [
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSWORT",
    "PASS",
    "PWD",
    "PW",
    "PASSPHRASE",
    "KEY",
    "KEYS",
    "APIKEY",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "CRED",
    "AUTH",
    "AUTHORIZATION",
    "DSN",
    "COOKIE",
    "COOKIES",
    "PAT",
    "JWT",
];
/// Final name parts that indicate that the value is not a credential but describes one.
const ABOUT: [&str; 20] = [
    "FILE",
    "PATH",
    "DIR",
    "HOME",
    "SOCK",
    "SOCKET",
    "TTY",
    "REGION",
    "PROFILE",
    "TYPE",
    "METHOD",
    "LENGTH",
    "SIZE",
    "TTL",
    "TIMEOUT",
    "PARALLELISM",
    "ENABLED",
    "LIMIT",
    "COUNT",
    "PROVIDER",
];
/// Names that are always passed, whatever their parts.
const ALWAYS_PASSED: [&str; 9] = [
    "PWD",
    "OLDPWD",
    "SSH_AUTH_SOCK",
    "GPG_TTY",
    "MAX_TOKENS",
    "TOKENIZERS_PARALLELISM",
    "XAUTHORITY",
    "COLORTERM",
    "TERM",
];
/// Names that make a loader, shell or interpreter run or load something before the command.
const STARTERS: [&str; 24] = [
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "SHELLOPTS",
    "BASHOPTS",
    "PS0",
    "PS4",
    "IFS",
    "GCONV_PATH",
    "GETCONF_DIR",
    "HOSTALIASES",
    "LOCALDOMAIN",
    "MALLOC_TRACE",
    "NLSPATH",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "PERL5DB",
    "RUBYOPT",
    "SUDO_ASKPASS",
    "SSH_ASKPASS",
    "LESSOPEN",
    "ZDOTDIR",
];

/// The variables of this process, with missing home and user variables from the user database.
pub fn own_variables() -> Vec<(OsString, OsString)> {
    completed(std::env::vars_os().collect(), crate::account::account)
}

fn completed(
    mut variables: Vec<(OsString, OsString)>,
    account: impl FnOnce() -> Option<Account>,
) -> Vec<(OsString, OsString)> {
    let has = |wanted: &str| variables.iter().any(|(name, value)| name == wanted && !value.is_empty());
    let missing: Vec<&str> = ["HOME", "USER", "LOGNAME"].into_iter().filter(|name| !has(name)).collect();
    if !missing.contains(&"HOME") {
        // A login shell sets them all; a service with a home of its own may not need a user name.
        return variables;
    }
    let Some(account) = account() else { return variables };
    variables.retain(|(name, _)| !missing.iter().any(|missing| name == missing));
    variables.extend(missing.into_iter().map(|name| {
        let value = if name == "HOME" { account.home.clone().into_os_string() } else { account.name.clone().into() };
        (name.into(), value)
    }));
    variables
}

/// The variables a command gets: `own` without credentials and starters, overlaid with `overlay`.
/// `pass` lists names, or globs with a final `*`, that are passed although they look like
/// credentials. Values that look like credentials, or that `redactor` would remove from a text, are
/// dropped anyway.
pub fn scrubbed(
    own: impl Iterator<Item = (OsString, OsString)>,
    overlay: &EnvOverlay,
    pass: &[String],
    redactor: &dyn Redactor,
) -> Vec<(OsString, OsString)> {
    let own: Vec<(OsString, OsString)> = own.collect();
    let takes_settings = git::is_whole(&own, |setting, value| passes(setting, value, pass, redactor));
    let mut kept: Vec<(OsString, OsString)> = own
        .into_iter()
        .filter(|(name, value)| {
            if git::is_setting(name) {
                return takes_settings;
            }
            // A name that is not UTF-8 cannot be judged, and no program needs it.
            let Some(name) = name.to_str() else { return false };
            passes(name, &value.to_string_lossy(), pass, redactor)
        })
        .filter(|(name, _)| name.to_str().is_none_or(|name| !overlay.contains_key(name)))
        .collect();
    let chosen = overlay.iter().filter(|(name, value)| is_name(name) && !is_starter(name) && !value.contains('\0'));
    kept.extend(chosen.map(|(name, value)| (name.into(), value.into())));
    kept
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn passes(name: &str, value: &str, pass: &[String], redactor: &dyn Redactor) -> bool {
    if is_starter(name) || is_secret_value(value) || matches!(redactor.redact(value), Cow::Owned(_)) {
        return false;
    }
    let is_named = pass.iter().any(|pattern| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    });
    is_named || !is_secret_name(name, value)
}

fn is_starter(name: &str) -> bool {
    STARTERS.contains(&name)
        || ["LD_", "DYLD_", "BASH_FUNC_", "GLIBC_TUNABLES"].iter().any(|start| name.starts_with(start))
}

/// Whether a name indicates a credential, and the value could be one.
fn is_secret_name(name: &str, value: &str) -> bool {
    if ALWAYS_PASSED.contains(&name) || value.is_empty() {
        return false;
    }
    let parts = parts(name);
    let is_about = parts.last().is_some_and(|last| ABOUT.contains(&last.as_str()));
    let is_switch = matches!(value, "true" | "false" | "yes" | "no" | "on" | "off")
        || (value.len() < 6 && value.chars().all(|c| c.is_ascii_digit()));
    if is_about || is_switch {
        return false;
    }
    let joined = parts.concat();
    is_credential_name(name)
        || parts.iter().any(|part| {
            SECRET.contains(&part.as_str())
                || SECRET[..6].iter().any(|end| part.len() > end.len() + 1 && part.ends_with(end))
        })
        || joined.contains("APIKEY")
        || joined.contains("CONNECTIONSTRING")
        || joined.contains("PRIVATEKEY")
        || joined.ends_with("ACCESSKEY")
        || joined.contains("PASSWORD")
}

/// The upper-case parts of a name, split at separators and at changes from lower to upper case.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        let is_separator = !character.is_ascii_alphanumeric();
        if is_separator || (was_small && character.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if !is_separator && let Some(last) = parts.last_mut() {
            last.push(character.to_ascii_uppercase());
        }
        was_small = character.is_ascii_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Lower-case texts: every credential shape contains at least one of them.
const MARKERS: [&str; 24] = [
    "@",
    "-----begin",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-",
    "_live_",
    "_test_",
    "xox",
    "akia",
    "asia",
    "aiza",
    "npm_",
    "pypi-",
    "hf_",
    "eyj",
    "password=",
    "pwd=",
    "accountkey=",
    "accesskey=",
];

/// Whether a value has the shape of a credential.
fn is_secret_value(value: &str) -> bool {
    static SHAPES: LazyLock<Regex> = LazyLock::new(|| {
        let shapes = [
            r"[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s:@]*:[^/\s@]+@",
            r"-----BEGIN [A-Z ]*PRIVATE KEY",
            r"\b(ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}",
            r"\bgithub_pat_[A-Za-z0-9_]{20,}",
            r"\bglpat-[A-Za-z0-9_-]{15,}",
            r"\bsk-[A-Za-z0-9_-]{16,}",
            r"\b(sk|rk|pk)_(live|test)_[A-Za-z0-9]{10,}",
            r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
            r"\b(AKIA|ASIA)[A-Z0-9]{16}\b",
            r"\bAIza[A-Za-z0-9_-]{30,}",
            r"\bnpm_[A-Za-z0-9]{30,}",
            r"\bpypi-[A-Za-z0-9_-]{20,}",
            r"\bhf_[A-Za-z0-9]{20,}",
            r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.",
            r"(?i)\b(password|pwd|accountkey|sharedaccesskey)=[^;\s]{4,}",
        ];
        Regex::new(&shapes.join("|")).expect("the pattern is a constant")
    });
    // Most values contain no marker, and compiling the shapes costs more than all other work before
    // a first command.
    static SEARCH: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let built = AhoCorasick::builder().ascii_case_insensitive(true).build(MARKERS);
        built.expect("the words are constants")
    });
    SEARCH.is_match(value) && SHAPES.is_match(value)
}

#[cfg(test)]
mod tests {
    use tools_core::NoRedaction;

    use super::*;

    fn kept(name: &str, value: &str) -> bool {
        passes(name, value, &[], &NoRedaction)
    }

    #[test]
    fn home_and_user_are_told_where_no_variable_does() {
        let account = || Some(Account { name: "me".to_owned(), home: "/home/me".into() });
        let check = |given: &[(&str, &str)], expected: &[(&str, &str)]| {
            let pairs = |pairs: &[(&str, &str)]| -> Vec<(OsString, OsString)> {
                pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
            };
            assert_eq!(completed(pairs(given), account), pairs(expected), "{given:?}");
        };
        check(&[("HOME", "/work"), ("A", "1")], &[("HOME", "/work"), ("A", "1")]);
        check(&[("A", "1")], &[("A", "1"), ("HOME", "/home/me"), ("USER", "me"), ("LOGNAME", "me")]);
        check(&[("HOME", ""), ("USER", "you")], &[("USER", "you"), ("HOME", "/home/me"), ("LOGNAME", "me")]);
        assert_eq!(completed(vec![], || None), vec![]);
    }

    #[test]
    fn credentials_go_and_the_rest_stays() {
        let gone = [
            ("FOO_TOKEN", "abcdef"),
            ("GITHUB_TOKEN", "x-y-z-w"),
            ("AWS_SECRET_ACCESS_KEY", "abcdefg"),
            ("AWS_ACCESS_KEY_ID", "abcdefg"),
            ("MY_SERVICE_PASSWORD", "hunter22"),
            ("PGPASSWORD", "hunter22"),
            ("dbPassword", "hunter22"),
            ("OPENAI_API_KEY", "abcdef"),
            ("DATABASE_URL", "postgres://u:pw@h/db"),
            ("ANYTHING", "https://user:pw@host/"),
            ("SESSION_COOKIE", "abcdef"),
            ("SENTRY_DSN", "https-something"),
            ("LD_PRELOAD", "x.so"),
            ("BASH_ENV", "x"),
            ("BASH_FUNC_ls%%", "() { id; }"),
        ];
        for (name, value) in gone {
            assert!(!kept(name, value), "{name}={value}");
        }
        let stays = [
            ("PATH", "/bin"),
            ("HOME", "/root"),
            ("PWD", "/work"),
            ("SSH_AUTH_SOCK", "/run/x"),
            ("MAX_TOKENS", "4096"),
            ("AWS_REGION", "eu"),
            ("AWS_PROFILE", "dev"),
            ("TOKENIZERS_PARALLELISM", "false"),
            ("HF_HOME", "/x"),
            ("KEYMAP", "us"),
            ("DATABASE_URL", "sqlite://x"),
            ("SSL_CERT_FILE", "/x"),
            ("CARGO_HOME", "/x"),
            ("KEYBOARD_LAYOUT", "us"),
            ("AUTHOR", "me"),
            ("MONKEY", "see"),
        ];
        for (name, value) in stays {
            assert!(kept(name, value), "{name}={value}");
        }
    }

    #[test]
    fn the_operator_may_pass_names_but_not_values() {
        let pass = ["MY_TOKEN".to_owned(), "CI_*".to_owned()];
        assert!(passes("MY_TOKEN", "abcdef", &pass, &NoRedaction));
        assert!(passes("CI_JOB_TOKEN", "abcdef", &pass, &NoRedaction));
        assert!(!passes("MY_TOKEN", "https://u:pw@h/", &pass, &NoRedaction));
        assert!(!passes("OTHER_TOKEN", "abcdef", &pass, &NoRedaction));
    }

    #[test]
    fn settings_of_git_come_together_or_not_at_all() {
        let check = |pairs: &[(&str, &str)], expected: bool| {
            let own: Vec<(OsString, OsString)> =
                pairs.iter().map(|(name, value)| (name.into(), value.into())).collect();
            let got = scrubbed(own.clone().into_iter(), &EnvOverlay::default(), &[], &NoRedaction);
            assert_eq!(got, if expected { own } else { vec![] }, "{pairs:?}");
        };
        let of = |setting: &'static str, value: &'static str| {
            [("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", setting), ("GIT_CONFIG_VALUE_0", value)]
        };
        check(&of("core.fsmonitor", "false"), true);
        check(&of("http.https://h/.extraheader", "AUTHORIZATION: basic abcdefgh"), false);
        check(&of("remote.password", "abcdefgh"), false);
        check(&of("url.x.insteadOf", "https://u:pw@h/"), false);
        check(&of("core.fsmonitor", "false")[..2], false);
        check(&[("GIT_CONFIG_COUNT", "many")], false);
        check(&[("GIT_CONFIG_COUNT", "0")], true);
    }

    #[test]
    fn the_overlay_wins_but_starts_nothing() {
        let own = [("A", "1"), ("B", "2")].map(|(name, value)| (name.into(), value.into()));
        let overlay =
            [("B", "3"), ("API_TOKEN", "t"), ("LD_PRELOAD", "x")].map(|(a, b)| (a.to_owned(), b.to_owned())).into();
        let got = scrubbed(own.into_iter(), &overlay, &[], &NoRedaction);
        let expected =
            [("A", "1"), ("API_TOKEN", "t"), ("B", "3")].map(|(a, b)| (OsString::from(a), OsString::from(b)));
        assert_eq!(got, expected);
    }
}
