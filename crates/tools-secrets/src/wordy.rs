//! Whether a text consists of words rather than random letters.

/// Minimum number of letters that are unlikely to form words by chance.
const LONG: usize = 12;
/// Maximum number of consecutive lower-case consonants in words.
const MAX_CONSONANTS: usize = 4;

/// Whether the case of letters changes only as in words (capitalised or all upper case), and
/// whether the vowels of a long text are as close together as in words.
pub(crate) fn is_wordy(text: &str) -> bool {
    let cases: Vec<bool> = text.chars().filter(|c| c.is_alphabetic()).map(char::is_uppercase).collect();
    let upper = cases.iter().filter(|is_upper| **is_upper).count();
    let changes = cases.windows(2).filter(|pair| !pair[0] && pair[1]).count();
    if cases.len() < LONG {
        return changes * 4 <= text.len();
    }
    // A single lower-case letter between two capitals.
    let alone = cases.windows(3).filter(|three| **three == [true, false, true]).count();
    // More capitals than word beginnings explain are a few abbreviations.
    let least = if upper < cases.len() && upper * 3 > cases.len() { 6 } else { 4 };
    let is_consonant = |c: char| c.is_ascii_lowercase() && !"aeiouy".contains(c);
    let consonants = text.split(|c| !is_consonant(c)).map(str::len).max().unwrap_or(0);
    changes * least <= text.len() && alone <= 1 && consonants <= MAX_CONSONANTS
}
