//! Automata that were made when the program was built.

use tools_automata::{Table, Words};

include!(concat!(env!("OUT_DIR"), "/tables.rs"));
