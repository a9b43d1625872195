//! Whether a value in the position of a credential is one, not a placeholder, an expression, a path
//! or a word.

use crate::program::{is_long_name, is_name_part};
use crate::table::EXAMPLE;
use crate::wordy::is_wordy;

/// Beginnings of expressions and references.
const STARTS: &[&str] = &[
    "$", "%", "{", "[", "(", " ", "!ref", "!sub", "!getatt", "!vault", "enc[", "enc(", "arn:", "vault:", "ref+", "/^",
    "op://", "env:", "data:", "sha256", "sha512", "sha1-",
];
/// Maximum length of a word.
const MAX_WORD_LEN: usize = 28;
/// Maximum bytes of a value that are checked.
const MAX_VALUE_BYTES: usize = 4096;

/// Whether a value assigned to a credential name is a credential.
pub(crate) fn is_secret(value: &str) -> bool {
    let value = &value[..value.floor_char_boundary(MAX_VALUE_BYTES)];
    value.len() >= 8
        && !is_placeholder(value)
        && !is_mail_address(value)
        && !is_expression(value)
        && !is_path(value)
        && !is_version(value)
        && !is_number(value)
        && !is_alphabet(value)
        && !is_mark_of_key(value)
        && !is_sealed(value)
        // A password in a URL is found with the URL.
        && !value.contains("://")
        && classes(value) >= 2
        && entropy(value) >= if value.bytes().filter(u8::is_ascii_digit).count() >= 2 { 2.5 } else { 2.8 }
}

/// Like `is_secret`, for positions where only a password can be: in a URL, after `-p`.
pub(crate) fn is_password(value: &str) -> bool {
    // `postgresql://[user[:password]@]`
    value.chars().nth(2).is_some() && !is_placeholder(value) && !is_word(value.trim_matches(['[', ']']))
}

/// Whether a password in a statement is too long to be a keyword of the language.
pub(crate) fn is_secret_length(value: &str) -> bool {
    value.len() >= 6
}

/// `prefix||private_key||public_key`: the parts of a format.
pub(crate) fn is_joined(value: &str) -> bool {
    value.contains("||") && is_expression(value)
}

/// Whether a value has characters of more than one class.
pub(crate) fn is_mixed(value: &str) -> bool {
    classes(value) >= 2
}

/// Whether a value is unlikely to occur by chance, so that it is searched everywhere.
pub(crate) fn is_distinct(value: &str) -> bool {
    let is_one_sort = classes(value) < 2;
    let least = if is_one_sort { 16 } else { 8 };
    value.len() >= least && entropy(value) >= 2.5 && !value.bytes().all(|byte| byte.is_ascii_digit()) && !is_path(value)
}

/// A type name in camel case, with the punctuation of declarations: words of letters, and at most
/// one number that is usual in type names.
pub(crate) fn is_type(value: &str) -> bool {
    const NUMBERS: &[&str] = &[
        "1", "2", "3", "4", "8", "16", "32", "64", "128", "192", "224", "256", "384", "512", "1024", "2048", "4096",
        "448", "25519",
    ];
    let bare = value.trim_start_matches('&').trim_start_matches("mut ");
    let bare = bare.trim_end_matches([',', ';', ')', '>', '?', '}', '{', ']', '[']);
    let bare = bare.rsplit("::").next().unwrap_or(bare);
    let bare = bare.rsplit('<').next().unwrap_or(bare).trim_start_matches('&');
    if !bare.starts_with(|first: char| first.is_ascii_uppercase()) || !bare.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let numbers: Vec<&str> = bare.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
    let humps = bare.as_bytes().windows(2).filter(|pair| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase());
    let letters = bare.bytes().filter(u8::is_ascii_alphabetic).count();
    let is_numbered = match numbers[..] {
        [] => true,
        [number] => NUMBERS.contains(&number) && bare.ends_with(|last: char| last.is_ascii_alphabetic()),
        _ => false,
    };
    is_numbered && letters >= 4 && (humps.count() + 1) * 3 <= letters && is_wordy(bare)
}

