//! Shows the process number that memory checkers print before each line (`==4711== `) only once.
//! Drops code addresses in their frames, since each frame names its function and place.

use tools_core::FilterConfidence;

use super::Reducer;
use crate::emit::Emitter;

#[derive(Default)]
pub(crate) struct ProcessMarks {
    /// The process mark of the previous such line.
    last: String,
    found: bool,
}

/// `==4711==` and what follows it.
fn parted(line: &str) -> Option<(&str, &str)> {
    let digits = line.strip_prefix("==")?;
    let end = digits.bytes().take_while(u8::is_ascii_digit).count();
    let rest = digits[end..].strip_prefix("==")?;
    (end > 0).then(|| (&line[..end + 4], rest))
}

/// `   at 0x10917E: sum (san.c:5)` without the address.
fn without_address(text: &str) -> Option<String> {
    let (before, rest) = text.split_once(" 0x")?;
    let is_frame = matches!(before.trim(), "at" | "by");
    let (address, function) = rest.split_once(": ")?;
    (is_frame && !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| format!("{before} {function}"))
}

impl Reducer for ProcessMarks {
    fn line(&mut self, line: &str, out: &mut Emitter<'_>) {
        let Some((mark, rest)) = parted(line) else { return out.keep(line) };
        let text = without_address(rest).unwrap_or_else(|| rest.to_owned());
        let text = if self.last == mark {
            text.strip_prefix(' ').unwrap_or(&text).to_owned()
        } else {
            format!("{mark}{text}")
        };
        mark.clone_into(&mut self.last);
        if text == line {
            return out.keep(line);
        }
        self.found = true;
        out.fold(line);
        if text.trim().is_empty() { out.keep("") } else { out.write(&text) }
    }

    fn finish(&mut self, _: &mut Emitter<'_>) -> Option<FilterConfidence> {
        self.found.then_some(FilterConfidence::Full)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Exit, FilterPipeline};

    #[test]
    fn a_process_is_named_once() {
        let text = "==47== Invalid read of size 4\n==47==    at 0x10917E: sum (san.c:5)\n==47== \n==47== Address 0x4a40040 is free\n\
                    ==48== Invalid read of size 8\n";
        assert_eq!(
            FilterPipeline::builtin().filter("./san", Exit::Code(1), text.as_bytes()).text,
            "==47== Invalid read of size 4\n   at sum (san.c:5)\n\nAddress 0x4a40040 is free\n==48== Invalid read of size 8\n"
        );
    }
}
