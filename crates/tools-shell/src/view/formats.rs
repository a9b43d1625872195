//! Removes credentials from settings files, format by format. Uncertain cases give `None`: the file
//! is then left out.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;
use toml_edit::{DocumentMut, Item, TableLike, Value};
use tools_core::{Redactor as _, is_credential_key};
use tools_secrets::SecretRedactor;

/// Format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// `[section "name"]` and `key = value`, as git reads them.
    Git,
    /// `key = value`, as npm reads it: only known settings are kept.
    Npm,
    /// `[section]` and `key = value`, as pip reads it: only known settings are kept.
    Pip,
    /// `[section]` and `key = value`, with values continued on indented lines.
    Ini,
    /// `key: value`.
    Yaml,
    /// TOML.
    Toml,
    /// The settings of Maven.
    Maven,
    /// The host keys that `ssh` knows.
    Hosts,
    /// Lists of patterns or versions, which contain no credentials.
    Plain,
}

/// Sections of git's configuration that are about credentials.
const GIT_CREDENTIALS: [&str; 6] = ["credential", "sendemail", "imap", "github", "gitlab", "bitbucket"];
/// Further git keys whose values are or lead to credentials.
const GIT_KEYS: [&str; 5] = ["extraheader", "cookiefile", "sslkey", "sslcertpasswordprotected", "helper"];
/// Settings of npm and pnpm that contain no credential. The place of their cache is left out:
/// commands have another.
const NPM_KEYS: [&str; 46] = [
    "access",
    "allow-scripts",
    "audit",
    "auto-install-peers",
    "before",
    "bin-links",
    "cafile",
    "color",
    "engine-strict",
    "fetch-retries",
    "fetch-retry-maxtimeout",
    "fetch-retry-mintimeout",
    "fetch-timeout",
    "foreground-scripts",
    "fund",
    "git-tag-version",
    "hoist",
    "hoist-pattern",
    "ignore-scripts",
    "include",
    "init-license",
    "init-version",
    "install-links",
    "install-strategy",
    "legacy-peer-deps",
    "link-workspace-packages",
    "lockfile",
    "loglevel",
    "maxsockets",
    "min-release-age",
    "minimum-release-age",
    "node-linker",
    "nodedir",
    "noproxy",
    "omit",
    "omit-lockfile-registry-resolved",
    "package-lock",
    "prefer-offline",
    "progress",
    "proxy",
    "https-proxy",
    "save-exact",
    "save-prefix",
    "shamefully-hoist",
    "strict-ssl",
    "update-notifier",
];
/// Settings of pip that contain no credential.
const PIP_KEYS: [&str; 30] = [
    "break-system-packages",
    "cert",
    "constraint",
    "default-timeout",
    "disable-pip-version-check",
    "extra-index-url",
    "find-links",
    "format",
    "index",
    "index-url",
    "isolated",
    "no-binary",
    "no-build-isolation",
    "no-color",
    "no-compile",
    "no-deps",
    "no-index",
    "no-input",
    "only-binary",
    "pre",
    "prefer-binary",
    "progress-bar",
    "proxy",
    "require-virtualenv",
    "retries",
    "root-user-action",
    "timeout",
    "trusted-host",
    "upgrade-strategy",
    "use-feature",
];

/// The text without credentials; `None` if that is not certain.
pub(super) fn stripped(format: Format, text: &str) -> Option<String> {
    let kept = match format {
        Format::Git => git(text)?,
        Format::Npm => lines(text, '=', |key| !is_npm_key(key))?,
        Format::Pip => lines(text, '=', |key| !PIP_KEYS.contains(&key.replace('_', "-").as_str()))?,
        Format::Ini => lines(text, '=', is_credential_key)?,
        Format::Yaml => lines(text, ':', |key| is_credential_key(key.trim_start_matches(['-', ' ', '"', '\''])))?,
        Format::Toml => toml(text)?,
        Format::Maven => maven(text)?,
        Format::Hosts => text.lines().all(is_host).then(|| text.to_owned())?,
        Format::Plain => text.to_owned(),
    };
    let kept = match format {
        Format::Plain | Format::Hosts => kept,
        _ => without_users(&kept).into_owned(),
    };
    // Whatever the format, no text with a recognised credential is kept.
    matches!(SecretRedactor::default().redact(&kept), Cow::Borrowed(_)).then_some(kept)
}

