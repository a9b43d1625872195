//! Shortens a long line that differs in a few words from the previous one: only the differing
//! values are shown, each with its name. Nothing is left out. Lines that report something, places
//! and table rows stay as they are.

use tools_core::FilterConfidence;

use super::{Reducer, unfinished::names_running};
use crate::{
    emit::{Emitter, marked},
    signal::{names_place, reports},
};

/// Minimum and maximum length in bytes of a line to shorten.
const MIN_BYTES: usize = 80;
const MAX_BYTES: usize = 8 << 10;
/// Maximum number of differing values without a name; with more, their positions are unclear.
const MAX_NAMELESS: usize = 2;
/// Text before the words that differ.
const LEAD: &str = "[… as above, with]";

#[derive(Default)]
pub(crate) struct SimilarLines {
    /// The last long line that was shown in full.
    base: Option<String>,
    found: bool,
}

fn may_be_like(line: &str) -> bool {
    (MIN_BYTES..MAX_BYTES).contains(&line.len()) && marked(line).is_none() && !line.trim_start().contains("  ")
}

/// The words that differ from the base line, with the names before them. `None` when that saves too
/// little or the lines have little in common.
fn difference(base: &str, line: &str) -> Option<String> {
    let (a, b): (Vec<&str>, Vec<&str>) = (base.split(' ').collect(), line.split(' ').collect());
    if a.len() != b.len() || a.first() != b.first() {
        return None;
    }
    let mut text = LEAD.to_owned();
    let (mut named, mut nameless) = (0, 0);
    for (at, (old, new)) in a.iter().zip(&b).enumerate() {
        if old == new {
            continue;
        }
        let name = at.checked_sub(1).filter(|name| *name >= named && b[*name].ends_with([':', '=']));
        if let Some(name) = name {
            text.extend([" ", b[name]]);
        } else if !new.contains('=') {
            nameless += 1;
        }
        text.extend([" ", new]);
        named = at + 1;
    }
    (nameless <= MAX_NAMELESS && text.len() * 2 < line.len() && text.len() > LEAD.len()).then_some(text)
}

impl Reducer for SimilarLines {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        if !may_be_like(line) {
            if !line.trim().is_empty() {
                self.base = None;
            }
            return out.keep(line);
        }
        if let Some(text) = self.base.as_deref().and_then(|base| difference(base, line))
            && !reports(line)
            && !names_place(line)
            && !names_running(line)
        {
            self.found = true;
            out.forget(line);
            return out.write(&text);
        }
        self.base = Some(line.to_owned());
        out.keep(line);
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn what_differs_is_shown_with_its_name() {
        let line = |item: &str, size: u32| {
            format!(
                "changed: [localhost] => (item={item}) => {{\"changed\": true, \"group\": \"root\", \"owner\": \"root\", \
                 \"path\": \"/tmp/{item}\", \"size\": {size}, \"state\": \"directory\", \"mode\": \"0755\"}}\n"
            )
        };
        let text = line("alpha", 4096) + &line("beta", 12);
        assert_eq!(
            FilterPipeline::builtin().filter("./play", Exit::Code(0), text.as_bytes()).text,
            line("alpha", 4096) + "[… as above, with] (item=beta) \"path\": \"/tmp/beta\", \"size\": 12,\n"
        );
    }
}
