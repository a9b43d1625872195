//! Reducers one behind the other: what one gives on goes to the next.

use tools_core::FilterConfidence;

use crate::{
    FilterEvent,
    emit::{EmitState, Emitter},
    strategy::Reducer,
};

/// A reducer, and the hole that is open behind it.
pub(crate) struct Stage {
    reducer: Box<dyn Reducer>,
    state: EmitState,
}

impl Stage {
    pub(crate) fn new(reducer: Box<dyn Reducer>, collapse: bool) -> Self {
        Self { reducer, state: EmitState::new(collapse) }
    }
}

/// Gives a line to the first of the stages, and what comes out of it to the next.
pub(crate) fn feed(stages: &mut [Stage], line: &str, sink: &mut dyn FnMut(FilterEvent<'_>)) {
    let Some((stage, rest)) = stages.split_first_mut() else { return sink(FilterEvent::Kept(line)) };
    let mut next = |event: FilterEvent<'_>| forward(rest, event, sink);
    stage.reducer.line(line, &mut Emitter { state: &mut stage.state, sink: &mut next });
}

fn forward(rest: &mut [Stage], event: FilterEvent<'_>, sink: &mut dyn FnMut(FilterEvent<'_>)) {
    match event {
        FilterEvent::Kept(line) | FilterEvent::Written(line) if !rest.is_empty() => feed(rest, line, sink),
        event => sink(event),
    }
}

/// Ends stages one after the other: what the first still gives goes through those behind it.
pub(crate) fn end(
    mut stages: &mut [Stage],
    verdicts: &mut Vec<Option<FilterConfidence>>,
    give: &mut dyn FnMut(FilterEvent<'_>),
) {
    while let Some((stage, rest)) = stages.split_first_mut() {
        let mut next = |event: FilterEvent<'_>| forward(rest, event, &mut *give);
        let mut out = Emitter { state: &mut stage.state, sink: &mut next };
        verdicts.push(stage.reducer.finish(&mut out));
        out.close();
        stages = rest;
    }
}