/// Removes the user from URLs and keeps the host, so that settings still lead to it.
fn without_users(text: &str) -> Cow<'_, str> {
    static USER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)\b((?:[a-z][a-z0-9.]*\+)?(?:https?|ftps?|sparse))://[^/\s"'<>@]*@"#).expect("a constant")
    });
    USER.replace_all(text, "$1://")
}

/// Whether a key is a known setting of npm, or the registry of a scope.
fn is_npm_key(key: &str) -> bool {
    let key = key.trim_end_matches("[]");
    NPM_KEYS.contains(&key) || key == "registry" || (key.starts_with('@') && key.ends_with(":registry"))
}

/// Whether a line is a known host: names, a key type and a public key.
fn is_host(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| word.starts_with('@')).skip(1);
    let is_kind = |word: &str| ["ssh-", "ecdsa-", "sk-"].iter().any(|start| word.starts_with(start));
    let is_key = |word: &str| word.len() > 40 && word.starts_with("AAAA");
    line.trim().is_empty()
        || line.starts_with('#')
        || (words.next().is_some_and(is_kind) && words.next().is_some_and(is_key))
}

fn git(text: &str) -> Option<String> {
    let mut kept = String::new();
    let (mut is_dropped, mut goes_on) = (false, None);
    for line in text.lines() {
        let is_continued = line.ends_with('\\');
        if let Some(was_kept) = goes_on.take() {
            push_if(was_kept, line, &mut kept);
            goes_on = is_continued.then_some(was_kept);
            continue;
        }
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix('[') {
            let (header, rest) = header.rsplit_once(']')?;
            if !rest.trim().is_empty() && !rest.trim_start().starts_with(['#', ';']) {
                return None;
            }
            let section = header.split([' ', '.', '"']).next()?.to_ascii_lowercase();
            is_dropped = GIT_CREDENTIALS.contains(&section.as_str());
            push_if(!is_dropped, line, &mut kept);
            continue;
        }
        if kept.is_empty() && !is_dropped && !trimmed.is_empty() && !trimmed.starts_with(['#', ';']) {
            // A key before any section is another format.
            return None;
        }
        let key = trimmed.split(['=', ' ', '\t']).next().unwrap_or_default().to_ascii_lowercase();
        let is_kept = !is_dropped && !GIT_KEYS.contains(&key.as_str()) && !is_credential_key(&key);
        push_if(is_kept, line, &mut kept);
        goes_on = is_continued.then_some(is_kept);
    }
    Some(kept)
}

/// Keeps the lines whose key is not about credentials, with their indented continuation lines.
/// `None` if a line does not match the format.
fn lines(text: &str, separator: char, is_dropped: impl Fn(&str) -> bool) -> Option<String> {
    let mut kept = String::new();
    let mut is_kept = None;
    for line in text.lines() {
        let trimmed = line.trim();
        let is_indented = line.starts_with([' ', '\t']);
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        let is_section = separator == '=' && trimmed.starts_with('[') && trimmed.ends_with(']');
        let has_key = trimmed.contains(separator) && !(separator == '=' && is_indented && is_kept.is_some());
        let goes_on = is_kept.filter(|_| is_indented || (separator == ':' && trimmed.starts_with('-')));
        is_kept = match goes_on {
            _ if is_section => Some(true),
            _ if has_key => Some(!is_dropped(trimmed.split(separator).next().unwrap_or_default().trim())),
            Some(was_kept) => Some(was_kept),
            None => return None,
        };
        push_if(is_kept == Some(true), line, &mut kept);
    }
    Some(kept)
}

fn push_if(is_kept: bool, line: &str, kept: &mut String) {
    if is_kept {
        kept.push_str(line);
        kept.push('\n');
    }
}

fn toml(text: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    strip_table(document.as_table_mut());
    Some(document.to_string())
}

fn strip_table(table: &mut dyn TableLike) {
    let named: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).filter(|key| is_credential_key(key)).collect();
    // A table of that name contains settings, which are checked one by one.
    for key in named {
        if table.get(&key).is_some_and(Item::is_value) {
            table.remove(&key);
        }
    }
    for (_, item) in table.iter_mut() {
        match item {
            Item::Value(Value::InlineTable(inline)) => strip_table(inline),
            Item::Table(inner) => strip_table(inner),
            Item::ArrayOfTables(tables) => tables.iter_mut().for_each(|inner| strip_table(inner)),
            Item::None | Item::Value(_) => {}
        }
    }
}

