//! Connects reducers in sequence: the output of each is the input of the next.

use tools_core::FilterConfidence;

use crate::{
    FilterEvent,
    emit::{EmitState, Emitter},
    strategy::Reducer,
};

/// A reducer, and the open hole in its output.
pub(crate) struct Stage {
    reducer: Box<dyn Reducer>,
    state: EmitState,
}

impl Stage {
    pub(crate) fn new(reducer: Box<dyn Reducer>, collapse: bool) -> Self {
        Self { reducer, state: EmitState::new(collapse) }
    }
}

/// Passes a line through the stages.
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

/// Ends the stages in sequence: the remaining output of each passes through those after it.
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
