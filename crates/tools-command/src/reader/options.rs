//! Reading the options of programs whose other arguments are a command.

use super::command::Value;

/// How a program's options are written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Options {
    /// Short ones that stand alone.
    pub(super) flags: &'static str,
    /// Short ones that take a value.
    pub(super) valued: &'static str,
    /// Short ones that take a value only where it is attached.
    pub(super) optional: &'static str,
    /// Long ones that stand alone.
    pub(super) long_flags: &'static [&'static str],
    /// Long ones that take a value in the next argument.
    pub(super) long_valued: &'static [&'static str],
}

/// How many arguments at the front are options; `Err` names one whose form is not known.
pub(super) fn skip(options: &Options, args: &[Value]) -> Result<usize, String> {
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        if !arg.is_exact {
            // A value known only later may be an option, its value, or the command.
            return if arg.text.starts_with('-') { Err(arg.text.clone()) } else { Ok(at) };
        }
        let text = arg.text.as_str();
        if text == "--" {
            return Ok(at + 1);
        }
        if text == "-" && options.flags.contains('-') {
            at += 1;
            continue;
        }
        if text == "-" || !text.starts_with('-') {
            return Ok(at);
        }
        at += 1;
        if let Some(long) = text.strip_prefix("--") {
            let name = long.split('=').next().unwrap_or_default();
            let is_attached = long.contains('=');
            if options.long_valued.contains(&name) {
                at += usize::from(!is_attached);
            } else if !is_attached && !options.long_flags.contains(&name) && !matches!(name, "help" | "version") {
                return Err(text.to_owned());
            }
            continue;
        }
        let mut letters = text.chars().skip(1);
        while let Some(letter) = letters.next() {
            if options.valued.contains(letter) {
                at += usize::from(letters.next().is_none());
                break;
            }
            if options.optional.contains(letter) {
                break;
            }
            if !options.flags.contains(letter) {
                return Err(text.to_owned());
            }
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NICE: Options =
        Options { flags: "0123456789", valued: "n", optional: "", long_flags: &[], long_valued: &["adjustment"] };

    #[test]
    fn options_and_their_values_are_skipped() {
        let table = [
            ("sudo id", Ok(0)),
            ("-n 5 sudo", Ok(2)),
            ("-n5 sudo", Ok(1)),
            ("-5 sudo", Ok(1)),
            ("--adjustment 5 sudo", Ok(2)),
            ("--adjustment=5 sudo", Ok(1)),
            ("-- sudo", Ok(1)),
            ("-z sudo", Err("-z".to_owned())),
            ("--odd sudo", Err("--odd".to_owned())),
            ("-n", Ok(2)),
        ];
        for (line, expected) in table {
            let args: Vec<Value> = line.split(' ').map(Value::exact).collect();
            assert_eq!(skip(&NICE, &args), expected, "{line}");
        }
    }
}