fn maven(text: &str) -> Option<String> {
    static SERVERS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?s)<servers>.*?</servers>|<!--.*?-->").expect("a constant"));
    let kept = SERVERS.replace_all(text, "").into_owned();
    let is_doubtful = ["<server>", "<servers", "<password", "<passphrase", "<privateKey", "<username"];
    let is_settings =
        kept.trim_start_matches("<?xml").trim_start().starts_with('<') || kept.trim_start().starts_with("<?xml");
    (is_settings && kept.trim_end().ends_with("</settings>") && !is_doubtful.iter().any(|sign| kept.contains(sign)))
        .then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: Format, text: &str, expected: Option<&str>) {
        assert_eq!(stripped(format, text).as_deref(), expected, "{text}");
    }

    #[test]
    fn the_identity_and_the_habits_of_git_stay_and_its_credentials_go() {
        let text = "[user]\n\tname = A B\n\temail = a@b.example\n[credential \"https://x.example\"]\n\thelper = store\n\
            \tusername = me\n[url \"https://tok3n@x.example/\"]\n\tinsteadOf = x:\n[http]\n\textraHeader = A: b\n\
            \tproxy = http://u:p@proxy.example\n[alias]\n\tst = status \\\n  --short\n[pull]\n\trebase = true\n";
        let kept = "[user]\n\tname = A B\n\temail = a@b.example\n[url \"https://x.example/\"]\n\tinsteadOf = x:\n[http]\n\
            \tproxy = http://proxy.example\n[alias]\n\tst = status \\\n  --short\n[pull]\n\trebase = true\n";
        check(Format::Git, text, Some(kept));
        check(Format::Git, "[credential] helper = store\n", None);
        check(Format::Git, "[core]\n\tkey = \\\n v\n", Some("[core]\n\tkey = \\\n v\n"));
    }

    #[test]
    fn registries_stay_and_their_tokens_go() {
        check(
            Format::Npm,
            "registry=https://me:pw@r.example/\n//r.example/:_authToken=abc\n@a:registry=https://a.example\n_auth=eA==\nsave-exact=true\ncache=/x\n",
            Some("registry=https://r.example/\n@a:registry=https://a.example\nsave-exact=true\n"),
        );
        check(
            Format::Pip,
            "[global]\nindex-url = https://me:pw@r.example/simple\nextra-index-url =\n    https://u:p@s.example/simple\npassword = x\n    y\ntimeout = 60\n",
            Some(
                "[global]\nindex-url = https://r.example/simple\nextra-index-url =\n    https://s.example/simple\ntimeout = 60\n",
            ),
        );
        for format in [
            Format::Git,
            Format::Npm,
            Format::Pip,
            Format::Ini,
            Format::Yaml,
            Format::Toml,
            Format::Maven,
            Format::Hosts,
        ] {
            check(format, "something else\n", None);
        }
        check(Format::Npm, "anything=abc\nfund=false\n", Some("fund=false\n"));
        check(Format::Pip, "[global]\nanything = abc\n", Some("[global]\n"));
        let host = format!("h.example ssh-ed25519 AAAA{}\n", "C3Nza".repeat(10));
        check(Format::Hosts, &host, Some(&host));
        check(Format::Yaml, "nodeLinker: pnp\nnpmAuthToken: abc\n", Some("nodeLinker: pnp\n"));
        check(
            Format::Toml,
            "[registries.own]\nindex = \"sparse+https://u:p@r.example/\"\ntoken = \"abc\"\n[net]\noffline = true\n",
            Some("[registries.own]\nindex = \"sparse+https://r.example/\"\n[net]\noffline = true\n"),
        );
        check(Format::Toml, "a = [", None);
        check(
            Format::Maven,
            "<settings><servers><server><password>x</password></server></servers><offline>true</offline></settings>",
            Some("<settings><offline>true</offline></settings>"),
        );
        check(Format::Maven, "<settings><proxy><password>x</password></proxy></settings>", None);
    }

    #[test]
    fn what_is_recognised_as_a_credential_keeps_the_file_out() {
        let token = format!("ghp_{}", "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6");
        check(Format::Plain, &format!("x {token}\n"), None);
        check(Format::Git, &format!("[alias]\n\tpush2 = \"!curl -H {token}\"\n"), None);
        check(Format::Plain, "*.swp\n", Some("*.swp\n"));
    }
}
