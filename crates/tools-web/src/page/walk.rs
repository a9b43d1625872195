//! The walk over the tree of a page: one pass, without recursion, so that deep nesting is harmless.

use std::time::Instant;

use ego_tree::NodeRef;
use html5ever::{local_name, ns};
use scraper::Node;
use scraper::node::Element;

use super::code::{Code, Numbers, is_code_block};
use super::formula::{marks, raised};
use super::left_out::{LeftOut, OmitReason, is_mark, is_read_button, why};
use super::links::Base;
use super::list::List;
use super::shadow::Shadows;
use super::table::{Table, TableUse, TableUses};
use super::tag::{Tag, tag_of};
use super::writer::Writer;
use super::{Format, without_controls};

/// Options of a walk.
pub(super) struct WalkInput<'a> {
    pub(super) base: &'a mut Base,
    pub(super) format: Format,
    /// Whether navigation is included.
    pub(super) with_navigation: bool,
    pub(super) until: Instant,
}

/// Result of a walk.
#[derive(Default)]
pub(super) struct WalkResult {
    pub(super) text: String,
    pub(super) title: Option<String>,
    /// Range of the element `main` in the text; `article` and `heading` give those of the only
    /// article and the first heading.
    pub(super) main: Option<(usize, usize)>,
    pub(super) article: Option<(usize, usize)>,
    pub(super) articles: usize,
    pub(super) heading: Option<(usize, usize)>,
    pub(super) left_out: LeftOut,
    pub(super) noscript: Option<String>,
    pub(super) is_cut: bool,
}

struct Walk<'a, 'b> {
    ask: WalkInput<'a>,
    found: WalkResult,
    page: Writer,
    cell: Option<Writer>,
    table: Option<Table>,
    shadows: Shadows,
    tables: TableUses,
    lists: Vec<List>,
    code: Option<Code>,
    numbers: Numbers,
    /// Offsets at which the open links and emphases began.
    starts: Vec<usize>,
    /// Number of open elements whose footer is not the page's.
    sections: usize,
    tree: &'b ego_tree::Tree<Node>,
}

/// Number of nodes between two readings of the clock.
const STRIDE: usize = 4096;

/// Walks the page.
pub(super) fn walk(tree: &ego_tree::Tree<Node>, ask: WalkInput<'_>) -> WalkResult {
    let mut walk = Walk {
        ask,
        found: WalkResult::default(),
        page: Writer::default(),
        cell: None,
        table: None,
        shadows: Shadows::of(tree),
        tables: TableUses::of(tree),
        lists: Vec::new(),
        code: None,
        numbers: Numbers::default(),
        starts: Vec::new(),
        sections: 0,
        tree,
    };
    walk.go();
    walk.found.text = walk.page.into_string();
    walk.found
}

impl Walk<'_, '_> {
    fn go(&mut self) {
        let root = self.tree.root();
        let Some(mut node) = root.first_child() else { return };
        let mut seen = 0_usize;
        loop {
            seen += 1;
            if seen.is_multiple_of(STRIDE) && Instant::now() >= self.ask.until {
                self.found.is_cut = true;
                return;
            }
            if self.enter(node) {
                if let Some(child) = node.first_child() {
                    node = child;
                    continue;
                }
                self.leave(node);
            }
            loop {
                if let Some(sibling) = node.next_sibling() {
                    node = sibling;
                    break;
                }
                match node.parent() {
                    Some(parent) if parent != root => {
                        self.leave(parent);
                        node = parent;
                    }
                    _ => return,
                }
            }
        }
    }

    fn out(&mut self) -> &mut Writer {
        self.cell.as_mut().unwrap_or(&mut self.page)
    }

    fn block(&mut self) {
        if self.lists.is_empty() { self.out().block() } else { self.out().line() }
    }

    /// Handles the start of a node; returns whether its children are read.
    fn enter(&mut self, node: NodeRef<'_, Node>) -> bool {
        if self.shadows.is_replaced(node) {
            if node.value().is_element() {
                self.found.left_out.count(OmitReason::Hidden);
            }
            return false;
        }
        match node.value() {
            Node::Text(text) => {
                match &mut self.code {
                    Some(code) => code.text(node, text),
                    None => self.out().text(text),
                }
                false
            }
            Node::Element(element) => self.enter_element(node, element),
            Node::Fragment => true,
            _ => false,
        }
    }

