//! Tokens recognised by their own form: a prefix, or marks inside them.

use crate::finding::Finding;
use crate::providers::Alphabet::Url;
use crate::providers::Provider;
use crate::value;

/// Minimum number of different characters in a token.
const MIN_DIFFERENT: usize = 5;
/// Minimum length of words after a prefix for them to be a name instead of a token.
const MIN_NAME_LEN: usize = 28;

/// Reads the rest of a token whose prefix begins at `start`.
pub(crate) fn find(text: &str, start: usize, provider: &'static Provider) -> Option<Finding> {
    let bytes = text.as_bytes();
    let rest = start + provider.prefix.len();
    // Keywords are found in any case; prefixes are case-sensitive.
    if bytes.get(start..rest)? != provider.prefix.as_bytes() || is_inside_word(bytes, start) {
        return None;
    }
    if is_inside_blob(bytes, start, provider.prefix) {
        return None;
    }
    let (least, most) = provider.length;
    let mut length = bytes[rest..].iter().take(most + 1).take_while(|byte| provider.alphabet.has(**byte)).count();
    // A full stop or a comma after a token belongs to the sentence.
    while length > 0 && matches!(bytes[rest + length - 1], b'.' | b',') {
        length -= 1;
    }
    let end = rest + length;
    if !(least..=most).contains(&length) {
        return None;
    }
    let is_given = !is_illustration(&text[start..end], &text[rest..end]) && !is_name(&text[rest..end]);
    is_given.then_some(Finding { start, end, kind: provider.kind, rule: provider.prefix })
}

/// `glc_1111…`, `ntn_1234567890…`, `xoxe.xoxp-1-TokenHere`: an illustration of a token.
fn is_illustration(token: &str, rest: &str) -> bool {
    let lower = token.to_ascii_lowercase();
    let different = (b'!'..=b'~').filter(|byte| rest.as_bytes().contains(byte)).count();
    different < MIN_DIFFERENT
        || rest.bytes().all(|byte| byte.is_ascii_digit())
        || ["example", "xxxxxxxx", "00000000"].iter().any(|mark| lower.contains(mark))
        || lower.ends_with("here")
}

/// `exp_on_interval_between`, `hf_requiredTypesForDisplay`: the name of a function or a field.
fn is_name(rest: &str) -> bool {
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let is_lower = rest.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'0'..=b'9'));
    is_lower && digits <= 1 && rest.split('_').count() > 3
        || digits == 0 && rest.len() >= MIN_NAME_LEN && rest.split(['_', '-', '.']).all(value::is_word_like)
}

/// Whether a short prefix is inside base64, where any letters occur.
fn is_inside_blob(bytes: &[u8], start: usize, prefix: &str) -> bool {
    const RUN: usize = 16;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let is_letters = prefix.len() <= 4 && prefix.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_joined = start > RUN && matches!(bytes[start - 1], b'+' | b'/');
    is_letters && is_joined && bytes[start - RUN..start].iter().all(is_part)
}

/// A JSON Web Token: three parts, the first a JSON object.
pub(crate) fn jwt(text: &str, start: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    if !text[start..].starts_with("eyJ") || is_inside_word(bytes, start) {
        return None;
    }
    let run = |from: usize| from + bytes[from..].iter().take_while(|byte| Url.has(**byte)).count();
    let header = run(start);
    let payload = bytes.get(header).filter(|byte| **byte == b'.').map(|_| run(header + 1))?;
    let signature = bytes.get(payload).filter(|byte| **byte == b'.').map_or(payload, |_| run(payload + 1));
    let is_token = header - start >= 16 && payload - header > 12;
    is_token.then_some(Finding { start, end: signature, kind: "jwt", rule: "jwt" })
}

/// A Terraform Cloud token, with a mark in the middle.
pub(crate) fn atlas(text: &str, mark: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let before = bytes[..mark].iter().rev().take(15).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let rest = mark + ".atlasv1.".len();
    let after = bytes.get(rest..)?.iter().take(80).take_while(|byte| Url.has(**byte)).count();
    (before == 14 && after >= 60 && !is_illustration(&text[mark - before..mark], &text[rest..rest + after]))
        .then_some(Finding { start: mark - before, end: rest + after, kind: "terraform", rule: "token-shape" })
}

/// A token of Telegram: a number, a colon, 35 characters that begin with `AA`.
pub(crate) fn telegram(text: &str, colon: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let number = bytes[..colon].iter().rev().take(12).take_while(|byte| byte.is_ascii_digit()).count();
    let after = bytes[colon + 1..].iter().take(40).take_while(|byte| Url.has(**byte)).count();
    let found = Finding { start: colon - number, end: colon + 1 + after, kind: "telegram", rule: "token-shape" };
    ((8..=11).contains(&number) && (34..=36).contains(&after)).then_some(found)
}

