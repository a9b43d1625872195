//! Makes the tables of the built-in automata: one for each shape of lines in `src/shapes.rs`, one
//! for each list of patterns in `src/builtin.toml`. The program then starts without compiling any
//! of them.

#[path = "src/shapes.rs"]
mod shapes;

use std::{fs, path::Path, thread};

use toml::{Table, Value};
use tools_automata::{Automaton, Code, joined};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for file in ["builtin.toml", "shapes.rs"] {
        println!("cargo::rerun-if-changed=src/{file}");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo says where to");
    let out = Path::new(&out);
    let shapes = shapes::SHAPES.iter().map(|(name, patterns)| ((*name).to_owned(), joined(patterns)));
    let lists = lists(&fs::read_to_string("src/builtin.toml").expect("the rules are beside the code"));
    let jobs: Vec<(Option<String>, String)> =
        shapes.map(|(name, text)| (Some(name), text)).chain(lists.into_iter().map(|text| (None, text))).collect();
    let mut code = Code::default();
    for ((name, text), automaton) in jobs.iter().zip(compiled(&jobs)) {
        match (name, automaton) {
            (Some(name), Some(automaton)) => code.shape(name, &automaton, out),
            (Some(name), None) => panic!("the shape {name} makes too large an automaton"),
            (None, Some(automaton)) => code.list(text, &automaton, out),
            // The program compiles it when it is used.
            (None, None) => println!("cargo::warning=a list of patterns makes too large an automaton: {text:.60}"),
        }
    }
    fs::write(out.join("tables.rs"), code.finish()).expect("the output directory can be written to");
}

/// The automata of all patterns; half of them on another thread.
fn compiled(jobs: &[(Option<String>, String)]) -> Vec<Option<Automaton>> {
    let compile =
        |jobs: &[(Option<String>, String)]| jobs.iter().map(|(_, text)| Automaton::of_pattern(text)).collect();
    // The first is about as large as all others.
    let (first, rest) = jobs.split_at(1);
    thread::scope(|scope| {
        let rest = scope.spawn(move || -> Vec<Option<Automaton>> { compile(rest) });
        let mut all: Vec<Option<Automaton>> = compile(first);
        all.extend(rest.join().expect("patterns are compiled without panicking"));
        all
    })
}

/// The lists of patterns of all rules.
fn lists(rules: &str) -> Vec<String> {
    let table: Table = rules.parse().expect("the built-in rules are TOML");
    let rules = table["rules"].as_array().expect("`rules` is a list");
    let strategies = rules.iter().flat_map(|rule| match &rule["strategy"] {
        Value::Array(list) => list.clone(),
        single => vec![single.clone()],
    });
    let lists = strategies.flat_map(|strategy| {
        let list = |key: &str| strategy.get(key).and_then(Value::as_array).cloned();
        [list("patterns"), list("noise")].into_iter().flatten().collect::<Vec<_>>()
    });
    lists.map(|list| joined(&list.iter().filter_map(Value::as_str).collect::<Vec<_>>())).collect()
}
