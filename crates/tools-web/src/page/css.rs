//! Values of CSS, parsed with cssparser; functions such as `calc` are evaluated.

use cssparser::{ParseError, Parser, Token};

/// A part of a value.
pub(super) enum Value {
    Word(String),
    Hash(String),
    Amount(Amount),
    Sign(char),
    Call(String, Vec<Self>),
    /// A string, a URL, a time or an angle.
    Other,
}

/// A number with its unit, or a sum of several.
#[derive(Clone, Copy, Default)]
pub(super) struct Amount {
    pub(super) plain: f32,
    pub(super) px: f32,
    pub(super) percent: f32,
}

impl Amount {
    const fn plain(plain: f32) -> Self {
        Self { plain, px: 0.0, percent: 0.0 }
    }

    fn of_unit(value: f32, unit: &str) -> Option<Self> {
        let factor = match unit.to_ascii_lowercase().as_str() {
            "px" => 1.0,
            "em" | "rem" | "ic" | "ric" | "cap" | "rcap" | "lh" | "rlh" | "pc" => 16.0,
            "ex" | "rex" | "ch" | "rch" => 8.0,
            "in" => 96.0,
            "cm" => 37.8,
            "mm" => 3.78,
            "q" => 0.945,
            "pt" => 1.333,
            unit if unit.starts_with("cq") || unit.contains('v') => 10.0,
            _ => return None,
        };
        Some(Self { px: value * factor, ..Self::default() })
    }

    fn plus(self, other: Self) -> Self {
        let (plain, px) = (self.plain + other.plain, self.px + other.px);
        Self { plain, px, percent: self.percent + other.percent }
    }

    fn times(self, factor: f32) -> Self {
        Self { plain: self.plain * factor, px: self.px * factor, percent: self.percent * factor }
    }

    /// The value as a length. A number without a unit is a length only in old pages, so it counts
    /// only when it is not positive: such a length may hide.
    pub(super) fn length(self, px_of_percent: f32) -> Option<f32> {
        let px = self.px + self.percent * px_of_percent + self.plain;
        // In CSS, a result that is not a number counts as 0.
        (self.plain <= 0.0).then_some(if px.is_nan() { 0.0 } else { px.clamp(-1e7, 1e7) })
    }

    /// The value as a fraction: 1 is 100%.
    pub(super) fn share(self) -> Option<f32> {
        let share = self.plain + self.percent / 100.0;
        (self.px == 0.0).then_some(if share.is_nan() { 0.0 } else { share })
    }
}

/// Reads a value to its end.
pub(super) fn read(input: &mut Parser<'_>) -> Result<Vec<Value>, ParseError<()>> {
    let mut values = Vec::new();
    while let Ok(token) = input.next().cloned() {
        let value = match token {
            Token::Ident(word) => Value::Word(word.to_ascii_lowercase()),
            Token::Hash(digits) | Token::IDHash(digits) => Value::Hash(digits.to_string()),
            Token::Number { value, .. } => Value::Amount(Amount::plain(value)),
            Token::Percentage { unit_value, .. } => {
                Value::Amount(Amount { percent: unit_value * 100.0, ..Amount::default() })
            }
            Token::Dimension { value, unit, .. } => Amount::of_unit(value, &unit).map_or(Value::Other, Value::Amount),
            Token::Delim(sign) => Value::Sign(sign),
            Token::Comma => Value::Sign(','),
            Token::Function(name) => {
                let mut inside = input.parse_nested_block(read)?;
                let name = name.to_ascii_lowercase();
                if matches!(name.as_str(), "var" | "env") {
                    // The value of the variable is not known, so its fallback is used.
                    let comma = inside.iter().position(|value| matches!(value, Value::Sign(',')));
                    values.extend(inside.drain(comma.map_or(inside.len(), |at| at + 1)..));
                    continue;
                }
                computed(name, inside)
            }
            Token::ParenthesisBlock => computed("calc".to_owned(), input.parse_nested_block(read)?),
            Token::QuotedString(_) | Token::UnquotedUrl(_) | Token::SquareBracketBlock => Value::Other,
            _ => return Err(ParseError::unexpected_token()),
        };
        values.push(value);
    }
    Ok(values)
}

/// A function, evaluated where possible.
fn computed(name: String, inside: Vec<Value>) -> Value {
    let list = || inside.split(|value| matches!(value, Value::Sign(','))).map(sum).collect::<Option<Vec<_>>>();
    let size = |amount: &Amount| amount.plain + amount.px + amount.percent * 10.0;
    let smaller = |a: Amount, b: Amount| if size(&b) < size(&a) { b } else { a };
    let larger = |a: Amount, b: Amount| if size(&b) > size(&a) { b } else { a };
    let amount = match name.trim_start_matches("-webkit-") {
        "calc" => sum(&inside),
        "min" => list().and_then(|list| list.into_iter().reduce(smaller)),
        "max" => list().and_then(|list| list.into_iter().reduce(larger)),
        "clamp" => list().and_then(|list| match list.as_slice() {
            [least, wanted, most] => Some(larger(smaller(*wanted, *most), *least)),
            _ => None,
        }),
        _ => None,
    };
    amount.map_or_else(|| Value::Call(name, inside), Value::Amount)
}

fn sum(values: &[Value]) -> Option<Amount> {
    let mut total = Amount::default();
    let mut from = 0;
    let mut sign = 1.0;
    for at in 1..=values.len() {
        let next = match values.get(at) {
            None => 0.0,
            Some(Value::Sign('+')) => 1.0,
            Some(Value::Sign('-')) => -1.0,
            Some(_) => continue,
        };
        total = total.plus(product(&values[from..at])?.times(sign));
        (from, sign) = (at + 1, next);
    }
    (from > values.len()).then_some(total)
}

fn product(values: &[Value]) -> Option<Amount> {
    let factor = |value: &Value| match value {
        Value::Amount(amount) => Some(*amount),
        Value::Word(word) if word == "infinity" => Some(Amount::plain(1e9)),
        Value::Word(word) if word == "-infinity" => Some(Amount::plain(-1e9)),
        _ => None,
    };
    let (first, rest) = values.split_first()?;
    let mut product = factor(first)?;
    for pair in rest.chunks(2) {
        let [Value::Sign(sign), value] = pair else { return None };
        let by = factor(value)?;
        product = match sign {
            '*' if product.px == 0.0 && product.percent == 0.0 => by.times(product.plain),
            '*' => product.times(by.plain),
            '/' => product.times((1.0 / by.plain).clamp(-1e9, 1e9)),
            _ => return None,
        };
    }
    Some(product)
}
