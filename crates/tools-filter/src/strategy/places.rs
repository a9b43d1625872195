//! Writes several places in source files in one row: consecutive places of a file name it once.

use super::findings::is_name;

/// The file of a place and the position in it: `src/a.py`, `3:5`; `src/a.ts`, `(3,5)`.
fn parts(place: &str) -> Option<(&str, &str)> {
    if place.ends_with(')') {
        return place.rfind('(').map(|at| place.split_at(at));
    }
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (before, last) = place.rsplit_once(':').filter(|(_, last)| is_number(last))?;
    match before.rsplit_once(':') {
        Some((file, row)) if is_number(row) => Some((file, &place[file.len() + 1..])),
        _ => Some((before, last)),
    }
}

/// Whether a word is a place in a file with an extension: `src/a.py:3:5`.
pub(super) fn is_place(word: &str) -> bool {
    parts(word).is_some_and(|(file, _)| is_name(file) && file.contains('.'))
}

/// The common folder of several files, with its slash; empty if naming it once is not shorter.
fn common_folder<S: AsRef<str>>(places: &[S]) -> &str {
    // A single file stays whole so that a search for it succeeds.
    let files = || places.iter().map(|place| parts(place.as_ref()).map_or("", |(file, _)| file));
    let Some(first) = files().next() else { return "" };
    // How often a file name is written in the row.
    let named = 1 + files().zip(files().skip(1)).filter(|(a, b)| a != b).count();
    let folder = files().fold(&first[..first.rfind('/').map_or(0, |at| at + 1)], |folder, file| {
        let same = folder.bytes().zip(file.bytes()).take_while(|(a, b)| a == b).count();
        &folder[..folder.as_bytes()[..same].iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1)]
    });
    if folder.len() * (named - 1) >= MIN_SAVED_BYTES { folder } else { "" }
}

/// Minimum bytes saved by naming the folder once.
const MIN_SAVED_BYTES: usize = 10;

/// Writes the places: `src/a.py:3:5, 9:1, src/b.py:1:1`; `src/lib/{a.py:3:5, 9:1, b.py:1:1,
/// c.py:4:1}`.
pub(super) fn joined<S: AsRef<str>>(places: &[S]) -> String {
    let folder = common_folder(places);
    if !folder.is_empty() {
        let inner: Vec<&str> = places.iter().map(|place| &place.as_ref()[folder.len()..]).collect();
        return format!("{folder}{{{}}}", in_row(&inner));
    }
    in_row(places)
}

fn in_row<S: AsRef<str>>(places: &[S]) -> String {
    let mut text = String::new();
    let mut file = None;
    for place in places {
        let place = place.as_ref();
        if !text.is_empty() {
            text.push_str(", ");
        }
        match parts(place) {
            Some((of, inner)) if file == Some(of) => text.push_str(inner),
            parts => {
                file = parts.map(|(of, _)| of);
                text.push_str(place);
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_words() {
        for (word, expected) in [
            ("src/a.py:3:5", true),
            ("a.ts(3,5)", true),
            ("a.c:3", true),
            ("node:3", false),
            ("10:00:01", false),
            ("f(x)", false),
            ("", false),
        ] {
            assert_eq!(is_place(word), expected, "{word}");
        }
    }

    #[test]
    fn a_file_is_named_once_in_a_row() {
        let table: &[(&[&str], &str)] = &[
            (&["a.py:3:5", "a.py:9:1", "b.py:1:1"], "a.py:3:5, 9:1, b.py:1:1"),
            (&["a.ts(3,5)", "a.ts(9,1)"], "a.ts(3,5), (9,1)"),
            (&["a.sh:3", "a.sh:7", "a.sh:7:2"], "a.sh:3, 7, 7:2"),
            (&["a.py:3:5", "b.py:3:5", "a.py:4:5"], "a.py:3:5, b.py:3:5, a.py:4:5"),
            (&["src/a", "src/a"], "src/a, src/a"),
            (&[], ""),
        ];
        for (places, expected) in table {
            assert_eq!(joined(places), *expected);
        }
    }
}
