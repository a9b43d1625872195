//! What the revision of the protocol decides.

use rmcp::{RoleServer, model::ProtocolVersion, service::RequestContext};

/// Before 2026-07-28 a server sends questions and changes by itself; since then it may not.
pub(crate) fn asks_by_itself(request: &RequestContext<RoleServer>) -> bool {
    let version = request.protocol_version();
    version.is_none_or(|version| version < ProtocolVersion::V_2026_07_28)
}
