//! Whether an unquoted value is source code: a variable, a type, an expression. In source code
//! credentials are quoted; unquoted ones are in settings, messages and command lines.

use crate::wordy::is_wordy;

/// Keywords that may follow a closed block.
const STATEMENTS: &[&str] =
    &["let", "const", "var", "return", "else", "if", "for", "function", "catch", "finally", "while", "switch", "throw"];
/// Bytes around a value that are checked.
const AROUND: usize = 96;

/// Numbers that are common in names.
const NUMBERS: &[&str] = &["16", "32", "64", "128", "192", "224", "256", "384", "448", "512", "25519"];

/// Character sequences that are frequent in code and rare elsewhere.
const SIGNS: &[&str] = &[
    "){",
    "})",
    "}}",
    "===",
    "!==",
    "else{",
    "void 0",
    "=>{",
    ".prototype.",
    "if(",
    "for(",
    "();",
    "const{",
    "}function",
    "}return",
    "return{",
    "=function",
    ":function",
    ",this.",
    "(this.",
    ";this.",
    "=this.",
    "=null",
    "===null",
    "=!0",
    "=!1",
    ":!0",
    ":!1",
    "&&(",
];
/// Words of code that other lines may have too.
const WORDS: &[&str] = &["const ", "let ", "var ", "return ", "this.", "self.", "await ", "=>", "new ", "function"];

/// Whether the value of a name, from `start` to `end`, is source code.
pub(crate) fn is_program(text: &str, name_start: usize, start: usize, end: usize) -> bool {
    let found = &text[start..end];
    if is_call(found) {
        return true;
    }
    if !found.bytes().all(is_code_byte) || !reads_as_names(found) {
        return false;
    }
    is_structured(found)
        || is_long_name(found)
        || is_operand(found)
        || is_declared(text, name_start, start, end)
        || is_in_program(text, name_start, end)
}

/// `sqlite3Strlen30NN(p->u.zToken)+1;`: a call with a member of something.
fn is_call(value: &str) -> bool {
    let Some((name, rest)) = value.split_once('(') else { return false };
    let Some((inside, rest)) = rest.rsplit_once(')') else { return false };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.len() >= 3
        && name.bytes().all(is_name)
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && inside.split_once("->").is_some_and(|(object, _)| !object.is_empty())
        && inside.bytes().all(|byte| is_name(byte) || matches!(byte, b'-' | b'>' | b'.' | b','))
        && rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b')' | b',' | b'+' | b'-'))
}

/// Whether the lines around a value are source code.
fn is_in_program(text: &str, name_start: usize, end: usize) -> bool {
    let before = &text[text.ceil_char_boundary(name_start.saturating_sub(AROUND))..name_start];
    let before = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let after = &text[name_start..text.floor_char_boundary(end.saturating_add(AROUND))];
    let after = &after[..after.find('\n').unwrap_or(after.len())];
    let marks = |marks: &[&str]| marks.iter().filter(|mark| before.contains(**mark) || after.contains(**mark)).count();
    let signs = marks(SIGNS);
    signs >= 1 && signs * 2 + marks(WORDS) >= 3
}

fn is_code_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_$.:()[]{}<>,;=&|?!+-*/#^ \"'`".contains(&byte)
}

/// Whether every run of letters and digits is part of a name.
fn reads_as_names(value: &str) -> bool {
    value.split(|c: char| !c.is_ascii_alphanumeric()).all(is_name_part)
}

/// Whether a run of letters and digits is part of a name and not random.
pub(crate) fn is_name_part(run: &str) -> bool {
    if run.len() <= 3 || run.bytes().all(|byte| byte.is_ascii_digit()) {
        return run.len() <= 12;
    }
    if run.starts_with(|first: char| first.is_ascii_digit()) {
        // `2147483648u32`, `128BITS`
        let letters = run.trim_start_matches(|c: char| c.is_ascii_digit());
        return run.len() <= 14 && letters.bytes().all(|byte| byte.is_ascii_alphanumeric()) && letters.len() <= 4;
    }
    // `vld1q`
    let is_lower = run.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if run.len() <= 5 && is_lower && run.bytes().filter(u8::is_ascii_digit).count() <= 1 {
        return true;
    }
    let words: Vec<&str> = run.split(|c: char| c.is_ascii_digit()).filter(|word| !word.is_empty()).collect();
    let numbers: Vec<&str> = run.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty()).collect();
    let letters: usize = words.iter().map(|word| word.len()).sum();
    let vowels = run.bytes().filter(|byte| b"aeiouyAEIOUY".contains(byte)).count();
    let is_upper = run.bytes().all(|byte| !byte.is_ascii_lowercase());
    // `V1Token`: only the first may be a single letter or two.
    let are_words = words.len() <= 3 && words.iter().skip(1).all(|word| word.len() >= 3);
    // `x25519`, `p256`
    if letters <= 2 && numbers.iter().all(|number| NUMBERS.contains(number)) {
        return true;
    }
    are_words
        && (vowels * 6 >= letters || is_upper && letters <= 8)
        && words.iter().all(|word| longest_hump(word) <= 16)
        && is_camel(run, letters)
        && is_wordy(run)
        && words.iter().enumerate().all(|(at, word)| is_wordy(word) || at == 0 && word.len() <= 3)
        && numbers.iter().all(|number| number.len() <= 4 || NUMBERS.contains(number))
}

