//! An automaton that was made when the program was built.

use tools_automata::Table;

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
