//! The supported languages. A new one needs a file here and a line in this list.

mod language;
mod lookup;

mod bash;
mod c;
mod cpp;
mod ecmascript;
mod go;
mod java;
mod javascript;
mod python;
mod rust;
mod typescript;

pub(crate) use language::{Capture, Language};
#[cfg(test)]
pub(crate) use lookup::all;
pub(crate) use lookup::{Form, form_of, named};
