//! `haft call`: one call through all layers.

use std::{cell::Cell, sync::Arc, time::Instant};

use haft::{
    CallReport, Toolbox,
    core::{CallContext, CallerId, ConfirmPrompt, EventSink, NobodyToAsk, SystemClock, ToolCall, ToolName, TrustLevel},
    filter::stats_line,
};

use crate::{
    args::{Call, CommonArgs, Trust},
    asking::summary,
    commands::{live::Live, open::open_for, parameters, people::People},
    exit::Exit,
    output,
};

/// Makes the call and prints what the model would get.
pub(crate) async fn run(common: &CommonArgs, verb: &Call) -> Result<Exit, String> {
    let toolbox = open_for(common, &verb.tool).await?;
    let definition = ToolName::parse(&verb.tool).ok().and_then(|name| toolbox.stack().definition(&name));
    let params = parameters::parse(&verb.params, definition.as_deref())?;
    let mut call = ToolCall::new(&verb.tool, params).map_err(|error| error.to_string())?;
    if let Some(caller) = &verb.caller {
        call = call.with_caller(CallerId::parse(caller).map_err(|error| error.to_string())?);
    }
    let cx = toolbox.context().capped(verb.trust.into()).requested_by_user();
    let live = Arc::new(Live::new(common));
    let cx = cx.with_events(EventSink::with_clock(live.clone(), Arc::new(SystemClock)));
    let ended_by = Cell::new(None);
    let mut report = interruptible(&toolbox, call, &cx, consent(verb.yes), &ended_by).await;
    live.keep(&mut report);
    print(common, &report, &live);
    Ok(ended_by.get().map_or_else(|| Exit::of(&report), Exit::interrupted))
}

/// How questions are answered on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// Approved in advance with an option.
    Given,
    /// By the person at the terminal or, without one, at `haft approvals watch`.
    Asked,
    /// Nobody is asked; the call is refused.
    Refused,
}

fn consent(yes: bool) -> Consent {
    if yes { Consent::Given } else { Consent::Asked }
}

/// Makes one call; an interrupt cancels it.
pub(crate) async fn make(toolbox: &Toolbox, call: ToolCall, cx: &CallContext, consent: Consent) -> CallReport {
    interruptible(toolbox, call, cx, consent, &Cell::new(None)).await
}

/// Makes one call. An interrupt cancels it and stores the signal's number in `ended_by`.
pub(crate) async fn interruptible(
    toolbox: &Toolbox,
    call: ToolCall,
    cx: &CallContext,
    consent: Consent,
    ended_by: &Cell<Option<u8>>,
) -> CallReport {
    let (id, tool, start) = (call.id.clone(), call.tool.clone(), Instant::now());
    let cancel = cx.cancel().child_token();
    let cx = cx.clone().with_cancel(cancel.clone());
    let calling = async {
        let people = People::of(&cx);
        match consent {
            // Approved in advance: one call, and one line in the record.
            Consent::Given => toolbox.stack().run_approved(call, &cx, &people).await,
            Consent::Asked => toolbox.call(call, &cx, &people).await,
            Consent::Refused => toolbox.call(call, &cx, &NobodyToAsk).await,
        }
    };
    let interrupted = async {
        ended_by.set(Some(interrupt().await));
        cancel.cancel();
        // The call now ends by itself, and its result says so.
        std::future::pending::<()>().await;
    };
    let recorded = tokio::select! {
        recorded = calling => recorded,
        () = interrupted => unreachable!("it waits for ever"),
    };
    let definition = toolbox.stack().definition_or_unknown(&tool);
    CallReport::new(id, &definition, &recorded, start.elapsed())
}

/// Waits for a signal and returns its number.
pub(crate) async fn interrupt() -> u8 {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => 2,
                _ = terminate.recv() => 15,
            }
        }
        _ => std::future::pending().await,
    }
}

/// Prints a report: one object, or the text with notes for a person.
fn print(common: &CommonArgs, report: &CallReport, live: &Live) {
    if common.json {
        return output::json(report);
    }
    notes(common, report);
    live.finish(report);
}

/// Prints notes beside the result: warnings, and the questions that were not answered.
pub(crate) fn notes(common: &CommonArgs, report: &CallReport) {
    if common.quiet {
        return;
    }
    for warning in &report.warnings {
        output::note(&format!("warning: {warning}"));
    }
    if let Some(line) = report.filter.as_ref().and_then(stats_line) {
        output::note(&line);
    }
    if let Some(wanted) = &report.confirmation {
        output::note(&wanted_by(report, wanted));
    }
}

/// Describes the question of a call that was refused because no person could be asked.
fn wanted_by(report: &CallReport, wanted: &haft::ConfirmationReport) -> String {
    let prompt = ConfirmPrompt {
        by_tool: wanted.by_tool,
        change: wanted.change.clone(),
        ..ConfirmPrompt::new(report.tool.clone(), wanted.prompt.clone(), wanted.subjects.clone())
    };
    let mut lines = summary(&prompt);
    lines.push(
        "not approved: approve this call with `--yes`, or answer in another terminal with `haft approvals watch`"
            .to_owned(),
    );
    if let Some(rule) = &wanted.would_store {
        lines.push(format!(
            "or allow it permanently:\n  [[tools.permissions.{}]]\n  pattern = {:?}\n  action = \"allow\"",
            rule.tool, rule.pattern
        ));
    }
    lines.join("\n")
}

impl From<Trust> for TrustLevel {
    fn from(trust: Trust) -> Self {
        match trust {
            Trust::Untrusted => Self::Untrusted,
            Trust::Provisional => Self::Provisional,
            Trust::Trusted => Self::Trusted,
        }
    }
}