/// Whether a value is encrypted, so that only the owner of another key can read it.
fn is_sealed(value: &str) -> bool {
    let is_base64 =
        |value: &str| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    // A two-byte length of a wrapped key (Sealed Secrets), or the header of a key service.
    let is_wrapped = ["AgA", "AgB", "AgC", "AgD", "AQICA", "AQECA"].iter().any(|start| value.starts_with(start));
    is_wrapped && value.len() >= 96 && is_base64(value)
}

/// Whether a value without a name is as random as a key.
pub(crate) fn is_random(value: &str) -> bool {
    classes(value) >= 3 && entropy(value) >= 3.5
}

/// `secret123`: a placeholder for a token.
pub(crate) fn is_numbered_word(value: &str) -> bool {
    let word = value.trim_end_matches(|c: char| c.is_ascii_digit());
    value.len() <= 12 && value.len() - word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_word(value: &str) -> bool {
    ["password", "passwd", "pass", "secret", "token", "none", "null", "true", "false"]
        .iter()
        .any(|word| value.eq_ignore_ascii_case(word))
}

fn is_placeholder(value: &str) -> bool {
    let starts = |start: &str| value.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start));
    // A password hash, which begins with `$`, is found elsewhere.
    STARTS.iter().any(|start| starts(start) && !is_dense(value, start) && !is_escaped(value))
        || EXAMPLE.is_match(value)
        // `IDENTIFIED BY "%(password)s"`, `key "' + token + '"`
        || value.contains("%(") && value.contains(")s")
        || is_interpolated(value)
        || is_template(value)
        // `%00%01%09`, `pass%7F`: occurs in texts about URLs, not in passwords.
        || ["%00", "%7F", "%7f"].iter().any(|control| value.contains(control))
        || value.contains("' + ") || value.contains("\" + ") || value.starts_with("\".") || value.starts_with("'.")
        || (value.contains(['<', '>']) && !is_dense(value, "<"))
        || value.get(value.len().saturating_sub(5)..).is_some_and(|end| end.eq_ignore_ascii_case("_here"))
        // `eyJ2IjoiMS...`: shortened by the author.
        || value.ends_with("...")
        || value.chars().all(|character| character == '*' || character == '.' || character == 'x' || character == 'X')
}

/// `%4A%72%54`: percent-encoded letters, not `%NAME%`.
fn is_escaped(value: &str) -> bool {
    let is_escape = |three: &[u8]| three[0] == b'%' && matches!(three[1], b'2'..=b'7') && three[2].is_ascii_hexdigit();
    value.len() >= 9 && value.as_bytes()[..9].chunks_exact(3).all(is_escape)
}

/// `events!connection/{connection_id}/auth`: a name in braces, which is replaced later.
fn is_interpolated(value: &str) -> bool {
    let name = |rest: &str| rest.split_once('}').map(|(name, _)| name.to_owned());
    let is_name = |name: &String| {
        name.len() >= 3 && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.'))
    };
    value.match_indices('{').any(|(at, _)| name(&value[at + 1..]).as_ref().is_some_and(is_name))
}

/// `@VMWARE_PASSWORD`, `@TOKEN@`
fn is_template(value: &str) -> bool {
    let name = value.strip_prefix('@').map(|name| name.trim_end_matches('@'));
    let is_part = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.is_some_and(|name| name.len() >= 4 && name.bytes().all(is_part))
}

/// `someone@example.com`: given as the password of anonymous logins.
fn is_mail_address(value: &str) -> bool {
    let is_label = |label: &str| label.len() >= 2 && label.bytes().all(|byte| byte.is_ascii_lowercase());
    let Some((user, host)) = value.split_once('@') else { return false };
    host.contains('.') && user.split(['.', '-', '_']).chain(host.split(['.', '-'])).all(is_label)
}

/// One placeholder mark in a long value with much punctuation is chance.
fn is_dense(value: &str, mark: &str) -> bool {
    mark.len() == 1 && value.len() >= 16 && classes(value) == 4 && !value.ends_with(['}', ')', ']', '>', '%'])
}

