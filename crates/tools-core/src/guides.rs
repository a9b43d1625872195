//! Examples of the written guides, compiled and run as doc tests. Not part of the library.

#[doc = include_str!("../../../docs/writing-a-tool.md")]
mod writing_a_tool {}

#[doc = include_str!("../../../docs/writing-a-layer.md")]
mod writing_a_layer {}
