//! Automata generated at build time that tell whether a line has a shape.

pub(crate) use tools_automata::Table;

mod tables {
    use tools_automata::Table;

    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}

pub(crate) use tables::*;

/// The automaton for a pattern list of a built-in rule; `None` for any other list.
pub(crate) fn of_list(joined: &str) -> Option<&'static Table> {
    LISTS.iter().find_map(|(text, table)| (*text == joined).then_some(table))
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use tools_automata::ascii;

    use super::*;
    use crate::shapes::SHAPES;

    #[test]
    fn a_table_says_what_its_pattern_says() {
        let tables = [
            ("PYTHON", &PYTHON),
            ("SUMMARY", &SUMMARY),
            ("HARMLESS", &HARMLESS),
            ("CANDIDATE", &CANDIDATE),
            ("OTHER", &OTHER),
            ("NESTED", &NESTED),
        ];
        let lines = [
            "",
            "x",
            "___ test ___",
            "test result: ok. 1 passed",
            "12% tests passed",
            "  stdout ───",
            "  stdout ──",
            "an Error here",
            "errors",
            "no_error",
            "✗ é",
            "   Compiling a v1",
            "   Compiling a: error",
            "a.rs:1:2",
            "0 failing",
            "1 failing",
            "missing",
            "dismissing",
        ];
        for (name, table) in tables {
            let (_, patterns) = SHAPES.iter().find(|(of, _)| *of == name).expect("it is one of them");
            let regex = Regex::new(&ascii(&patterns.join("|"))).expect("it is a regular expression");
            for line in lines {
                assert_eq!(table.is_match(line), regex.is_match(line), "{name}: {line}");
            }
        }
    }
}
