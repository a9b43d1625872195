//! Makes the automata of keywords and of what stands in examples, so that the program starts
//! without compiling them.

#[path = "src"]
mod words {
    #![expect(dead_code, reason = "of keywords only the words are asked for")]

    mod commands;
    mod keywords;
    mod providers;

    pub(super) fn all() -> Vec<&'static str> {
        keywords::all().into_iter().map(|(word, _)| word).collect()
    }
}

#[path = "src/placeholders.rs"]
mod placeholders;

use std::{fs, path::Path};

use tools_automata::{Automaton, Code, joined};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for file in ["commands", "keywords", "placeholders", "providers"] {
        println!("cargo::rerun-if-changed=src/{file}.rs");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo says where to");
    let out = Path::new(&out);
    let mut code = Code::default();
    let example = Automaton::of_pattern(&joined(placeholders::EXAMPLE)).expect("the pattern is small");
    code.shape("EXAMPLE", &example, out);
    code.keywords(&Automaton::of_words(&words::all()), out);
    fs::write(out.join("tables.rs"), code.finish()).expect("the output directory can be written to");
}
