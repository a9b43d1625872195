//! Fields in which a model thinks about the parameters of a call. Their content is for the model
//! alone.

use super::parameters::JsonObject;

/// Prefix of the names of such fields, and the name of the one that definitions offer.
pub const THOUGHT_PREFIX: &str = "_tafc_think";

/// Removes such fields at the top level, the only place where they are offered.
pub fn remove_thoughts(params: &mut JsonObject) {
    params.retain(|name, _| !name.starts_with(THOUGHT_PREFIX));
}
