//! The web tools in a toolbox: redirects are judged as calls are.

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use tools_core::{CompositeExecutor, DynExecutor, Shared, Stack, Verdict};
use tools_policy::Gates;
use tools_web::{Hop, RedirectRefusal, ScrapePolicy, Web};

use crate::wiring::Wiring;

/// The tools. Where a redirect leads is asked of the same gates as the call was.
pub(crate) fn executors(policy: Shared<ScrapePolicy>, wiring: &Wiring) -> Vec<DynExecutor> {
    let web = Web::new(policy, Arc::clone(&wiring.web));
    let gates = Arc::clone(&wiring.gates);
    let alone = Stack::new(vec![], CompositeExecutor::new(web.clone().into_executors()));
    web.following(Arc::new(move |hop: Hop<'_>| judged(&alone, &gates, hop))).into_executors()
}

/// A denial counts for every redirect. A question only for one to another host: whoever agreed to a
/// page agreed to what its host makes of it.
fn judged(stack: &Stack, gates: &Gates, hop: Hop<'_>) -> Result<(), RedirectRefusal> {
    let inspected = pin!(stack.inspect(hop.call, hop.context));
    // Looking at a URL waits for nothing.
    let Poll::Ready(inv) = inspected.poll(&mut Context::from_waker(Waker::noop())) else {
        return Err(RedirectRefusal::Asks);
    };
    let explained = gates.explain(&inv);
    match explained.verdict {
        Verdict::Deny => Err(RedirectRefusal::Denied(explained.decided_by)),
        Verdict::Ask if hop.leaves_host => Err(RedirectRefusal::Asks),
        Verdict::Ask | Verdict::Allow => Ok(()),
    }
}
