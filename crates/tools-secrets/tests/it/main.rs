//! What holds as a whole: what is found and what is not, and the layer around calls.

mod formats;
mod layer;
mod redaction;
