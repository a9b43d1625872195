//! Which of its tools a toolbox shows to a model, in which words, and what they need first.

mod offering;
mod profiles;

pub(crate) use offering::ToolOffer;