/// Whether a quoted text is a name of something else: `V1SecretProjection`, `0002_alter_name`,
/// `__reactFiber$`, `@scope/plugin/key`, `search=no`. Not for passwords, which people make of
/// words.
pub(crate) fn is_title(value: &str) -> bool {
    let bare = value.trim_start_matches(['.', '#', '@', '_', '$']).trim_end_matches(['=', '$', '_', ':', ')']);
    let is_words = |separators: &[char]| {
        let parts: Vec<&str> = bare.split(separators).collect();
        let digits = bare.bytes().filter(u8::is_ascii_digit).count();
        let is_part = |part: &&str| {
            let word = part.trim_matches(|c: char| c.is_ascii_digit());
            word.bytes().all(|byte| byte.is_ascii_alphabetic()) && is_name_part(word) && word.len() <= MAX_WORD_LEN
                || part.len() <= 3
                    && (word.bytes().all(|b| b.is_ascii_alphabetic()) || !part.bytes().any(|b| b.is_ascii_uppercase()))
        };
        digits <= 6 && parts.iter().all(is_part) && parts.iter().any(|part| part.len() >= 3)
    };
    // `__decimal128__`
    let is_inner = value.len() > 4 && value.starts_with("__") && value.ends_with("__");
    let is_one_of_many = bare.split(['_', '-', '.', '/', '=', ':']).filter(|part| part.len() > 2).count() >= 3;
    let no_digits = !bare.bytes().any(|byte| byte.is_ascii_digit());
    is_long_name(bare)
        || is_inner && is_words(&['_'])
        || is_one_of_many && is_words(&['_', '-', '.', '/', '=', '@', ':'])
        || no_digits && is_words(&['_', '-', '.', '/', '=', '@', '#', '$'])
        || is_camel(bare)
}

/// `Ipv6Pools`, `PublicIpv4Pools`, `heightOfGeoidAboveWGS84Units`: camel case words with a number.
fn is_camel(value: &str) -> bool {
    let words: Vec<&str> = value.split(|c: char| c.is_ascii_digit()).filter(|word| !word.is_empty()).collect();
    let digits = value.len() - words.iter().map(|word| word.len()).sum::<usize>();
    let humps =
        value.as_bytes().windows(2).filter(|pair| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase());
    value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (1..=2).contains(&words.len())
        && (1..=2).contains(&digits)
        && words.iter().all(|word| word.len() >= 3 && is_word_like(word))
        && is_wordy(value)
        && humps.count() >= 1
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
        // `ProductsV2`
        && (!value.ends_with(|last: char| last.is_ascii_digit()) || words[0].len() >= 5 && words[0].ends_with('V'))
}

/// A sentence about a password.
pub(crate) fn is_sentence(value: &str) -> bool {
    // `The "pass" statement\n`
    let line = value.strip_suffix("\\n");
    let (text, least) = line.map_or((value, 4), |line| (line, 3));
    let all = text.split(' ').count();
    let is_word = |word: &&str| word.bytes().all(|b| b.is_ascii_alphabetic() || b",.'\"()".contains(&b));
    let words = text.split(' ').filter(is_word).count();
    let is_end = line.is_some() || value.ends_with(['.', '?', '!', ':']);
    all >= least && words * 5 >= all * 4 && (is_end || value.len() >= 32)
}

/// Code rather than a value: `config.get(…`, `process.env.KEY`, `Type::Name`, `foo_bar`, words.
fn is_expression(value: &str) -> bool {
    let is_name = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '.' | ':' | '-' | '?' | '&' | '>' | '/')
    };
    let name_end = value.find(|character| !is_name(character)).unwrap_or(value.len());
    let (name, rest) = value.split_at(name_end);
    let opens = rest.starts_with(['(', '[', '{']) || ["!(", "![", "!{"].iter().any(|start| rest.starts_with(start));
    let most_digits = if name.contains('.') { 6 } else { 2 };
    let is_call =
        !name.is_empty() && opens && name.chars().filter(char::is_ascii_digit).count() <= most_digits && is_wordy(name);
    // Without closing punctuation of the surrounding text.
    let bare = value.trim_start_matches(['~', '&']).trim_end_matches([')', ']', '}', ';', ',', ':']);
    let is_words = bare
        .replace("%20", " ")
        .split([' ', '_', '-', '.', ':', '/', '?', '!', ',', '\'', '|', '*'])
        .all(|word| word.chars().all(char::is_alphabetic) && is_word_like(word));
    is_call
        || is_words
        || is_member(bare)
        || is_label(bare)
        || is_constant(bare)
        || is_operation(value)
        || is_code(value)
        || is_regex(value)
        || value.contains("::") && !value.contains(['+', '=', '/'])
}

