//! Tables as code: a static for each named pattern, and a list of the others. The rows are written
//! to separate files.

use std::{fmt::Write as _, fs, path::Path};

use super::automaton::Automaton;

/// The code written so far.
#[derive(Default)]
pub struct Code {
    statics: String,
    lists: String,
    files: usize,
}

impl Code {
    /// A static of type `Table` with this name. Rows are written to a file in `out`.
    pub fn shape(&mut self, name: &str, automaton: &Automaton, out: &Path) {
        let table = self.table(automaton, out);
        let _ = writeln!(self.statics, "pub(crate) static {name}: Table = {table};");
    }

    /// A member of `LISTS`: a text and its table.
    pub fn list(&mut self, text: &str, automaton: &Automaton, out: &Path) {
        let table = self.table(automaton, out);
        let _ = writeln!(self.lists, "    ({text:?}, {table}),");
    }

    /// The code, to be included where `Table` is in scope.
    pub fn finish(self) -> String {
        if self.lists.is_empty() {
            return self.statics;
        }
        format!("{}pub(crate) static LISTS: &[(&str, Table)] = &[\n{}];\n", self.statics, self.lists)
    }

    fn table(&mut self, automaton: &Automaton, out: &Path) -> String {
        let width = automaton.rows[0].len().next_power_of_two();
        let number = |state: &usize| u16::try_from(*state).expect("an automaton has few states").to_le_bytes();
        let rows = automaton.rows.iter().flat_map(|row| {
            let fill = std::iter::repeat_n(0, (width - row.len()) * 2);
            row.iter().flat_map(number).chain(fill)
        });
        let class = |class: &usize| u8::try_from(*class).expect("there are no more classes than bytes");
        let classes: Vec<u8> = automaton.classes.iter().map(class).collect();
        let (end, classes) = classes.split_last().expect("there is a class for the end");
        self.files += 1;
        let file = format!("table-{}", self.files);
        fs::write(out.join(&file), rows.collect::<Vec<u8>>()).expect("the output directory can be written to");
        format!(
            "Table {{ start: {}, shift: {}, end: {end}, classes: &{classes:?}, \
             rows: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{file}\")).as_chunks().0 }}",
            automaton.start,
            width.trailing_zeros(),
        )
    }
}

/// One pattern that matches what any of these patterns matches.
pub fn joined(patterns: &[impl AsRef<str>]) -> String {
    patterns.iter().map(|pattern| format!("(?:{})", pattern.as_ref())).collect::<Vec<_>>().join("|")
}