/// Whether upper-case letters are as rare and as far apart as in camel case.
fn is_camel(run: &str, letters: usize) -> bool {
    let upper = run.bytes().filter(u8::is_ascii_uppercase).count();
    let changes = run.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let least = if letters >= 20 { 5 } else { 4 };
    upper == letters
        || letters < 8
        || upper * 3 <= letters && (letters < 12 || (changes.count() + 1) * least <= letters)
}

/// The maximum number of letters between two word starts in camel case.
fn longest_hump(word: &str) -> usize {
    word.split(|c: char| c.is_ascii_uppercase()).map(str::len).max().unwrap_or(0)
}

/// `this.#keys.get(name)`, `ed25519.PrivateKey.generate()`, `Option<Vec<u16>>`, `p->token`,
/// `Buffer|Uint8Array`.
fn is_structured(value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let has_word = value.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word.len() >= 4);
    // `(obj.ratio`, `a})`, `a)):b`, `a===b.c`: closing brackets or comparisons between names.
    let is_closed = ["})", "))", ")}", "):", ")[", "===", "!==", "+(", "!("].iter().any(|mark| value.contains(mark));
    // `routes}let next`
    let is_followed = value.split('}').skip(1).any(|rest| STATEMENTS.contains(&rest));
    // `{name:1`
    // `(type)name`
    let is_cast = value.starts_with('(') && value.contains(')');
    let is_object = is_cast || value.strip_prefix('{').is_some_and(|rest| rest.contains(':'));
    let joins = |at: usize| {
        let before = at.checked_sub(1).is_some_and(is_word);
        match bytes[at] {
            b'(' | b'[' => before,
            b'.' => at > 0 && bytes[at - 1] == b')' && is_word(at + 1),
            b'-' => before && bytes.get(at + 1) == Some(&b'>') && is_word(at + 2),
            b'<' => before && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) && value.contains('>'),
            b':' => before && bytes.get(at + 1) == Some(&b':'),
            b'|' => before && is_word(at + 1) && at >= 4,
            b'=' => before && is_word(at + 1) && bytes.contains(&b'.'),
            _ => false,
        }
    };
    let is_member = || {
        let bare = value
            .trim_end_matches([';', ',', ')', ']', '}', ':'])
            .trim_start_matches(['&', '!', '+', '-', '*', '.', '[', '(']);
        let parts: Vec<&str> = bare.split('.').collect();
        let is_short = |part: &&str| part.bytes().filter(u8::is_ascii_digit).count() <= 3 || has_number(part);
        parts.len() > 1
            && parts.iter().all(is_short)
            && parts.iter().all(|part| {
                let part = part.trim_start_matches('#');
                part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
                    && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })
    };
    has_word && (is_closed || is_followed || is_object || (0..bytes.len()).any(joins) || is_member())
}

fn has_number(part: &str) -> bool {
    part.split(|c: char| !c.is_ascii_digit()).any(|number| number.len() > 1 && NUMBERS.contains(&number))
}

/// One name of three words or more: `TLS13_CHACHA20_POLY1305`, `generate_private_key,`,
/// `V1IssuingTokenUpdatedEvent`.
pub(crate) fn is_long_name(value: &str) -> bool {
    let bare = value.trim_end_matches([',', ';', ')', '}', ']', ':']).trim_start_matches(['&', '*', '!', '_']);
    let is_name = bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$'));
    let humps = bare.as_bytes().windows(2).filter(|pair| !pair[0].is_ascii_uppercase() && pair[1].is_ascii_uppercase());
    let parts = bare.split('_').filter(|part| !part.is_empty()).count();
    // `DI9RQOAWXYUZF54VJVXM`: without lower case or separators it has no words.
    let has_words = bare.contains('_') || bare.bytes().any(|byte| byte.is_ascii_lowercase());
    bare.len() >= 8
        && is_name
        && has_words
        && reads_as_names(bare)
        && (parts >= 3 || humps.count() >= 2 || is_constant(bare))
}

