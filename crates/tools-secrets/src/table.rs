//! An automaton that was made at build time.

use tools_automata::Table;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
