//! The walk over the tree of a page: once, iteratively, so that no depth of nesting matters.

use std::collections::HashSet;
use std::time::Instant;

use ego_tree::{NodeId, NodeRef};
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;

use super::left_out::{LeftOut, Why, why};
use super::links::Base;
use super::shadow::Shadows;
use super::tag::{Tag, tag_of};
use super::writer::Writer;
use super::{Format, without_controls};

/// How a page is walked.
pub(super) struct Ask<'a> {
    pub(super) base: &'a mut Base,
    pub(super) format: Format,
    /// Whether menus are read like anything else.
    pub(super) with_navigation: bool,
    pub(super) until: Instant,
}

/// What a walk found.
#[derive(Default)]
pub(super) struct WalkResult {
    pub(super) text: String,
    pub(super) title: Option<String>,
    /// Where in the text the element `main` stands; the same of the only article, and of the first
    /// heading.
    pub(super) main: Option<(usize, usize)>,
    pub(super) article: Option<(usize, usize)>,
    pub(super) articles: usize,
    pub(super) heading: Option<(usize, usize)>,
    pub(super) left_out: LeftOut,
    pub(super) noscript: Option<String>,
    pub(super) is_cut: bool,
}

struct List {
    next: i64,
    step: i64,
    is_ordered: bool,
}

#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
}

struct Walk<'a, 'b> {
    ask: Ask<'a>,
    found: WalkResult,
    page: Writer,
    cell: Option<Writer>,
    table: Option<Table>,
    shadows: Shadows,
    /// Tables that hold tables: they arrange the page.
    layouts: HashSet<NodeId>,
    lists: Vec<List>,
    pre: Option<(String, Option<String>)>,
    /// Where links and emphases that are open began.
    starts: Vec<usize>,
    /// Open elements within which a footer is not the page's.
    sections: usize,
    tree: &'b ego_tree::Tree<Node>,
}

/// Nodes between two looks at the clock.
const STRIDE: usize = 4096;
/// Ancestors of a table among which another table is looked for.
const ABOVE: usize = 64;

/// Walks the page.
pub(super) fn walk(tree: &ego_tree::Tree<Node>, ask: Ask<'_>) -> WalkResult {
    let mut walk = Walk {
        ask,
        found: WalkResult::default(),
        page: Writer::default(),
        cell: None,
        table: None,
        shadows: Shadows::of(tree),
        layouts: layouts(tree),
        lists: Vec::new(),
        pre: None,
        starts: Vec::new(),
        sections: 0,
        tree,
    };
    walk.go();
    walk.found.text = walk.page.into_string();
    walk.found
}

