//! What the benches share: interleaved measurements and their medians.

mod times;

pub use times::{Times, ratio};