/// `WBEM_128BITS`, `MI_UserCredentials_0`, `propValue$204`, `_propKey8`
fn is_constant(bare: &str) -> bool {
    let (name, number) = bare.rsplit_once(['_', '$']).unwrap_or((bare, ""));
    bare.contains('$')
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphabetic())
        || bare.contains('_') && bare.bytes().all(|byte| !byte.is_ascii_lowercase())
        || bare.contains('_') && number.bytes().all(|byte| byte.is_ascii_digit()) && (1..=2).contains(&number.len())
}

/// A name of letters with a sign before it or a bracket after it, as in an expression:
/// `+dollarToken;`, `columns2)`.
fn is_operand(value: &str) -> bool {
    let bare = value.trim_end_matches([';', ')', ']', '}', '|']);
    let name = bare.trim_start_matches(['+', '!', '&', '*', '_']);
    let digits = name.bytes().filter(u8::is_ascii_digit).count();
    (bare.len() < value.len() || name.len() < bare.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && digits <= 1
        && name.len() >= 4
}

/// `token: ULONG64,`, `apiKey: SensitiveString2048;`: a declared field, alone on its line.
fn is_declared(text: &str, name_start: usize, start: usize, end: usize) -> bool {
    // A line that begins further away has more before the name than one of these words.
    let from = text.ceil_char_boundary(name_start.saturating_sub(AROUND));
    let line = memchr::memrchr(b'\n', &text.as_bytes()[from..name_start]).map(|at| from + at + 1);
    let Some(line) = line.or((from == 0).then_some(0)) else { return false };
    let before = text[line..name_start].trim();
    let is_alone = matches!(before, "" | "pub" | "readonly" | "static" | "private" | "public" | "pub(crate)");
    let value = &text[start..end];
    let bare = value.trim_end_matches([',', ';']);
    let rest = &text[start + bare.len()..];
    let is_ended = [",\n", ";\n", ",\r", ";\r"].iter().any(|end| rest.starts_with(end));
    let is_joined = text[..start].trim_end_matches([' ', '\t']).ends_with(':');
    is_alone
        && is_ended
        && is_joined
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && bare.starts_with(|first: char| first.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: bool) {
        let name = line.find("name").unwrap();
        let start = name + 4 + line[name + 4..].bytes().take_while(|byte| b" :=".contains(byte)).count();
        let end = line[start..].find([' ', '\n']).map_or(line.len(), |at| start + at);
        assert_eq!(is_program(line, name, start, end), expected, "{line}");
    }

    #[test]
    fn expressions_and_types_are_text_of_a_program() {
        for line in [
            "    name: ULONG64,\n",
            "    pub name: MI_UserCredentials_0,\n",
            "    name: String64;\n",
            "let name = vld1q_u64(base.add(i * 2));",
            "const nextKey.name = this.#path[i]",
            "nToken name = stringLength30(p->u.zToken)+1;",
            "name: Zeroizing<PayloadU8>,\n",
            "let name = TLS13_CHACHA20_POLY1305_SHA256_INTERNAL",
            "self, name: ed25519.Ed25519PrivateKey, f",
            "name = propValue$204;",
            "type name = Buffer|Uint8Array|Blob|string;",
            "f(x, name=columns2)",
            "const{b:name:s})}maybeQueue(e,t){if(this.queue)",
            "function n(e){this.name=null}start(t,r){p(void 0",
            "return{a:b,name:r}).catch((async",
        ] {
            check(line, true);
        }
    }

    #[test]
    fn values_of_settings_are_none() {
        for line in [
            "name: Summer2019\n",
            "name=Summer2019;",
            "{name: Summer2019, user: x}",
            "name=k8dz7y3doqnvelbuizvohdbyhtvr2owp",
            "    name: xK9mP2qLw,\n",
            "name=aK9(x}mQ;w2=Zr",
            "name: ykUb7wnj*71-lOTg",
            "name=VWz=n7.-M6eRFM?JZ7z3",
            "name=GWwemEAnW33L && make install",
            "name=hunter2hunter",
            "name=M1kXf3IYWcfHPaaouqN92M;host=this.example",
            "const name = NO16wzrjym4p",
        ] {
            check(line, false);
        }
    }
}
