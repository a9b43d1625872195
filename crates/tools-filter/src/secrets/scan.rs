//! The one pass over a text: keywords, the scanner that each calls, and what is left of their findings.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use super::{assignment, command, header, key_material, provider, url};

/// A credential in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Where the value begins, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// What it is, in a word for placeholders and reports (`github`, `password`, `private-key`).
    pub kind: &'static str,
    /// What found it: the prefix of a token, or the sort of place it stands in (`assignment`, `address`, `header`).
    pub rule: &'static str,
}

/// What a keyword calls for.
#[derive(Debug, Clone, Copy)]
enum Scanner {
    Provider(&'static provider::Provider),
    Jwt,
    Atlas,
    Telegram,
    Entra,
    AzureDevops,
    Webhook,
    Pem,
    Putty,
    Hash,
    MasterKey,
    UserInfo,
    Signature,
    PgPass,
    Authorization,
    Bearer,
    Cookie,
    Session,
    Assignment,
    Command(&'static [command::Flag]),
}

/// Parts of names after which a value may be a credential.
const NAMES: &[&str] = &[
    "passw",
    "passphrase",
    "passcode",
    "pass",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "auth",
    "jwt",
    "dsn",
    "bearer",
    "identified by",
    "_pat",
    "_otp",
    "salt",
    "hmac",
    "cred",
    "dockerc",
];
/// Cookies that hold a session, by the names their frameworks give them.
const SESSIONS: &[&str] =
    &["phpsessid", "jsessionid", "asp.net_sessionid", "connect.sid", "laravel_session", "_session_id"];
/// Addresses that whoever knows them may post to.
const WEBHOOKS: &[&str] = &[
    "hooks.slack.com/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/webhookb2/",
    "hooks.zapier.com/hooks/catch/",
];

struct Keywords {
    automaton: AhoCorasick,
    scanners: Vec<Scanner>,
}

static KEYWORDS: LazyLock<Keywords> = LazyLock::new(|| {
    let mut words: Vec<(&'static str, Scanner)> =
        provider::PROVIDERS.iter().map(|provider| (provider.prefix, Scanner::Provider(provider))).collect();
    words.extend(NAMES.iter().map(|name| (*name, Scanner::Assignment)));
    words.extend(key_material::HASHES.iter().map(|hash| (*hash, Scanner::Hash)));
    words.extend(command::COMMANDS.iter().map(|(name, flags)| (*name, Scanner::Command(flags))));
    words.extend(SESSIONS.iter().map(|name| (*name, Scanner::Session)));
    words.extend(WEBHOOKS.iter().map(|host| (*host, Scanner::Webhook)));
    words.extend([
        ("eyJ", Scanner::Jwt),
        (":AA", Scanner::Telegram),
        ("Q~", Scanner::Entra),
        ("AZDO", Scanner::AzureDevops),
        ("Private-Lines: ", Scanner::Putty),
        (":5432:", Scanner::PgPass),
        (":*:", Scanner::PgPass),
        ("bearer ", Scanner::Bearer),
        (".atlasv1.", Scanner::Atlas),
        ("-----BEGIN ", Scanner::Pem),
        ("master.key", Scanner::MasterKey),
        ("://", Scanner::UserInfo),
        ("sig=", Scanner::Signature),
        ("signature=", Scanner::Signature),
        ("authorization", Scanner::Authorization),
        ("cookie", Scanner::Cookie),
    ]);
    let (patterns, scanners): (Vec<_>, Vec<_>) = words.into_iter().unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .kind(Some(AhoCorasickKind::DFA))
        .build(patterns)
        .expect("a few hundred constant keywords fit");
    Keywords { automaton, scanners }
});

/// The credentials in a text, in order, none over another.
pub fn scan(text: &str) -> Vec<Finding> {
    let keywords = &*KEYWORDS;
    let mut findings = Vec::new();
    // Where the scanners that read on are already done: a keyword behind adds nothing, and each byte is read once.
    let mut done = Done::default();
    for hit in keywords.automaton.find_iter(text) {
        let (start, end) = (hit.start(), hit.end());
        match keywords.scanners[hit.pattern().as_usize()] {
            Scanner::Provider(provider) => match provider::find(text, start, provider) {
                Some(found) => findings.push(found),
                None if provider.is_name() => assignment::find(text, start, end, &mut done.name, &mut findings),
                None => {}
            },
            Scanner::Jwt => findings.extend(provider::jwt(text, start)),
            Scanner::Atlas => findings.extend(provider::atlas(text, start)),
            Scanner::Telegram => findings.extend(provider::telegram(text, start)),
            Scanner::Entra => findings.extend(provider::entra(text, start)),
            Scanner::AzureDevops => findings.extend(provider::azure_devops(text, start)),
            Scanner::Webhook => findings.extend(provider::webhook(text, end)),
            Scanner::Pem if start >= done.pem => findings.extend(key_material::pem(text, end, &mut done.pem)),
            Scanner::Putty => findings.extend(key_material::putty(text, end)),
            Scanner::Hash if start >= done.hash => {
                let found = key_material::hash(text, start);
                done.hash = found.map_or(start, |found| found.end);
                findings.extend(found);
            }
            Scanner::MasterKey => findings.extend(key_material::master_key(text, end)),
            Scanner::UserInfo => findings.extend(url::password(text, end)),
            Scanner::Signature => findings.extend(url::signature(text, start, end)),
            Scanner::PgPass if start >= done.pgpass => {
                findings.extend(url::pgpass(text, start, end, &mut done.pgpass));
            }
            Scanner::Bearer => findings.extend(header::bearer(text, end)),
            Scanner::Session => findings.extend(header::session(text, end)),
            Scanner::Authorization => findings.extend(header::authorization(text, end)),
            Scanner::Cookie if start >= done.cookie => header::cookies(text, end, &mut done.cookie, &mut findings),
            Scanner::Assignment => assignment::find(text, start, end, &mut done.name, &mut findings),
            Scanner::Command(flags) if start >= done.command => {
                command::find(text, end, flags, &mut done.command, &mut findings);
            }
            // Inside what a scanner has read already.
            Scanner::Pem | Scanner::PgPass | Scanner::Hash | Scanner::Cookie | Scanner::Command(_) => {}
        }
    }
    merged(findings)
}

#[derive(Default)]
struct Done {
    name: usize,
    pem: usize,
    pgpass: usize,
    hash: usize,
    cookie: usize,
    command: usize,
}

fn is_place(rule: &str) -> bool {
    matches!(rule, "assignment" | "header" | "cookie" | "command" | "address")
}

/// Of findings that overlap, the one that begins first, and of those the longest, has the text of all.
pub(super) fn merged(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| finding.start < finding.end);
    findings.sort_by_key(|finding| (finding.start, std::cmp::Reverse(finding.end)));
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match kept.last_mut() {
            Some(last) if finding.start < last.end => {
                // What a token's own shape says is more than what its place does.
                if is_place(last.rule) && !is_place(finding.rule) {
                    (last.kind, last.rule) = (finding.kind, finding.rule);
                }
                last.end = last.end.max(finding.end);
            }
            _ => kept.push(finding),
        }
    }
    kept
}