    fn enter_element(&mut self, node: NodeRef<'_, Node>, element: &Element) -> bool {
        let tag = tag_of(element);
        let why = match tag {
            Tag::Template if self.shadows.is_shown(node) => None,
            Tag::Parenthesis if !is_short(node) => Some(OmitReason::Hidden),
            Tag::Button if !is_read_button(node, element, self.sections > 0) => Some(OmitReason::Nothing),
            Tag::Link if is_mark(node, element) => Some(OmitReason::Nothing),
            _ if self.numbers.is_beside(node, element, self.code.is_some()) => Some(OmitReason::Nothing),
            _ => why(node, element, tag, self.sections > 0),
        };
        if let Some(why) = why
            && !(self.ask.with_navigation && why == OmitReason::Navigation)
        {
            self.found.left_out.count(why);
            return false;
        }
        if let Some(code) = &mut self.code {
            return code.enter(element, tag);
        }
        if element.name.ns == ns!(mathml) {
            let (before, _) = marks(node);
            self.mark(before);
        }
        match tag {
            _ if self.is_listing(node, element, tag) => self.enter_code(node, element),
            Tag::Head => self.head(node),
            Tag::Noscript => self.noscript(node),
            Tag::Main | Tag::Article => self.enter_content(tag),
            Tag::Section => {
                self.sections += 1;
                self.block();
            }
            Tag::Heading(level) => self.enter_heading(level),
            Tag::Paragraph | Tag::Footer | Tag::Nav | Tag::Dialog => self.block(),
            Tag::Line | Tag::Caption | Tag::Break => self.out().line(),
            Tag::Quote => {
                self.block();
                self.out().push_prefix("> ");
            }
            Tag::List | Tag::Ordered => self.enter_list(element, tag),
            Tag::Item => self.enter_item(element),
            Tag::Description => {
                self.out().line();
                self.out().push_prefix("  ");
            }
            Tag::Pre => self.enter_code(node, element),
            Tag::Raised => {
                if let Some(text) = raised(node) {
                    self.out().raw(&text);
                    return false;
                }
            }
            Tag::Quoted => self.mark("\""),
            Tag::Title => self.title(node),
            Tag::Frame => self.frame(element),
            Tag::Code | Tag::Strong | Tag::Emphasis | Tag::Deleted | Tag::Link => {
                let here = self.out().here();
                self.starts.push(here);
            }
            Tag::Image => self.image(element),
            Tag::Rule => {
                self.block();
                self.out().raw("---");
                self.block();
            }
            Tag::Input => self.input(element),
            Tag::Table => {
                self.block();
                if self.table.is_none() && self.tables.of_table(node.id()) == TableUse::Data {
                    self.table = Some(Table::default());
                }
            }
            Tag::Row => match &mut self.table {
                Some(table) => table.row(),
                None => self.out().line(),
            },
            Tag::Cell => self.enter_cell(element),
            Tag::Script
            | Tag::Template
            | Tag::Unseen
            | Tag::Embedded
            | Tag::Slot
            | Tag::Parenthesis
            | Tag::Button
            | Tag::Inline => {}
        }
        !matches!(tag, Tag::Head | Tag::Title | Tag::Noscript | Tag::Image | Tag::Break | Tag::Rule | Tag::Input)
    }

    fn leave(&mut self, node: NodeRef<'_, Node>) {
        let Node::Element(element) = node.value() else { return };
        let tag = tag_of(element);
        match &mut self.code {
            Some(code) if code.root == node.id() => return self.leave_code(),
            Some(code) => return code.leave(tag),
            None => {}
        }
        if element.name.ns == ns!(mathml) {
            let (_, behind) = marks(node);
            self.mark(behind);
        }
        match tag {
            tag @ (Tag::Main | Tag::Article) => self.leave_content(tag),
            Tag::Section => {
                self.sections = self.sections.saturating_sub(1);
                self.block();
            }
            Tag::Heading(_) => self.leave_heading(),
            Tag::Paragraph | Tag::Footer | Tag::Nav | Tag::Dialog => self.block(),
            Tag::Line | Tag::Caption => self.out().line(),
            Tag::Quote => {
                self.out().pop_prefix();
                self.block();
            }
            Tag::List | Tag::Ordered => {
                self.lists.pop();
                self.block();
            }
            Tag::Item | Tag::Description => {
                self.out().pop_prefix();
                self.out().line();
            }
            Tag::Quoted => self.mark("\""),
            Tag::Code => self.wrap(("`", "`"), ""),
            Tag::Deleted => self.wrap(("~~", "~~"), ""),
            Tag::Strong if self.is_marked() => self.wrap(("**", "**"), ""),
            Tag::Emphasis if self.is_marked() => self.wrap(("_", "_"), ""),
            Tag::Strong | Tag::Emphasis => {
                self.starts.pop();
            }
            Tag::Link => self.leave_link(element),
            Tag::Table => self.leave_table(node.id()),
            Tag::Row if self.table.is_none() => self.out().line(),
            Tag::Cell => self.leave_cell(),
            _ => {}
        }
    }

