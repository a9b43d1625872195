//! Makes the automaton of what stands in examples, so that the program starts without compiling it.

#[path = "src/placeholders.rs"]
mod placeholders;

use std::{fs, path::Path};

use tools_automata::{Automaton, Code, joined};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/placeholders.rs");
    let out = std::env::var_os("OUT_DIR").expect("cargo says where to");
    let out = Path::new(&out);
    let mut code = Code::default();
    let example = Automaton::of_pattern(&joined(placeholders::EXAMPLE)).expect("the pattern is small");
    code.shape("EXAMPLE", &example, out);
    fs::write(out.join("tables.rs"), code.finish()).expect("the output directory can be written to");
}
