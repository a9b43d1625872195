//! The wording of a list of tools: the length of descriptions, and the tools that get a field for
//! thoughts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tools_core::{Locked as _, ToolDef, ToolDefs, ToolName};

use crate::TafcPolicy;

/// The wording of the tools of a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wording {
    /// Maximum length of a description in characters, cut at the end of a sentence; `None` for no
    /// limit.
    pub description_length: Option<usize>,
    /// The tools that get a field for thoughts.
    pub tafc: TafcPolicy,
}

/// A definition, and its reworded form.
type ShapedTool = (Arc<ToolDef>, Arc<ToolDef>);

/// Reworded definitions. The same definition gives the same result while the wording stays the
/// same.
#[derive(Debug)]
pub struct WordedTools {
    made: Mutex<(Wording, HashMap<ToolName, ShapedTool>)>,
}

impl WordedTools {
    /// An empty cache for a wording.
    pub fn new(wording: Wording) -> Self {
        Self { made: Mutex::new((wording, HashMap::new())) }
    }

    /// Changes the wording of all tools from now on.
    pub fn reword(&self, wording: Wording) {
        let mut made = self.made.locked();
        if made.0 != wording {
            *made = (wording, HashMap::new());
        }
    }

    /// The reworded tools, in their order.
    pub fn of(&self, tools: &ToolDefs) -> ToolDefs {
        let mut made = self.made.locked();
        let (wording, shaped) = &mut *made;
        let worded = |tool: &Arc<ToolDef>| match shaped.get(&tool.name) {
            Some((of, made)) if Arc::ptr_eq(of, tool) => Arc::clone(made),
            _ => {
                let made = wording.of(tool);
                shaped.insert(tool.name.clone(), (Arc::clone(tool), Arc::clone(&made)));
                made
            }
        };
        tools.iter().map(worded).collect()
    }
}

impl Wording {
    fn of(&self, tool: &Arc<ToolDef>) -> Arc<ToolDef> {
        let short = self.description_length.and_then(|most| shortened(&tool.description, most));
        let tool = short.map_or_else(|| Arc::clone(tool), |text| Arc::new(ToolDef::clone(tool).described(text)));
        self.tafc.augment(&tool).map_or(tool, Arc::new)
    }
}

/// The first sentences of a text that fit, or at least the beginning of the first. `None` if the
/// whole text fits.
fn shortened(text: &str, most: usize) -> Option<String> {
    let (cut, _) = text.char_indices().nth(most)?;
    let kept = &text[..cut];
    let ends = kept.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let end = ends.rev().find(|end| text[*end..].starts_with(char::is_whitespace));
    Some(end.map_or_else(|| format!("{}…", kept.trim_end()), |end| kept[..end].to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_end_with_a_sentence_that_fits() {
        let text = "Reads a file. Use it for text, e.g. of v1.2. Not for images.";
        let check =
            |most: usize, expected: Option<&str>| assert_eq!(shortened(text, most).as_deref(), expected, "{most}");
        check(200, None);
        check(text.len(), None);
        check(text.len() - 1, Some("Reads a file. Use it for text, e.g. of v1.2."));
        check(20, Some("Reads a file."));
        check(5, Some("Reads…"));
        check(0, Some("…"));
        assert_eq!(shortened("äöü ß", 3).as_deref(), Some("äöü…"));
    }
}
