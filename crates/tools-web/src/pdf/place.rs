//! Positions of text on a page, as far as they separate words and lines. Rotation is ignored.

/// A scale and a position.
#[derive(Debug, Clone, Copy)]
struct Frame {
    scale: (f64, f64),
    at: (f64, f64),
}

const WHOLE: Frame = Frame { scale: (1.0, 1.0), at: (0.0, 0.0) };

impl Frame {
    fn of(matrix: [f64; 6]) -> Self {
        let upright = |main: f64, cross: f64| main.hypot(cross).copysign(if main == 0.0 { 1.0 } else { main });
        let [x_by_x, y_by_x, x_by_y, y_by_y, x, y] = matrix;
        Self { scale: (upright(x_by_x, y_by_x), upright(y_by_y, x_by_y)), at: (x, y) }
    }

    /// A frame nested in this one.
    fn inner(self, inner: Self) -> Self {
        Self { scale: (self.scale.0 * inner.scale.0, self.scale.1 * inner.scale.1), at: self.point(inner.at) }
    }

    fn point(self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.at.0 + x * self.scale.0, self.at.1 + y * self.scale.1)
    }
}

/// The space between a text and the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    None,
    Space,
    Line,
    /// More space than between two lines.
    Paragraph,
}

#[derive(Debug, Clone)]
pub(super) struct Pen {
    page: Frame,
    saved: Vec<Frame>,
    /// The text matrix at the start of a line.
    line: Frame,
    /// Distance from the start of the line, in text units.
    along: f64,
    leading: f64,
    size: f64,
    /// Position and height of the end of the last text.
    end: Option<((f64, f64), f64)>,
}

/// Maximum number of saved states: no real page nests deeper.
const MAX_SAVED: usize = 64;

impl Pen {
    pub(super) fn new() -> Self {
        Self { page: WHOLE, saved: Vec::new(), line: WHOLE, along: 0.0, leading: 0.0, size: 1.0, end: None }
    }

    pub(super) fn save(&mut self) {
        if self.saved.len() < MAX_SAVED {
            self.saved.push(self.page);
        }
    }

    pub(super) fn restore(&mut self) {
        self.page = self.saved.pop().unwrap_or(self.page);
    }

    pub(super) fn transform(&mut self, matrix: [f64; 6]) {
        self.page = self.page.inner(Frame::of(matrix));
    }

    pub(super) fn begin(&mut self) {
        (self.line, self.along) = (WHOLE, 0.0);
    }

    pub(super) fn set_matrix(&mut self, matrix: [f64; 6]) {
        (self.line, self.along) = (Frame::of(matrix), 0.0);
    }

    pub(super) fn set_size(&mut self, size: f64) {
        self.size = size;
    }

    pub(super) fn set_leading(&mut self, leading: f64) {
        self.leading = leading;
    }

    /// Moves to another line, in text units.
    pub(super) fn move_by(&mut self, x: f64, y: f64) {
        self.line.at = self.line.point((x, y));
        self.along = 0.0;
    }

    pub(super) fn next_line(&mut self) {
        // A font without line spacing still moves to the next line.
        let leading = if self.leading == 0.0 { self.size } else { self.leading };
        self.move_by(0.0, -leading);
    }

    /// Moves along the line, in thousandths of the font size.
    pub(super) fn advance(&mut self, thousandths: f64) {
        self.along += thousandths / 1000.0 * self.size;
    }

    /// The gap between the previous text and one that starts here.
    pub(super) fn gap(&self) -> Gap {
        let Some(((end_x, end_y), height)) = self.end else { return Gap::None };
        let ((x, y), height) = (self.point(), self.height().max(height).max(f64::EPSILON));
        let (right, down) = ((x - end_x) / height, (end_y - y) / height);
        if !right.is_finite() || !down.is_finite() {
            Gap::Space
        } else if down.abs() > 2.0 {
            Gap::Paragraph
        } else if down.abs() > 0.5 {
            Gap::Line
        } else if !(-1.0..=0.15).contains(&right) {
            Gap::Space
        } else {
            Gap::None
        }
    }

    /// Marks the end of a text.
    pub(super) fn ended(&mut self) {
        self.end = Some((self.point(), self.height()));
    }

    fn point(&self) -> (f64, f64) {
        self.page.point(self.line.point((self.along, 0.0)))
    }

    fn height(&self) -> f64 {
        (self.size * self.line.scale.1 * self.page.scale.1).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distance_tells_words_lines_and_paragraphs_apart() {
        let mut pen = Pen::new();
        pen.set_size(10.0);
        assert_eq!(pen.gap(), Gap::None);
        let check = |moves: &dyn Fn(&mut Pen), expected: Gap| {
            let mut pen = pen.clone();
            pen.set_matrix([1.0, 0.0, 0.0, 1.0, 100.0, 700.0]);
            pen.advance(2000.0);
            pen.ended();
            moves(&mut pen);
            assert_eq!(pen.gap(), expected);
        };
        check(&|_| {}, Gap::None);
        check(&|pen| pen.advance(100.0), Gap::None);
        check(&|pen| pen.advance(250.0), Gap::Space);
        check(&|pen| pen.move_by(0.0, -12.0), Gap::Line);
        check(&|pen| pen.next_line(), Gap::Line);
        check(&|pen| pen.move_by(0.0, -40.0), Gap::Paragraph);
        check(&|pen| pen.set_matrix([1.0, 0.0, 0.0, 1.0, 120.0, 700.0]), Gap::None);
        check(&|pen| pen.transform([1.0, 0.0, 0.0, 1.0, 0.0, -300.0]), Gap::Paragraph);
        check(&|pen| pen.set_matrix([f64::NAN; 6]), Gap::Space);
        check(&|pen| pen.set_matrix([f64::MAX, 0.0, 0.0, f64::MAX, f64::MAX, f64::MAX]), Gap::None);
    }

    #[test]
    fn states_are_saved_as_deep_as_there_is_room() {
        let mut pen = Pen::new();
        for _ in 0..1000 {
            pen.save();
            pen.transform([1.0, 0.0, 0.0, 1.0, 1.0, 0.0]);
        }
        (0..2000).for_each(|_| pen.restore());
        assert!(pen.saved.is_empty());
    }
}
