//! Text of glyph names.

/// Names of single characters other than letters, whose name is the letter.
const NAMES: &[(&str, &str)] = &[
    ("space", " "),
    ("nbspace", " "),
    ("exclam", "!"),
    ("quotedbl", "\""),
    ("numbersign", "#"),
    ("dollar", "$"),
    ("percent", "%"),
    ("ampersand", "&"),
    ("quotesingle", "'"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("asterisk", "*"),
    ("plus", "+"),
    ("comma", ","),
    ("hyphen", "-"),
    ("sfthyphen", "-"),
    ("minus", "\u{2212}"),
    ("period", "."),
    ("slash", "/"),
    ("zero", "0"),
    ("one", "1"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("colon", ":"),
    ("semicolon", ";"),
    ("less", "<"),
    ("equal", "="),
    ("greater", ">"),
    ("question", "?"),
    ("at", "@"),
    ("bracketleft", "["),
    ("backslash", "\\"),
    ("bracketright", "]"),
    ("asciicircum", "^"),
    ("underscore", "_"),
    ("grave", "`"),
    ("braceleft", "{"),
    ("bar", "|"),
    ("braceright", "}"),
    ("asciitilde", "~"),
    ("quoteleft", "\u{2018}"),
    ("quoteright", "\u{2019}"),
    ("quotedblleft", "\u{201c}"),
    ("quotedblright", "\u{201d}"),
    ("quotesinglbase", "\u{201a}"),
    ("quotedblbase", "\u{201e}"),
    ("guillemotleft", "«"),
    ("guillemotright", "»"),
    ("guilsinglleft", "\u{2039}"),
    ("guilsinglright", "\u{203a}"),
    ("endash", "\u{2013}"),
    ("emdash", "\u{2014}"),
    ("bullet", "\u{2022}"),
    ("periodcentered", "·"),
    ("ellipsis", "\u{2026}"),
    ("dagger", "\u{2020}"),
    ("daggerdbl", "\u{2021}"),
    ("section", "§"),
    ("paragraph", "¶"),
    ("copyright", "©"),
    ("registered", "®"),
    ("trademark", "\u{2122}"),
    ("degree", "°"),
    ("plusminus", "±"),
    ("multiply", "×"),
    ("divide", "÷"),
    ("mu", "µ"),
    ("sterling", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("Euro", "€"),
    ("euro", "€"),
    ("exclamdown", "¡"),
    ("questiondown", "¿"),
    ("germandbls", "ß"),
    ("ae", "æ"),
    ("AE", "Æ"),
    ("oe", "œ"),
    ("OE", "Œ"),
    ("oslash", "ø"),
    ("Oslash", "Ø"),
    ("aring", "å"),
    ("Aring", "Å"),
    ("ccedilla", "ç"),
    ("Ccedilla", "Ç"),
    ("eth", "ð"),
    ("thorn", "þ"),
    ("lslash", "ł"),
    ("Lslash", "Ł"),
    ("dotlessi", "ı"),
    ("ff", "ff"),
    ("fi", "fi"),
    ("fl", "fl"),
    ("ffi", "ffi"),
    ("ffl", "ffl"),
    ("acute", "´"),
    ("dieresis", "¨"),
    ("cedilla", "¸"),
    ("macron", "¯"),
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("lambda", "λ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("phi", "φ"),
    ("omega", "ω"),
    ("Delta", "Δ"),
    ("Sigma", "Σ"),
    ("Omega", "Ω"),
    ("infinity", "∞"),
    ("lessequal", "≤"),
    ("greaterequal", "≥"),
    ("notequal", "≠"),
    ("approxequal", "≈"),
    ("arrowright", "→"),
    ("arrowleft", "←"),
    ("summation", "∑"),
    ("integral", "∫"),
    ("radical", "√"),
    ("partialdiff", "∂"),
    ("element", "∈"),
];

/// Letters with a diacritic, by the name of the diacritic.
const MARKED: &[(&str, &str, &str)] = &[
    ("acute", "aeiouyAEIOUYcnszCNSZ", "áéíóúýÁÉÍÓÚÝćńśźĆŃŚŹ"),
    ("grave", "aeiouAEIOU", "àèìòùÀÈÌÒÙ"),
    ("circumflex", "aeiouAEIOU", "âêîôûÂÊÎÔÛ"),
    ("dieresis", "aeiouyAEIOU", "äëïöüÿÄËÏÖÜ"),
    ("tilde", "anoANO", "ãñõÃÑÕ"),
    ("caron", "cdenrstzCDENRSTZ", "čďěňřšťžČĎĚŇŘŠŤŽ"),
    ("ogonek", "aeAE", "ąęĄĘ"),
    ("dotaccent", "zZ", "żŻ"),
];

/// The text of a glyph; `None` for an unknown name.
pub(super) fn text(name: &str) -> Option<String> {
    let name = name.split_once('.').map_or(name, |(name, _)| name);
    if name.contains('_') {
        return name.split('_').map(text).collect();
    }
    let is_letter = name.len() == 1 && name.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_letter {
        return Some(name.to_owned());
    }
    if let Some((_, text)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some((*text).to_owned());
    }
    marked(name).or_else(|| numbered(name))
}

fn marked(name: &str) -> Option<String> {
    let (letter, mark) = name.split_at_checked(1)?;
    let (_, letters, made) = MARKED.iter().find(|(known, _, _)| *known == mark)?;
    made.chars().nth(letters.find(letter)?).map(String::from)
}

/// `uni` with UTF-16 units, or `u` with one code point.
fn numbered(name: &str) -> Option<String> {
    let units = |digits: &str| -> Option<Vec<u16>> {
        let pieces = digits.as_bytes().chunks(4).map(|four| std::str::from_utf8(four).ok());
        pieces.map(|four| u16::from_str_radix(four?, 16).ok()).collect()
    };
    match name.strip_prefix("uni") {
        Some(digits) if !digits.is_empty() && digits.len() % 4 == 0 => String::from_utf16(&units(digits)?).ok(),
        _ => {
            let digits = name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len()))?;
            char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(String::from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_text() {
        let check = |name: &str, expected: Option<&str>| assert_eq!(text(name).as_deref(), expected, "{name}");
        check("A", Some("A"));
        check("fi", Some("fi"));
        check("f_i", Some("fi"));
        check("a.alt", Some("a"));
        check("udieresis", Some("ü"));
        check("scaron", Some("š"));
        check("uni20AC", Some("€"));
        check("uniD83DDE00", Some("😀"));
        check("u1F600", Some("😀"));
        check("uniD83D", None);
        check("uni20", None);
        check("g123", None);
        check("", None);
        check("\u{fc}x", None);
        check(".notdef", None);
    }
}