fn layouts(tree: &ego_tree::Tree<Node>) -> HashSet<NodeId> {
    let is_table =
        |node: &NodeRef<'_, Node>| node.value().as_element().is_some_and(|e| e.name.local == local_name!("table"));
    let mut layouts = HashSet::new();
    for table in tree.nodes().filter(is_table) {
        if let Some(outer) = table.ancestors().take(ABOVE).find(is_table) {
            layouts.insert(outer.id());
        }
    }
    layouts
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

    /// Reads a node up to what is in it; whether that is read too.
    fn enter(&mut self, node: NodeRef<'_, Node>) -> bool {
        if self.shadows.is_replaced(node) {
            if node.value().is_element() {
                self.found.left_out.count(Why::Hidden);
            }
            return false;
        }
        match node.value() {
            Node::Text(text) => {
                match &mut self.pre {
                    Some((code, _)) => code.push_str(text),
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
            Tag::Parenthesis if !is_short(node) => Some(Why::Hidden),
            _ => why(element, tag, self.sections > 0),
        };
        if let Some(why) = why
            && !(self.ask.with_navigation && why == Why::Navigation)
        {
            self.found.left_out.count(why);
            return false;
        }
        match tag {
            Tag::Head => self.head(node),
            Tag::Noscript => self.noscript(node),
            Tag::Main | Tag::Article => self.enter_content(tag),
            Tag::Section => {
                self.sections += 1;
                self.block();
            }
            Tag::Heading(level) => self.enter_heading(level),
            Tag::Paragraph | Tag::Footer | Tag::Nav | Tag::Dialog => self.block(),
            Tag::Line | Tag::Caption => self.out().line(),
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
            Tag::Pre => self.enter_pre(node, element),
            Tag::Code | Tag::Strong | Tag::Emphasis | Tag::Link => {
                let here = self.out().here();
                self.starts.push(here);
            }
            Tag::Image => self.image(element),
            Tag::Break => match &mut self.pre {
                Some((code, _)) => code.push('\n'),
                None => self.out().line(),
            },
            Tag::Rule => {
                self.block();
                self.out().raw("---");
                self.block();
            }
            Tag::Input => self.input(element),
            Tag::Table => {
                self.block();
                if self.table.is_none() && !self.layouts.contains(&node.id()) {
                    self.table = Some(Table::default());
                }
            }
            Tag::Row => match &mut self.table {
                Some(table) => table.rows.push(Vec::new()),
                None => self.out().line(),
            },
            Tag::Cell => self.enter_cell(element),
            Tag::Script | Tag::Template | Tag::Unseen | Tag::Embedded | Tag::Slot | Tag::Parenthesis | Tag::Inline => {}
        }
        !matches!(tag, Tag::Head | Tag::Noscript | Tag::Image | Tag::Break | Tag::Rule | Tag::Input)
    }

    fn leave(&mut self, node: NodeRef<'_, Node>) {
        let Node::Element(element) = node.value() else { return };
        match tag_of(element) {
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
            Tag::Pre => self.leave_pre(),
            Tag::Code if self.pre.is_none() => self.wrap(("`", "`"), ""),
            Tag::Strong if self.is_marked() => self.wrap(("**", "**"), ""),
            Tag::Emphasis if self.is_marked() => self.wrap(("_", "_"), ""),
            Tag::Code | Tag::Strong | Tag::Emphasis => {
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
        self.ask.format == Format::Markdown && self.pre.is_none()
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
                local_name!("title") if self.found.title.is_none() => {
                    let mut title = Writer::inline();
                    child.children().filter_map(|text| text.value().as_text()).for_each(|text| title.text(text));
                    self.found.title = Some(title.into_string()).filter(|title| !title.is_empty());
                }
                local_name!("base") => {
                    if let Some(href) = element.attr("href") {
                        self.ask.base.named(href);
                    }
                }
                local_name!("script") | local_name!("style") => self.found.left_out.count(Why::Script),
                _ => {}
            }
        }
    }

    /// The text of the first one, without its markup: it counts when there is nothing else.
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
        self.out().marker(["# ", "## ", "### ", "#### ", "##### ", "###### "][level - 1]);
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
        let number = |name| element.attr(name).and_then(|text| text.trim().parse::<i64>().ok());
        let step = if element.attr("reversed").is_some() { -1 } else { 1 };
        self.lists.push(List { next: number("start").unwrap_or(1), step, is_ordered: tag == Tag::Ordered });
    }

    fn enter_item(&mut self, element: &Element) {
        let marker = match self.lists.last_mut().filter(|list| list.is_ordered) {
            Some(list) => {
                let own = element.attr("value").and_then(|text| text.trim().parse().ok());
                let number = own.unwrap_or(list.next);
                list.next = number.saturating_add(list.step);
                format!("{number}. ")
            }
            None => "- ".to_owned(),
        };
        let out = self.out();
        out.line();
        out.marker(&marker);
        out.push_prefix("   ".get(..marker.len().min(3)).unwrap_or("  "));
    }

    fn enter_pre(&mut self, node: NodeRef<'_, Node>, element: &Element) {
        self.block();
        if self.pre.is_none() {
            let inner = node.first_child().and_then(|child| child.value().as_element());
            let language = [Some(element), inner].into_iter().flatten().find_map(language);
            self.pre = Some((String::new(), language));
        }
    }

    fn leave_pre(&mut self) {
        let Some((code, language)) = self.pre.take() else { return };
        let (code, _) = without_controls(&code);
        let code = code.trim_end().trim_start_matches('\n');
        if self.cell.is_some() {
            self.out().raw(&format!("`{}`", code.replace('\n', " ")));
        } else if !code.is_empty() {
            let fence = if code.contains("```") { "````" } else { "```" };
            let text = format!("{fence}{}\n{code}\n{fence}", language.unwrap_or_default());
            self.page.lines(&text);
        }
        self.block();
    }

    fn leave_link(&mut self, element: &Element) {
        let target = element.attr("href").filter(|_| self.pre.is_none()).and_then(|href| self.ask.base.target(href));
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
        let span = element.attr("colspan").and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(1).clamp(1, 16);
        if table.rows.is_empty() {
            table.rows.push(Vec::new());
        }
        // The text goes to the first of the columns that the cell spans.
        if let Some(row) = table.rows.last_mut() {
            row.push("\0".to_owned());
            row.extend(std::iter::repeat_n(String::new(), span - 1));
        }
        self.cell = Some(Writer::inline());
    }

    fn leave_cell(&mut self) {
        let Some(cell) = self.cell.take() else {
            self.out().line();
            return;
        };
        let text = cell.into_string().replace('|', "\\|");
        let row = self.table.as_mut().and_then(|table| table.rows.last_mut());
        if let Some(place) = row.and_then(|row| row.iter_mut().rev().find(|place| *place == "\0")) {
            *place = text;
        }
    }

    fn leave_table(&mut self, id: NodeId) {
        if self.layouts.contains(&id) {
            self.block();
            return;
        }
        let Some(table) = self.table.take() else { return };
        self.cell = None;
        let rows: Vec<Vec<String>> =
            table.rows.into_iter().filter(|row| row.iter().any(|cell| !cell.is_empty())).collect();
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

/// Whether no more than one character stands here.
fn is_short(node: NodeRef<'_, Node>) -> bool {
    let mut children = node.children();
    let first = children
        .next()
        .is_none_or(|child| child.value().as_text().is_some_and(|text| text.trim().chars().nth(1).is_none()));
    first && children.next().is_none()
}

/// The language that a class names (`language-rust`, `lang-rust`, `highlight-source-rust`).
fn language(element: &Element) -> Option<String> {
    let names = element.classes().find_map(|class| {
        ["language-", "lang-", "highlight-source-", "brush:"].iter().find_map(|prefix| class.strip_prefix(prefix))
    })?;
    Some(names.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-')).take(20).collect())
}
