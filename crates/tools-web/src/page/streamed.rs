//! Puts parts of a page that the server sent late where they belong. React sends them hidden at the
//! end (`S:0`), with a script that moves them to the place that a template marks (`B:0`).

use std::collections::HashMap;

use ego_tree::{NodeId, NodeRef, Tree};
use html5ever::local_name;
use scraper::Node;

/// Maximum number of nodes searched for the end of the fallback content at a place.
const MAX_WAITING: usize = 64;

/// Moves each late part to its place, where it replaces the fallback content.
pub(super) fn put_in_place(tree: &mut Tree<Node>) {
    let mut parts = HashMap::new();
    let mut places = Vec::new();
    for node in tree.nodes() {
        let Some(element) = node.value().as_element() else { continue };
        match element.id().and_then(|id| id.split_once(':')) {
            Some(("S", id)) if element.attr("hidden").is_some() => drop(parts.insert(id.to_owned(), node.id())),
            Some(("B", id)) if element.name.local == local_name!("template") => {
                places.push((id.to_owned(), node.id()));
            }
            _ => {}
        }
    }
    for (id, place) in places {
        let Some(part) = parts.remove(&id) else { continue };
        if is_within(tree, place, part) {
            continue;
        }
        for waiting in waiting_at(tree, place) {
            tree.get_mut(waiting).into_iter().for_each(|mut node| node.detach());
        }
        let children: Vec<NodeId> =
            tree.get(part).into_iter().flat_map(|part| part.children()).map(|c| c.id()).collect();
        for child in children {
            if let Some(mut place) = tree.get_mut(place) {
                place.insert_id_before(child);
            }
        }
    }
}

/// Whether a place lies inside the part that belongs there. Only a crafted page has this, and the
/// move would break the tree.
fn is_within(tree: &Tree<Node>, place: NodeId, part: NodeId) -> bool {
    tree.get(place).is_none_or(|place| place.ancestors().any(|above| above.id() == part))
}

/// The fallback content after a place, up to the comment that ends it.
fn waiting_at(tree: &Tree<Node>, place: NodeId) -> Vec<NodeId> {
    let Some(place) = tree.get(place) else { return Vec::new() };
    let is_end = |node: &Node| matches!(node, Node::Comment(comment) if comment.trim() == "/$");
    let waiting: Vec<_> = place.next_siblings().take(MAX_WAITING).collect();
    let end = waiting.iter().position(|node| is_end(node.value())).unwrap_or(0);
    waiting[..end].iter().map(NodeRef::id).collect()
}
