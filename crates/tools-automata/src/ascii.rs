//! Restricts the classes of a pattern to ASCII: tools write digits and blanks in ASCII, and
//! automata over all of Unicode cost ten times as much.

/// The pattern with `\d`, `\D`, `\s`, `\S`, `\w` and `\b` in their ASCII meaning. A class with
/// characters outside ASCII is marked as Unicode with `(?u:…)`.
pub fn ascii(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    // Where the current class begins, and whether it has characters outside ASCII.
    let mut class: Option<(usize, bool)> = None;
    while let Some(c) = chars.next() {
        match (c, &mut class) {
            ('\\', _) => escaped(chars.next(), &mut text),
            ('[', None) => {
                class = Some((text.len(), false));
                text.push(c);
            }
            (']', Some((start, is_wide))) if !matches!(&text[*start..], "[" | "[^") => {
                text.push(c);
                if *is_wide {
                    text.insert_str(*start, "(?u:");
                    text.push(')');
                }
                class = None;
            }
            (c, class) => {
                if let Some((_, is_wide)) = class {
                    *is_wide |= !c.is_ascii();
                }
                text.push(c);
            }
        }
    }
    text
}

fn escaped(c: Option<char>, text: &mut String) {
    match c {
        Some('d') => text.push_str("[0-9]"),
        Some('D') => text.push_str("[^0-9]"),
        Some('s') => text.push_str("[ \\t]"),
        Some('S') => text.push_str("[^ \\t]"),
        Some('w') => text.push_str("[0-9A-Za-z_]"),
        Some('b') => text.push_str("(?-u:\\b)"),
        Some(other) => {
            text.push('\\');
            text.push(other);
        }
        None => text.push('\\'),
    }
}