/// Whether letters are words, including a long name in camel case, and not random.
pub(crate) fn is_word_like(word: &str) -> bool {
    if word.len() <= MAX_WORD_LEN {
        return is_wordy(word);
    }
    let vowels =
        word.bytes().filter(|byte| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y'));
    let changes =
        word.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    is_wordy(word) && vowels.count() * 4 >= word.len() && changes.count() * 5 <= word.len()
}

/// `this.config.apiKey2`, `credentials?.password1`.
fn is_member(value: &str) -> bool {
    let mut parts = value.split('.');
    let is_own = value.starts_with("self.") || value.starts_with("this.");
    let is_identifier = |part: &str| {
        let part = part.trim_end_matches(['?', '!']);
        let digits = part.bytes().filter(u8::is_ascii_digit).count();
        part.len() <= 40
            && (digits <= 2 || is_own)
            && part.starts_with(|character: char| character.is_ascii_alphabetic() || character == '_')
            && part.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
            && is_wordy(part)
    };
    let is_path = value.contains('.');
    is_path && parts.all(is_identifier)
}

/// `my-release-postgresql1`, `MAX_KEY_2`: a name that people choose.
fn is_label(value: &str) -> bool {
    let value = value.trim_start_matches('_');
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_word = |part: &str| {
        let word = part.trim_end_matches(|character: char| character.is_ascii_digit());
        let is_number = word.is_empty() && !part.is_empty();
        let is_one_case =
            word.bytes().all(|byte| byte.is_ascii_lowercase()) || word.bytes().all(|byte| byte.is_ascii_uppercase());
        is_number || (2..=16).contains(&word.len()) && is_one_case
    };
    value.contains(['-', '_']) && digits <= 2 && value.split(['-', '_']).all(is_word)
}

/// `D3D10_SB_RESOURCE_TYPE`, `LSA_TOKEN_V1`: the name of a constant.
fn is_constant(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_part = |part: &str| part.starts_with(|first: char| first.is_ascii_uppercase());
    let is_upper = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    value.contains('_') && is_upper && digits * 5 <= value.len() && value.split('_').all(is_part)
}

/// Marks that are frequent in programs and absent from passwords.
const CODE: &[&str] = &[
    "&&",
    "||",
    "this.",
    "=>",
    "),",
    ");",
    ").",
    "};",
    "},",
    "==",
    "!=",
    "+\"",
    "\";",
    "(\"",
    "()",
    "}return",
    "(function",
    "(func",
    "=[",
    "\",\"",
];

/// `r?r.index:-1`, `f.match=f.token`: members and numbers with operators.
fn is_operation(value: &str) -> bool {
    let bare = value.trim_end_matches([')', ']', '}', ';', ',', ':', '+']);
    let is_part = |part: &str| {
        let part = part.trim_start_matches('-');
        part.bytes().filter(u8::is_ascii_digit).count() <= 1
            && part.len() <= 40
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.'))
            && is_wordy(part)
    };
    bare.contains('.') && bare.split(['=', '?', ':', '+', '&', '|', '!', '<', '>']).all(is_part)
}

/// A part of a program written without blanks.
fn is_code(value: &str) -> bool {
    value.trim_end_matches([',', ')']).ends_with("=None")
        || value.contains("}(")
        || value.contains("){")
        || value.len() >= 12 && CODE.iter().filter(|mark| value.contains(**mark)).count() >= 2
}

/// `^\s*\w\+:`: a search pattern.
fn is_regex(value: &str) -> bool {
    let escapes = value.as_bytes().windows(2).filter(|pair| pair[0] == b'\\' && b"()+|{}swdSWDzhb.".contains(&pair[1]));
    escapes.count() >= 2
}

/// The base64 of a private key's header, without any of the key.
fn is_mark_of_key(value: &str) -> bool {
    value.starts_with("LS0tLS1CRUdJTi") && value.len() < 48
}

/// `^5.3.0-beta.1`, `2026-10-03T11:22:41Z`.
pub(crate) fn is_version(value: &str) -> bool {
    let bare = value.trim_start_matches(['^', '~', '>', '<', '=', 'v', ' ']);
    let mut numbers = bare.split(['.', '-', ':', 'T', '+']);
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    bare.contains(['.', '-']) && bare.len() <= 40 && is_number(numbers.next()) && is_number(numbers.next())
}

/// `2147483648u32`, `4294967295UL`, `0x8004101f`: a number in a program.
fn is_number(value: &str) -> bool {
    const TYPES: &[&str] = &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
    let ending = value.trim_start_matches(|c: char| c.is_ascii_digit()).trim_end_matches([';', ',', ')']);
    let is_type = || ending.bytes().all(|byte| b"uUlL".contains(&byte)) && ending.len() <= 3 || TYPES.contains(&ending);
    let hex = value.strip_prefix("0x").map(|hex| hex.trim_end_matches([';', ',', ')']));
    let is_hex = hex.is_some_and(|hex| hex.len() <= 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    is_hex || value.starts_with(|c: char| c.is_ascii_digit()) && is_type()
}

/// A permutation of an alphabet: random texts of that length repeat characters.
fn is_alphabet(value: &str) -> bool {
    let mut seen = [false; 256];
    value.len() >= 26 && value.bytes().all(|byte| !std::mem::replace(&mut seen[usize::from(byte)], true))
}

/// A path of the file system.
pub(crate) fn is_path(value: &str) -> bool {
    let value = value.strip_prefix("file:").unwrap_or(value);
    let decoded = value.contains("%2").then(|| value.replace("%2F", "/").replace("%2f", "/"));
    let value = decoded.as_deref().unwrap_or(value);
    let rooted = ["/", "./", "../", "~/"].iter().any(|start| value.starts_with(start));
    // `my-app/5026-stage.war`
    let ending = value.rsplit_once('.').filter(|(stem, _)| stem.contains('/')).map_or("", |(_, ending)| ending);
    let has_ending = (2..=4).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_lowercase());
    (rooted || has_ending) && !value.contains(['+', '=']) && is_wordy(value)
}

/// How many classes occur: lower case, upper case, digits, others.
fn classes(value: &str) -> usize {
    let mut seen = [false; 4];
    for character in value.chars() {
        let class = match character {
            'a'..='z' => 0,
            'A'..='Z' => 1,
            '0'..='9' => 2,
            _ => 3,
        };
        seen[class] = true;
    }
    // Only digits, or digits with dots, are numbers.
    if seen[2] && !seen[0] && !seen[1] { 1 } else { seen.iter().filter(|seen| **seen).count() }
}

/// Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = f64::from(u32::try_from(value.len()).unwrap_or(u32::MAX).max(1));
    let share = |count: u32| f64::from(count) / length;
    counts.iter().filter(|count| **count > 0).map(|count| -share(*count) * share(*count).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        for value in [
            "k8dz7y3doqnvelbuizvohdbyhtvr2owp",
            "1f11deaa713ad17b50c645d4f9a1e5a6",
            "ykUb7wnj*71-lOTg",
            "NO16wzrjym4p",
            "GWwemEAnW33L",
            "VWz=n7.-M6eRFM?JZ7z3",
        ] {
            assert!(is_secret(value), "{value}");
        }
        for value in [
            "short1",
            "${DB_PASSWORD}",
            "process.env.API_KEY",
            "os.environ[",
            "YOUR_API_KEY_HERE",
            "changeme123",
            "AKIAIOSFODNN7EXAMPLE",
            "config.get(",
            "tokenizer.next_token().ok_or(ParseError::UnexpectedEof)?;",
            "/run/secrets/db_password",
            "file:/run/secrets/db_password",
            "12345678901",
            "Forgot your password?",
            "aaaaaaaa1",
            "your_secret_key",
            "********",
            "request.headers.get(",
            "ParseError::Unexpected1",
            "2147483648u32",
            "4294967295UL;",
            "&AES_KEY,",
            "prefix||private_key||middle||public_key",
            "hijklmnopuvwDEFqrABCxyzsHIJGPQRSTUVWXYZKLMNOgabctdfe",
        ] {
            assert!(!is_secret(value), "{value}");
        }
    }
}
