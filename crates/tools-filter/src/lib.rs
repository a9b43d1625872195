//! What is taken out of tool output before anyone sees it.

pub mod secrets;