    fn is_marked(&self) -> bool {
        self.ask.format == Format::Markdown
    }

    fn mark(&mut self, mark: &str) {
        if !mark.is_empty() {
            self.out().raw(mark);
        }
    }

    fn wrap(&mut self, marks: (&str, &str), beside: &str) {
        if let Some(from) = self.starts.pop() {
            self.out().wrap(from, marks, beside);
        }
    }

    fn head(&mut self, head: NodeRef<'_, Node>) {
        for child in head.children() {
            let Some(element) = child.value().as_element() else { continue };
            match element.name.local {
                local_name!("title") => self.title(child),
                local_name!("base") => {
                    if let Some(href) = element.attr("href") {
                        self.ask.base.named(href);
                    }
                }
                local_name!("script") | local_name!("style") => self.found.left_out.count(OmitReason::Script),
                _ => {}
            }
        }
    }

    fn title(&mut self, node: NodeRef<'_, Node>) {
        if self.found.title.is_none() {
            let mut title = Writer::inline();
            node.children().filter_map(|text| text.value().as_text()).for_each(|text| title.text(text));
            self.found.title = Some(title.into_string()).filter(|title| !title.is_empty());
        }
    }

    /// Writes a link to an embedded page.
    fn frame(&mut self, element: &Element) {
        let Some(target) = element.attr("src").and_then(|source| self.ask.base.target(source)) else { return };
        let name = ["title", "name"].iter().find_map(|name| element.attr(name)).unwrap_or("frame");
        let out = self.out();
        out.line();
        out.raw("[");
        out.text(name);
        out.raw(&format!("]({target})"));
        out.line();
    }

    /// Keeps the text of the first `noscript`, used when the page has no other text.
    fn noscript(&mut self, node: NodeRef<'_, Node>) {
        if self.found.noscript.is_some() {
            return;
        }
        let Some(text) = node.children().find_map(|child| child.value().as_text()) else { return };
        let mut plain = Writer::inline();
        for piece in text.chars().take(4000).collect::<String>().split('<') {
            plain.text(piece.split_once('>').map_or(piece, |(_, after)| after));
            plain.text(" ");
        }
        self.found.noscript = Some(plain.into_string()).filter(|text| !text.is_empty());
    }

    fn enter_content(&mut self, tag: Tag) {
        self.sections += 1;
        self.block();
        if self.cell.is_some() {
            return;
        }
        let here = (self.page.here(), usize::MAX);
        if tag == Tag::Main {
            self.found.main.get_or_insert(here);
        } else {
            self.found.articles += 1;
            self.found.article.get_or_insert(here);
        }
    }

    fn leave_content(&mut self, tag: Tag) {
        self.sections = self.sections.saturating_sub(1);
        let here = self.page.here();
        let range = if tag == Tag::Main { &mut self.found.main } else { &mut self.found.article };
        if let Some((_, end)) = range
            && *end == usize::MAX
        {
            *end = here;
        }
        self.block();
    }

    fn enter_heading(&mut self, level: usize) {
        self.block();
        if level == 1 && self.cell.is_none() {
            let here = self.page.here();
            self.found.heading.get_or_insert((here, usize::MAX));
        }
        if self.cell.is_none() {
            self.out().marker(["# ", "## ", "### ", "#### ", "##### ", "###### "][level - 1]);
        }
    }

    fn leave_heading(&mut self) {
        let here = self.page.here();
        if let Some((_, end)) = &mut self.found.heading
            && *end == usize::MAX
        {
            *end = here;
        }
        self.block();
    }