/// A secret of a Microsoft Entra application: `Q~` after three characters and a digit.
pub(crate) fn entra(text: &str, mark: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~');
    let before = bytes[..mark].iter().rev().take(6).take_while(|byte| is_part(byte)).count();
    if before != 4 || !bytes[mark - 1].is_ascii_digit() {
        return None;
    }
    let after = bytes[mark + 2..].iter().take(40).take_while(|byte| is_part(byte)).count();
    let found = Finding { start: mark - before, end: mark + 2 + after, kind: "azure", rule: "token-shape" };
    (31..=34).contains(&after).then_some(found)
}

/// A token of Azure DevOps: 84 letters and digits with a mark near the end.
pub(crate) fn azure_devops(text: &str, mark: usize) -> Option<Finding> {
    let bytes = text.as_bytes();
    let before = bytes[..mark].iter().rev().take(80).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let after = bytes[mark + 4..].iter().take(8).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let found = Finding { start: mark - before, end: mark + 4 + after, kind: "azure", rule: "token-shape" };
    (before == 76 && after == 4).then_some(found)
}

/// A webhook URL, to which anybody who knows it may post: the last part of its path is the secret.
pub(crate) fn webhook(text: &str, rest: usize) -> Option<Finding> {
    /// Minimum length of the secret in most URLs.
    const MIN_SECRET_BYTES: usize = 20;
    let tail = text.get(rest..)?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'@');
    let length = tail.bytes().take(400).take_while(is_part).count();
    let slash = tail[..length].rfind('/')?;
    // A Teams URL has two secret parts.
    let (start, least) = match tail[..length].rfind("/IncomingWebhook/") {
        Some(at) => (at + "/IncomingWebhook/".len(), MIN_SECRET_BYTES),
        // `1234567/b1a2c3d/`: short, with a final slash.
        None if text[..rest].ends_with("/hooks/catch/") => (0, 12),
        None => (slash + 1, MIN_SECRET_BYTES),
    };
    // One repeated letter is an illustration.
    let is_varied = tail[start..length].bytes().any(|byte| Some(byte) != tail[start..length].bytes().next());
    (is_varied && length - start >= least).then_some(Finding {
        start: rest + start,
        end: rest + length,
        kind: "webhook",
        rule: "token-shape",
    })
}

/// Whether a letter or digit directly precedes, so that a token cannot begin here. Escapes such as
/// `\n` in quoted text and ends of colour sequences do not count.
pub(crate) fn is_inside_word(bytes: &[u8], start: usize) -> bool {
    let Some(before) = start.checked_sub(1).map(|at| bytes[at]) else { return false };
    let earlier = start.checked_sub(2).map(|at| bytes[at]);
    let is_escape = matches!(before, b'n' | b't' | b'r') && earlier == Some(b'\\');
    let is_colour = before == b'm'
        && bytes[..start - 1]
            .iter()
            .rev()
            .take(12)
            .skip_while(|byte| byte.is_ascii_digit() || **byte == b';')
            .take(2)
            .eq(b"[\x1b");
    // `%20` in a URL.
    let is_percent =
        start >= 3 && bytes[start - 3] == b'%' && bytes[start - 2].is_ascii_hexdigit() && before.is_ascii_hexdigit();
    before.is_ascii_alphanumeric() && !is_escape && !is_colour && !is_percent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{providers::PROVIDERS, scan};

    /// As many characters of an alphabet as a token has at least, none of them long in a row.
    fn rest(provider: &Provider, length: usize) -> String {
        let characters =
            "K7aD0fC4e9B2x8d3F6q1Zb5m".chars().filter(|c| u8::try_from(*c).is_ok_and(|b| provider.alphabet.has(b)));
        characters.cycle().take(length).collect()
    }

    #[test]
    fn each_kind_is_found_by_its_prefix_and_length_alone() {
        for provider in PROVIDERS {
            let (prefix, (least, most)) = (provider.prefix, provider.length);
            for length in [least, most] {
                let token = prefix.to_owned() + &rest(provider, length);
                let text = format!("use {token} now");
                let found = scan(&text);
                assert!(found.iter().any(|found| text[found.start..found.end] == *token), "{text}");
                assert_eq!(PROVIDERS.iter().filter(|other| other.prefix == prefix).count(), 1, "{prefix}");
            }
            // One character less, a letter in front, nothing but one character, an example.
            let (short, token) =
                (prefix.to_owned() + &rest(provider, least - 1), prefix.to_owned() + &rest(provider, least));
            assert_eq!(find(&format!("{short} now"), 0, provider), None, "{short}");
            assert_eq!(find(&format!("x{token}"), 1, provider), None, "{token}");
            assert_eq!(find(&(prefix.to_owned() + &"0".repeat(least)), 0, provider), None, "{prefix}");
        }
    }
}
