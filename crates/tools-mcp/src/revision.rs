//! Differences between revisions of the protocol.

use rmcp::{RoleServer, model::ProtocolVersion, service::RequestContext};

/// Whether the server may send questions and notifications by itself: only before 2026-07-28.
pub(crate) fn asks_by_itself(request: &RequestContext<RoleServer>) -> bool {
    let version = request.protocol_version();
    version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
}