    fn enter_list(&mut self, element: &Element, tag: Tag) {
        self.block();
        self.lists.push(List::new(element, tag == Tag::Ordered));
    }

    fn enter_item(&mut self, element: &Element) {
        let marker = self.lists.last_mut().map_or_else(|| "- ".to_owned(), |list| list.marker(element));
        let out = self.out();
        out.line();
        out.marker(&marker);
        out.push_prefix("   ".get(..marker.len().min(3)).unwrap_or("  "));
    }

    fn is_listing(&self, node: NodeRef<'_, Node>, element: &Element, tag: Tag) -> bool {
        match tag {
            Tag::Table => self.tables.of_table(node.id()) == TableUse::Listing,
            Tag::Line => is_code_block(node, element),
            _ => false,
        }
    }

    fn enter_code(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        self.block();
        self.code = Some(Code::new(node, element));
    }

    fn leave_code(&mut self) {
        let Some(Code { text, language, .. }) = self.code.take() else { return };
        let (code, _) = without_controls(&text);
        let code = code.trim_end().trim_start_matches('\n');
        if self.cell.is_some() {
            let lines: Vec<String> = code.lines().map(|line| format!("`{line}`")).collect();
            self.out().raw(&lines.join("<br>"));
        } else if !code.is_empty() {
            let fence = if code.contains("```") { "````" } else { "```" };
            let text = format!("{fence}{}\n{code}\n{fence}", language.unwrap_or_default());
            self.page.lines(&text);
        }
        self.block();
    }

    fn leave_link(&mut self, element: &Element) {
        let target = element.attr("href").and_then(|href| self.ask.base.target(href));
        match target {
            Some(target) => self.wrap(("[", &format!("]({target})")), &format!(" ({target})")),
            None => {
                self.starts.pop();
            }
        }
    }

    fn image(&mut self, element: &Element) {
        let Some(alt) = element.attr("alt").map(str::trim).filter(|alt| !alt.is_empty() && alt.len() < 1000) else {
            return;
        };
        let source = element.attr("src").filter(|_| self.ask.format == Format::Markdown);
        let target = source.and_then(|source| self.ask.base.target(source));
        let out = self.out();
        if let Some(target) = target {
            out.raw("![");
            out.text(alt);
            out.raw(&format!("]({target})"));
        } else {
            out.raw("[image: ");
            out.text(alt);
            out.raw("]");
        }
    }

    fn input(&mut self, element: &Element) {
        if element.attr("type").is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox")) && !self.lists.is_empty() {
            let is_checked = element.attr("checked").is_some();
            self.out().raw(if is_checked { "[x]" } else { "[ ]" });
        }
    }

    fn enter_cell(&mut self, element: &Element) {
        let Some(table) = &mut self.table else {
            self.out().line();
            return;
        };
        table.cell(element);
        self.cell = Some(Writer::inline());
    }

    fn leave_cell(&mut self) {
        let Some(cell) = self.cell.take() else {
            self.out().line();
            return;
        };
        let text = cell.into_string().replace('|', "\\|");
        if let Some(table) = &mut self.table {
            table.fill(text);
        }
    }

    fn leave_table(&mut self, id: ego_tree::NodeId) {
        if self.tables.of_table(id) != TableUse::Data {
            self.block();
            return;
        }
        let Some(table) = self.table.take() else { return };
        self.cell = None;
        let rows = table.into_rows();
        if rows.iter().all(|row| row.len() <= 1) {
            for cell in rows.iter().flatten() {
                self.page.line();
                self.page.raw(cell);
            }
        } else {
            let mut lines: Vec<String> = rows.iter().map(|row| format!("| {} |", row.join(" | "))).collect();
            let columns = rows.first().map_or(1, Vec::len);
            lines.insert(1, format!("|{}", " --- |".repeat(columns)));
            self.page.lines(&lines.join("\n"));
        }
        self.block();
    }
}

/// Whether the node contains at most one character.
fn is_short(node: NodeRef<'_, Node>) -> bool {
    let mut children = node.children();
    let first = children
        .next()
        .is_none_or(|child| child.value().as_text().is_some_and(|text| text.trim().chars().nth(1).is_none()));
    first && children.next().is_none()
}
