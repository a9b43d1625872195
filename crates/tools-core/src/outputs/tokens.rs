//! Estimate of the tokens that a text costs in a model's context, without a vocabulary.
//!
//! Cuts text like byte-pair tokenizers before they merge (a word with the blank before it, up to
//! three digits, a run of punctuation, a line's indentation) and charges each piece its average
//! cost. Calibrated against `o200k_base` on outputs of commands, code, prose and JSON: within 15 %
//! on each kind, in one pass.

/// An estimate of the tokens of a text.
pub fn estimate_tokens(text: &str) -> usize {
    // Thousandths of a token.
    let mut cost = 0_usize;
    let mut chars = text.chars().peekable();
    let mut after_digit = false;
    while let Some(first) = chars.next() {
        let was_digit = std::mem::take(&mut after_digit);
        match first {
            ' ' => {
                let mut blanks = 1;
                while chars.next_if_eq(&' ').is_some() {
                    blanks += 1;
                }
                // The last blank belongs to the following piece, unless that is a number.
                let digit = chars.peek().is_some_and(char::is_ascii_digit);
                let joins = !digit && chars.peek().is_some_and(|next| *next != '\n');
                let alone = blanks - usize::from(joins);
                cost += if alone == 0 { 0 } else { 1000 + alone / 80 * 1000 };
                cost += if digit && blanks > 1 { 1000 } else { 0 };
            }
            '\n' | '\r' | '\t' => {
                while chars.next_if(|c| matches!(c, '\n' | '\r' | '\t')).is_some() {}
                cost += 950;
            }
            '0'..='9' => {
                let mut digits = 1_usize;
                while chars.next_if(char::is_ascii_digit).is_some() {
                    digits += 1;
                }
                cost += digits.div_ceil(3) * 1000;
                after_digit = true;
            }
            'a'..='z' | 'A'..='Z' => {
                let (mut letters, mut capitals) = (1_usize, usize::from(first.is_ascii_uppercase()));
                // A capital after small letters begins another word.
                while let Some(c) =
                    chars.next_if(|c| c.is_ascii_lowercase() || (c.is_ascii_uppercase() && letters == capitals))
                {
                    letters += 1;
                    capitals += usize::from(c.is_ascii_uppercase());
                }
                let between_digits = was_digit && chars.peek().is_some_and(char::is_ascii_digit);
                cost += word(letters, capitals, between_digits);
            }
            c if c.is_ascii() => {
                let mut run = 1_usize;
                while chars.next_if(|next| *next == c).is_some() {
                    run += 1;
                }
                let (mut others, mut quotes) = (0_usize, usize::from(c == '"'));
                while let Some(other) = chars.next_if(char::is_ascii_punctuation) {
                    others += 1;
                    quotes += usize::from(other == '"');
                }
                // `":"` and the like are so common that they are one token.
                let each = if quotes > 0 { QUOTED } else { OTHERS };
                let joins = run + others == 1 && chars.peek().is_some_and(char::is_ascii_alphabetic);
                while chars.next_if(|c| matches!(c, '\n' | '\r')).is_some() {}
                cost += if joins { PREFIX } else { 900 } + run / 16 * 600 + others * each;
            }
            c => {
                let wide = matches!(u32::from(c), 0x1100..=0x11FF | 0x2E80..=0xD7FF | 0xF900..=0xFAFF);
                let drawn = matches!(u32::from(c), 0x2000..=0x2BFF);
                let letter = c.is_alphabetic();
                cost += if wide {
                    750
                } else if letter {
                    380
                } else if drawn {
                    900
                } else {
                    1300
                };
            }
        }
    }
    cost.div_ceil(1000)
}

/// Cost of a sign joined to the following word, in thousandths of a token.
const PREFIX: usize = 520;
/// Cost of each further sign in a run of different ones.
const OTHERS: usize = 330;
/// The same cost if there are quotation marks among them.
const QUOTED: usize = 130;

/// Cost of a word: common ones are one token, long and rare ones are split.
fn word(letters: usize, capitals: usize, between_digits: bool) -> usize {
    if between_digits {
        return letters.div_ceil(2) * 1000;
    }
    if capitals > 1 {
        return 500 + letters * 280;
    }
    match letters {
        0..=5 => 1000,
        6..=20 => 1000 + (letters - 5) * 90,
        _ => 2350 + (letters - 20) * 220,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_costs_nothing_and_anything_something() {
        assert_eq!(estimate_tokens(""), 0);
        for text in ["a", " ", "\n", "é", "日", "\u{0}", "🦀"] {
            assert!(estimate_tokens(text) > 0, "{text:?}");
        }
    }
}
