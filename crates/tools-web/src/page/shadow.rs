//! Elements that show a template instead of their own contents (declarative shadow trees).

use std::collections::{HashMap, HashSet};

use ego_tree::{NodeId, NodeRef, Tree};
use html5ever::local_name;
use scraper::Node;
use scraper::node::Element;

use super::left_out::{OmitReason, why};
use super::tag::{Tag, tag_of};

/// Maximum number of ancestors searched for the template of a slot.
const ABOVE: usize = 64;

/// The shadow trees of a page.
pub(super) struct Shadows(HashMap<NodeId, Shadow>);

struct Shadow {
    template: NodeId,
    /// Names of the slots of the template.
    slots: HashSet<String>,
}

impl Shadows {
    pub(super) fn of(tree: &Tree<Node>) -> Self {
        let mut shadows = HashMap::new();
        for template in tree.nodes().filter(is_shadow_root) {
            if let Some(host) = template.parent().filter(|host| element(host).is_some_and(is_host)) {
                shadows.entry(host.id()).or_insert_with(|| Shadow { template: template.id(), slots: HashSet::new() });
            }
        }
        if !shadows.is_empty() {
            // Caches the result per element: many slots may share an ancestor with a long style.
            let mut hidden = HashMap::new();
            for slot in tree.nodes().filter(|node| element(node).is_some_and(|e| tag_of(e) == Tag::Slot)) {
                let Some(template) = shown_in(slot, &mut hidden) else { continue };
                let shadow = template.parent().and_then(|host| shadows.get_mut(&host.id()));
                if let Some(shadow) = shadow.filter(|shadow| shadow.template == template.id()) {
                    shadow.slots.insert(name(&slot, "name"));
                }
            }
        }
        Self(shadows)
    }

    /// Whether this template is shown at its position.
    pub(super) fn is_shown(&self, template: NodeRef<'_, Node>) -> bool {
        self.above(template).is_some_and(|shadow| shadow.template == template.id())
    }

    /// Whether a template is shown instead of this node and has no slot for it.
    pub(super) fn is_replaced(&self, node: NodeRef<'_, Node>) -> bool {
        self.above(node)
            .is_some_and(|shadow| shadow.template != node.id() && !shadow.slots.contains(&name(&node, "slot")))
    }

    fn above(&self, node: NodeRef<'_, Node>) -> Option<&Shadow> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get(&node.parent()?.id())
    }
}

fn element<'a>(node: &NodeRef<'a, Node>) -> Option<&'a Element> {
    node.value().as_element()
}

fn name(node: &NodeRef<'_, Node>, attribute: &str) -> String {
    element(node).and_then(|element| element.attr(attribute)).unwrap_or_default().to_owned()
}

fn is_shadow_root(node: &NodeRef<'_, Node>) -> bool {
    element(node).is_some_and(|element| {
        let mode = element.attr("shadowrootmode").unwrap_or_default();
        tag_of(element) == Tag::Template && ["open", "closed"].iter().any(|known| mode.eq_ignore_ascii_case(known))
    })
}

/// The template that shows a slot; `None` when that part of it is hidden.
fn shown_in<'a>(slot: NodeRef<'a, Node>, hidden: &mut HashMap<NodeId, bool>) -> Option<NodeRef<'a, Node>> {
    for node in std::iter::once(slot).chain(slot.ancestors().take(ABOVE)) {
        let Some(element) = element(&node) else { continue };
        let tag = tag_of(element);
        if tag == Tag::Template {
            return Some(node);
        }
        if *hidden.entry(node.id()).or_insert_with(|| why(node, element, tag, true) == Some(OmitReason::Hidden)) {
            return None;
        }
    }
    None
}

/// Whether an element may have a shadow tree.
fn is_host(element: &Element) -> bool {
    matches!(
        element.name.local,
        local_name!("article")
            | local_name!("aside")
            | local_name!("blockquote")
            | local_name!("body")
            | local_name!("div")
            | local_name!("footer")
            | local_name!("h1")
            | local_name!("h2")
            | local_name!("h3")
            | local_name!("h4")
            | local_name!("h5")
            | local_name!("h6")
            | local_name!("header")
            | local_name!("main")
            | local_name!("nav")
            | local_name!("p")
            | local_name!("section")
            | local_name!("span")
    ) || element.name().contains('-')
}
