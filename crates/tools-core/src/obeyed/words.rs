//! Words of a configured command that may name a file it runs. Pure. It does not examine which
//! program runs which of its arguments: a false match only causes an extra question.

/// Maximum nesting depth of commands within words (`sh -c '…'`).
const MAX_DEPTH: usize = 3;

/// The words of `command` that may name files that it runs.
pub(super) fn words(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(command, MAX_DEPTH, &mut found);
    found
}

/// Whether a word is a file name by its form; other words count only if the file exists.
pub(super) fn is_path(word: &str) -> bool {
    word.contains('/') || word.trim_start_matches('.').contains('.')
}

fn collect(command: &str, depth: usize, found: &mut Vec<String>) {
    for word in commands(command).into_iter().flatten() {
        if word.contains([' ', '\t', '\n', ';', '|', '&']) && depth > 0 {
            collect(&word, depth - 1, found);
        }
        // `my tools/x` may be a name.
        let is_name = !word.starts_with(['-', '%', '$']) && !word.contains(['=', ';', '|', '&', '\n']);
        if is_name && !found.contains(&word) {
            found.push(word);
        }
    }
}

/// The words of each command in a line, without quotes.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word, mut quote) = (Vec::new(), Vec::new(), None::<String>, None);
    let mut rest = line.chars();
    while let Some(next) = rest.next() {
        match (quote, next) {
            (Some(open), next) if next == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(next);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(rest.next()),
            (None, ';' | '|' | '&' | '(' | ')' | '`' | '\n' | '<' | '>') => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            (None, next) if next.is_whitespace() => words.extend(word.take()),
            (_, next) => word.get_or_insert_default().push(next),
        }
    }
    words.extend(word);
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_may_name_files_are_found() {
        for (command, expected) in [
            ("tools/clean.py", &["tools/clean.py"] as &[_]),
            ("./clean %f", &["./clean"]),
            ("less -R", &["less"]),
            ("python3 clean.py %f", &["python3", "clean.py"]),
            ("python3.12 -u tools/x.py", &["python3.12", "tools/x.py"]),
            ("LESS=FRX tools/page", &["tools/page"]),
            ("sh -c 'tools/x \"$@\"' -", &["sh", "tools/x", "tools/x \"$@\""]),
            ("\"my tools/x\" -a", &["my", "tools/x", "my tools/x"]),
            ("my\\ tools/x", &["my", "tools/x", "my tools/x"]),
            ("make -C sub x; ! exec env A=b sub/run", &["make", "sub", "x", "!", "exec", "env", "sub/run"]),
            ("$(git rev-parse --show-toplevel)/tools/x", &["git", "rev-parse", "/tools/x"]),
        ] {
            assert_eq!(words(command), expected, "{command}");
        }
    }

    #[test]
    fn a_word_with_a_slash_or_an_ending_is_a_path() {
        for (word, expected) in [("a/b", true), ("x.py", true), (".envrc", false), ("less", false), (".", false)] {
            assert_eq!(is_path(word), expected, "{word}");
        }
    }
}
