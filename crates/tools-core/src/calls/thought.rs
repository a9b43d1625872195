//! Fields in which a model thinks about the parameters of a call. What stands there is for the
//! model alone.

use super::parameters::JsonObject;

/// Beginning of the names of such fields, and the name of the one that definitions offer.
pub const THOUGHT_PREFIX: &str = "_tafc_think";

/// Takes them out, at the top level, which is the only place where they are offered.
pub fn take_thoughts_out(params: &mut JsonObject) {
    params.retain(|name, _| !name.starts_with(THOUGHT_PREFIX));
}
