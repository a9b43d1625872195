//! Finds which of many texts equal a text or begin it, with one binary search.

/// Numbered texts, sorted, each linked to the longest other one that it begins with.
#[derive(Debug, Default)]
pub(super) struct Heads {
    nodes: Vec<Node>,
}

/// Data of one text.
#[derive(Debug, Default)]
struct Node {
    text: Box<str>,
    /// The lowest number of the patterns that match exactly this text.
    exact: Option<usize>,
    /// The lowest number of the patterns that match every text with this beginning or a shorter
    /// one.
    begins: Option<usize>,
    /// Candidates to try on a text that begins with this one, as positions in a list of the caller.
    candidates: Vec<usize>,
    /// The longest text that this one begins with.
    above: Option<usize>,
}

/// Collects texts; [`HeadTreeBuilder::done`] sorts and links them.
#[derive(Debug, Default)]
pub(super) struct HeadTreeBuilder(Vec<(String, Meaning)>);

/// Meaning of one text.
#[derive(Debug, Clone, Copy)]
enum Meaning {
    Exact(usize),
    Begins(usize),
    Candidate(usize),
}

impl HeadTreeBuilder {
    /// Gives this exact text a number; the lowest of several applies.
    pub(super) fn add_exact(&mut self, text: String, number: usize) {
        self.0.push((text, Meaning::Exact(number)));
    }

    /// Gives every text with this beginning a number.
    pub(super) fn beginning(&mut self, text: String, number: usize) {
        self.0.push((text, Meaning::Begins(number)));
    }

    /// Adds a candidate to try on every text with this beginning.
    pub(super) fn add_prefix(&mut self, text: String, candidate: usize) {
        self.0.push((text, Meaning::Candidate(candidate)));
    }

    pub(super) fn done(mut self) -> Heads {
        // Candidates of one text keep their order.
        self.0.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut nodes: Vec<Node> = Vec::with_capacity(self.0.len());
        for (text, meaning) in self.0 {
            if nodes.last().is_none_or(|last| *last.text != *text) {
                let mut above = nodes.len().checked_sub(1);
                while let Some(at) = above
                    && !text.starts_with(&*nodes[at].text)
                {
                    above = nodes[at].above;
                }
                let begins = above.and_then(|at| nodes[at].begins);
                nodes.push(Node { text: text.into(), begins, above, ..Node::default() });
            }
            let Some(node) = nodes.last_mut() else { continue };
            match meaning {
                Meaning::Exact(number) => lower(&mut node.exact, number),
                Meaning::Begins(number) => lower(&mut node.begins, number),
                Meaning::Candidate(candidate) => node.candidates.push(candidate),
            }
        }
        Heads { nodes }
    }
}

fn lower(place: &mut Option<usize>, number: usize) {
    *place = Some(place.map_or(number, |there| there.min(number)));
}

impl Heads {
    /// The lowest number of the exact text.
    pub(super) fn exact(&self, text: &str) -> Option<usize> {
        let node = &self.nodes[self.at_or_before(text)?];
        node.exact.filter(|_| &*node.text == text)
    }

    /// The lowest number of the text or of its beginnings; passes candidates to `candidate`.
    pub(super) fn find(&self, text: &str, mut candidate: impl FnMut(usize)) -> Option<usize> {
        let at = self.at_or_before(text)?;
        let exact = self.nodes[at].exact.filter(|_| &*self.nodes[at].text == text);
        // The entry sorted directly before a text begins with every entry that the text begins
        // with.
        let mut here = Some(at);
        while let Some(at) = here
            && !text.starts_with(&*self.nodes[at].text)
        {
            here = self.nodes[at].above;
        }
        let begins = here.and_then(|at| self.nodes[at].begins);
        while let Some(at) = here {
            self.nodes[at].candidates.iter().for_each(|one| candidate(*one));
            here = self.nodes[at].above;
        }
        [exact, begins].into_iter().flatten().min()
    }

    fn at_or_before(&self, text: &str) -> Option<usize> {
        self.nodes.partition_point(|node| &*node.text <= text).checked_sub(1)
    }
}
