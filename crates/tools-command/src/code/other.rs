//! Code in languages with no known signs: harmless only if it plainly prints or computes.

use super::text::pattern;

pattern!(
    HARMLESS,
    r#"(?x)^\s*\(?\s*(print|println|puts|display|cat|message|putStrLn|disp|writeln|echo|quit|exit|exit\s*0|version)?[\s(]*
    ("[^"\\$`\[|]*"|'[^'\\$`\[|]*'|[0-9a-z_.]*Version\b|VERSION|version\(?|[0-9+*/.,()\s-]*)[\s)]*;?\s*$"#
);

pub(super) fn sign(code: &str) -> Option<&str> {
    if HARMLESS.is_match(code) {
        return None;
    }
    let end = code.char_indices().nth(40).map_or(code.len(), |(at, _)| at);
    Some(&code[..end])
}
