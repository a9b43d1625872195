//! Elements as the selector engine sees them, with a time limit. Each step to another element is
//! counted, because a short selector can need more steps than the cube of the number of elements.

use std::cell::Cell;
use std::fmt;
use std::time::{Duration, Instant};

use html5ever::Namespace;
use scraper::selector::{CssLocalName, CssString, NonTSPseudoClass, PseudoElement, Simple};
use scraper::{CaseSensitivity, Element, ElementRef};
use selectors::OpaqueElement;
use selectors::attr::{AttrSelectorOperation, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::matching::{ElementSelectorFlags, MatchingContext};

/// Number of steps between two readings of the clock, which costs more than a step.
const STRIDE: u64 = 64;

/// The steps of one search.
#[derive(Debug)]
pub(super) struct Steps {
    until: Instant,
    taken: Cell<u64>,
    is_over: Cell<bool>,
}

impl Steps {
    pub(super) fn within(patience: Duration) -> Self {
        Self { until: Instant::now() + patience, taken: Cell::new(0), is_over: Cell::new(false) }
    }

    /// Whether the time limit has passed: the results of the last steps are not reliable then.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.get()
    }

    #[cfg(test)]
    pub(super) fn taken(&self) -> u64 {
        self.taken.get()
    }

    fn take(&self) -> Option<()> {
        self.taken.set(self.taken.get() + 1);
        if self.taken.get().is_multiple_of(STRIDE) && Instant::now() >= self.until {
            self.is_over.set(true);
        }
        (!self.is_over()).then_some(())
    }
}

/// An element from which other elements are reached by counted steps.
#[derive(Clone)]
pub(super) struct SteppedElement<'a> {
    element: ElementRef<'a>,
    steps: &'a Steps,
}

impl<'a> SteppedElement<'a> {
    /// The next element of the search; `None` once the time is over.
    pub(super) fn new(element: ElementRef<'a>, steps: &'a Steps) -> Option<Self> {
        steps.take()?;
        Some(Self { element, steps })
    }

    fn step(&self, to: fn(&ElementRef<'a>) -> Option<ElementRef<'a>>) -> Option<Self> {
        self.steps.take()?;
        Some(Self { element: to(&self.element)?, steps: self.steps })
    }
}

impl fmt::Debug for SteppedElement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.element.fmt(f)
    }
}

/// Only the four methods that move to another element differ from those of [`ElementRef`].
impl Element for SteppedElement<'_> {
    type Impl = Simple;

    fn parent_element(&self) -> Option<Self> {
        self.step(Element::parent_element)
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.step(Element::prev_sibling_element)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.step(Element::next_sibling_element)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.step(Element::first_element_child)
    }

    fn opaque(&self) -> OpaqueElement {
        self.element.opaque()
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        self.element.parent_node_is_shadow_root()
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        self.element.is_pseudo_element()
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.element.is_html_element_in_html_document()
    }

    fn has_local_name(&self, name: &CssLocalName) -> bool {
        self.element.has_local_name(name)
    }

    fn has_namespace(&self, namespace: &Namespace) -> bool {
        self.element.has_namespace(namespace)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.element.is_same_type(&other.element)
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Namespace>,
        name: &CssLocalName,
        operation: &AttrSelectorOperation<&CssString>,
    ) -> bool {
        self.element.attr_matches(namespace, name, operation)
    }

    fn match_non_ts_pseudo_class(&self, class: &NonTSPseudoClass, context: &mut MatchingContext<'_, Simple>) -> bool {
        self.element.match_non_ts_pseudo_class(class, context)
    }

    fn match_pseudo_element(&self, element: &PseudoElement, context: &mut MatchingContext<'_, Simple>) -> bool {
        self.element.match_pseudo_element(element, context)
    }

    fn apply_selector_flags(&self, flags: ElementSelectorFlags) {
        self.element.apply_selector_flags(flags);
    }

    fn is_link(&self) -> bool {
        self.element.is_link()
    }

    fn is_html_slot_element(&self) -> bool {
        self.element.is_html_slot_element()
    }

    fn has_id(&self, id: &CssLocalName, case: CaseSensitivity) -> bool {
        self.element.has_id(id, case)
    }

    fn has_class(&self, name: &CssLocalName, case: CaseSensitivity) -> bool {
        self.element.has_class(name, case)
    }

    fn has_custom_state(&self, name: &CssLocalName) -> bool {
        self.element.has_custom_state(name)
    }

    fn imported_part(&self, name: &CssLocalName) -> Option<CssLocalName> {
        self.element.imported_part(name)
    }

    fn is_part(&self, name: &CssLocalName) -> bool {
        self.element.is_part(name)
    }

    fn is_empty(&self) -> bool {
        self.element.is_empty()
    }

    fn is_root(&self) -> bool {
        self.element.is_root()
    }

    fn add_element_unique_hashes(&self, filter: &mut BloomFilter) -> bool {
        self.element.add_element_unique_hashes(filter)
    }
}
