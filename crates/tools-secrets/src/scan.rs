//! The single pass over a text: finds keywords, runs the scanner of each, and merges their
//! findings.

use std::sync::LazyLock;

use crate::encoded::UnescapedRun;
use crate::finding::{Finding, Heading};
use crate::keywords::{self, Scanner};
use crate::unprefixed::{self, UnprefixedBlock};
use crate::words::Words;
use crate::{assignment, columns, command, header, key_material, manifest, provider, shapes, url};

/// The keywords, and the scanner of each.
static KEYWORDS: LazyLock<(Words, Vec<Scanner>)> = LazyLock::new(|| {
    let (words, scanners): (Vec<_>, Vec<_>) = keywords::all().into_iter().unzip();
    (Words::new(&words), scanners)
});

/// The credentials in a text, in order and without overlaps.
pub fn scan(text: &str) -> Vec<Finding> {
    scan_with(text, &mut |_| {})
}

/// Like `scan`, but also reports headings: lines that describe the lines below them.
pub(crate) fn scan_with(text: &str, tell: &mut dyn FnMut(Heading)) -> Vec<Finding> {
    merged(all(text, DEEPEST, tell))
}

/// Maximum number of nested margins before a line, as in a listing of a log of a search.
const DEEPEST: usize = 3;

/// The findings in a text, in any order. Lines with up to `depth` margins are also read without
/// them.
fn all(text: &str, depth: usize, tell: &mut dyn FnMut(Heading)) -> Vec<Finding> {
    let (words, scanners) = &*KEYWORDS;
    let mut findings = Vec::new();
    // The positions up to which scanners have read: keywords before them add nothing, so each byte
    // is read once.
    let mut done = Done::default();
    for (word, start, end) in words.find_iter(text) {
        let scanner = scanners[word];
        let needs_lines = match scanner {
            Scanner::Pem | Scanner::PemEnd | Scanner::Putty | Scanner::Data => true,
            Scanner::Assignment => unprefixed::is_asked_for(text, start, end),
            _ => false,
        };
        if needs_lines && depth > 0 && start >= done.bare {
            done.bare = behind_margins(text, start, depth, &mut findings, tell);
        }
        match scanner {
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
            Scanner::Discord => findings.extend(shapes::discord(text, end)),
            Scanner::Login => {
                findings.extend(shapes::discord(text, end).or_else(|| shapes::argument(text, end, 1)));
            }
            Scanner::Call(index) => findings.extend(shapes::argument(text, end, index)),
            Scanner::Airtable => findings.extend(shapes::airtable(text, start, end)),
            Scanner::AzureService => findings.extend(shapes::azure_service(text, start, end)),
            Scanner::Firebase => findings.extend(shapes::firebase(text, start, end)),
            Scanner::Twilio => findings.extend(shapes::twilio(text, end)),
            Scanner::Unseal => shapes::unseal(text, end, &mut findings),
            Scanner::GoAddress => findings.extend(shapes::go_address(text, start)),
            Scanner::Mnemonic => findings.extend(shapes::mnemonic(text, end)),
            Scanner::Pem if start >= done.pem => {
                key_material::pem(text, (start, end), &mut done.pem, &mut findings);
            }
            Scanner::PemEnd if start >= done.pem => {
                key_material::tail(text, (start, end), done.pem, &mut findings);
                done.pem = end;
            }
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
            Scanner::Assignment => {
                assignment::find(text, start, end, &mut done.name, &mut findings);
                if let Some(heading) = columns::find(text, (start, end), &mut done.columns, &mut findings) {
                    tell(heading);
                }
            }
            Scanner::Data if start >= done.data => {
                manifest::entries(text, (start, end), &mut done.data, &mut findings, tell);
            }
            Scanner::Encoded if depth > 0 && start >= done.encoded => {
                let meant = UnescapedRun::around(text, start, done.encoded);
                done.encoded = meant.end();
                // Only text that is not escaped again.
                let found = all(&meant.text, 0, &mut |_| {}).into_iter();
                findings.extend(found.map(|finding| Finding {
                    start: meant.place(finding.start),
                    end: meant.place(finding.end),
                    ..finding
                }));
            }
            Scanner::Command(flags) if start >= done.command => {
                command::find(text, end, flags, &mut done.command, &mut findings);
            }
            // This part was already read by a scanner.
            Scanner::Pem
            | Scanner::PemEnd
            | Scanner::PgPass
            | Scanner::Hash
            | Scanner::Cookie
            | Scanner::Encoded
            | Scanner::Command(_)
            | Scanner::Data => {}
        }
    }
    findings
}

/// The findings in the block of lines around `at` without their margin, and the end of the block.
fn behind_margins(
    text: &str,
    at: usize,
    depth: usize,
    findings: &mut Vec<Finding>,
    tell: &mut dyn FnMut(Heading),
) -> usize {
    let (blocks, end) = UnprefixedBlock::around(text, at);
    for block in blocks {
        let place = |at: usize| block.original(at..at + 1).first().map_or(block.end, |part| part.start);
        let mut tell_place = |heading: Heading| {
            // The whole line, with its margin.
            let from = place(heading.line.start);
            let start = memchr::memrchr(b'\n', &text.as_bytes()[..from]).map_or(0, |end| end + 1);
            let length = memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len() - from, |end| end + 1);
            tell(Heading { line: start..from + length, end: place(heading.end) });
        };
        for finding in all(&block.text, depth - 1, &mut tell_place) {
            let parts = block.original(finding.start..finding.end);
            findings.extend(parts.into_iter().map(|part| Finding { start: part.start, end: part.end, ..finding }));
        }
    }
    end
}

#[derive(Default)]
struct Done {
    name: usize,
    pem: usize,
    pgpass: usize,
    hash: usize,
    cookie: usize,
    columns: usize,
    data: usize,
    command: usize,
    encoded: usize,
    bare: usize,
}

fn is_place(rule: &str) -> bool {
    matches!(rule, "assignment" | "column" | "manifest" | "header" | "cookie" | "command" | "address")
}

/// Merges overlapping findings. The one that begins first (of those, the longest) covers the text
/// of all.
pub(crate) fn merged(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.retain(|finding| finding.start < finding.end);
    findings.sort_by_key(|finding| (finding.start, std::cmp::Reverse(finding.end)));
    let mut kept: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        match kept.last_mut() {
            Some(last) if finding.start < last.end => {
                // The form of a token is more specific than its place.
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
