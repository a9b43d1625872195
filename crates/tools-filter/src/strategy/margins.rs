//! A word that a program prints before each line of what another said (`INTERNALERROR> …`): it
//! stands before the first line only, so that the others are seen for what they are.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

/// A shorter word may be a prompt.
const MIN_WORD: usize = 5;

#[derive(Default)]
pub(crate) struct Margins {
    /// The margin of the line before.
    margin: String,
    found: bool,
}

/// How long the margin is that a line begins with.
fn margin(line: &str) -> Option<usize> {
    let word = line.bytes().take_while(|byte| byte.is_ascii_uppercase() || *byte == b'_').count();
    (word >= MIN_WORD && line[word..].starts_with('>')).then_some(word + 1)
}

impl Reducer for Margins {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some(width) = margin(line) else {
            self.margin.clear();
            return out.keep(line);
        };
        if self.margin != line[..width] {
            line[..width].clone_into(&mut self.margin);
            return out.keep(line);
        }
        self.found = true;
        out.fold(line);
        let text = line[width..].strip_prefix(' ').unwrap_or(&line[width..]);
        if text.trim().is_empty() { out.keep("") } else { out.write(text) }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn a_margin_stands_once() {
        let text = "INTERNALERROR> Traceback (most recent call last):\nINTERNALERROR>   File \"/srv/a.py\", line 3, in f\n\
                    INTERNALERROR> \nINTERNALERROR> KeyError: 'x'\nSQL> a\nSQL> b\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./run", Exit::Code(3), text.as_bytes()).text,
            "INTERNALERROR> Traceback (most recent call last):\n  File \"/srv/a.py\", line 3, in f\n\nKeyError: 'x'\nSQL> a\nSQL> b\n"
        );
    }
}
