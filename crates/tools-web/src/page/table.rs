//! Tables: tells data tables from those for layout or line numbers, and collects their rows.

use std::collections::HashMap;

use ego_tree::{NodeId, NodeRef, Tree};
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;

use super::code::Numbers;
use super::tag::{Tag, tag_of};

/// Maximum number of ancestors searched for the table of an element.
const ABOVE: usize = 64;
/// Columns that a cell may span.
const MAX_COLUMNS: usize = 16;
/// Rows that a cell may span.
const MAX_ROWS: usize = 1000;

/// Purpose of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TableUse {
    Data,
    /// Layout: parts of a page side by side.
    Layout,
    /// Code beside its line numbers.
    Listing,
}

/// The facts about each table of a page.
pub(super) struct TableUses(HashMap<NodeId, Facts>);

#[derive(Default)]
struct Facts {
    rows: usize,
    has_header: bool,
    is_layout: bool,
    has_numbers: bool,
}

impl TableUses {
    pub(super) fn of(tree: &Tree<Node>) -> Self {
        let (mut uses, mut numbers) = (Self(HashMap::new()), Numbers::default());
        for node in tree.nodes() {
            let Some(element) = node.value().as_element() else { continue };
            match tag_of(element) {
                Tag::Table => {
                    let role = element.attr("role").unwrap_or_default();
                    let is_layout = ["presentation", "none"].contains(&role);
                    uses.0.insert(node.id(), Facts { is_layout, ..Facts::default() });
                    uses.above(node, |outer| outer.is_layout = true);
                }
                Tag::Row => uses.above(node, |table| table.rows += 1),
                Tag::Cell if element.name.local == local_name!("th") => {
                    uses.above(node, |table| table.has_header = true);
                }
                Tag::Cell => {
                    let is_first = node.prev_siblings().all(|before| !before.value().is_element());
                    if is_first && numbers.is_cell(node, element) {
                        uses.above(node, |table| table.has_numbers = true);
                    }
                }
                Tag::Heading(_) | Tag::Section | Tag::Article | Tag::Main | Tag::Nav if is_in_plain_cell(node) => {
                    uses.above(node, |table| table.is_layout = true);
                }
                _ => {}
            }
        }
        uses
    }

    fn above(&mut self, node: NodeRef<'_, Node>, learn: impl FnOnce(&mut Facts)) {
        if let Some(table) = node.ancestors().take(ABOVE).find(|above| is(above, |tag| tag == Tag::Table)) {
            learn(self.0.entry(table.id()).or_default());
        }
    }

    pub(super) fn of_table(&self, table: NodeId) -> TableUse {
        match self.0.get(&table) {
            Some(facts) if facts.has_numbers && !facts.has_header => TableUse::Listing,
            Some(facts) if facts.is_layout || facts.rows == 1 && !facts.has_header => TableUse::Layout,
            _ => TableUse::Data,
        }
    }
}

fn is(node: &NodeRef<'_, Node>, which: impl FnOnce(Tag) -> bool) -> bool {
    node.value().as_element().is_some_and(|element| which(tag_of(element)))
}

/// Whether the closest cell around the node is a `td` without `colspan`.
fn is_in_plain_cell(node: NodeRef<'_, Node>) -> bool {
    let above = node.ancestors().take(ABOVE).find(|above| is(above, |tag| matches!(tag, Tag::Cell | Tag::Table)));
    above
        .and_then(|above| above.value().as_element())
        .is_some_and(|element| element.name.local == local_name!("td") && element.attr("colspan").is_none())
}

/// The rows of a table read so far.
#[derive(Default)]
pub(super) struct Table {
    rows: Vec<Vec<String>>,
    /// For each column, the number of further rows that a cell above covers.
    below: Vec<usize>,
    /// Columns of this row that a cell above covers.
    taken: Vec<bool>,
}

/// Placeholder for the text of the open cell.
const OPEN: &str = "\0";

impl Table {
    pub(super) fn row(&mut self) {
        self.pass_taken();
        self.rows.push(Vec::new());
        self.taken = self.below.iter().map(|rows| *rows > 0).collect();
        self.below.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
    }

    /// Starts a cell.
    pub(super) fn cell(&mut self, element: &Element) {
        let span = |name| element.attr(name).and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(1);
        let (columns, rows) = (span("colspan").clamp(1, MAX_COLUMNS), span("rowspan").clamp(1, MAX_ROWS));
        if self.rows.is_empty() {
            self.row();
        }
        self.pass_taken();
        let Some(row) = self.rows.last_mut() else { return };
        let first = row.len();
        // The text goes into the first column that the cell spans.
        row.push(OPEN.to_owned());
        row.extend(std::iter::repeat_n(String::new(), columns - 1));
        if rows > 1 {
            self.below.resize(self.below.len().max(row.len()), 0);
            self.below[first..row.len()].fill(rows - 1);
        }
    }

    /// Leaves empty the columns that a cell above covers.
    fn pass_taken(&mut self) {
        let Some(row) = self.rows.last_mut() else { return };
        while self.taken.get(row.len()) == Some(&true) {
            row.push(String::new());
        }
    }

    /// Ends the cell with this text.
    pub(super) fn fill(&mut self, text: String) {
        if let Some(place) = self.rows.last_mut().and_then(|row| row.iter_mut().rev().find(|place| *place == OPEN)) {
            *place = text;
        }
    }

    /// The rows that contain text.
    pub(super) fn into_rows(mut self) -> Vec<Vec<String>> {
        self.pass_taken();
        self.rows.into_iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect()
    }
}
