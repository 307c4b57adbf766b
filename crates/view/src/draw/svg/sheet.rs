//! Sheet of a picture: title, lines of facts, parts, legend.

use super::legend::{self, Entry};
use super::markup::{Area, Escaped, Number, Paint, Point, append};
use super::painter::{SvgPainter, define};
use super::shapes::PlainText;
use super::theme::Theme;
use super::widths::wrapped;
use crate::draw::drawlist::{Align, Painter};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::fit;
use crate::draw::units::{CssPx, Rect};

/// Margin around everything, and between parts.
pub const MARGIN: CssPx = 16.0;
const GAP: CssPx = 8.0;
const TITLE_PX: CssPx = 15.0;
const FACT_PX: CssPx = 11.0;
/// Heights of the lines of title and facts.
const TITLE_LINE: CssPx = 20.0;
const FACT_LINE: CssPx = 17.0;
const FONT: &str = "system-ui, sans-serif";

/// Complete picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Picture {
    pub svg: String,
    pub width: CssPx,
    pub height: CssPx,
}

impl Picture {
    /// Returns the number of device pixels per pixel for a bitmap: 2, or fewer if a bitmap would be larger than
    /// browsers accept.
    pub fn scale(&self) -> f64 {
        const SCALE: f64 = 2.0;
        const MAX_PIXELS: f64 = 16_000_000.0;
        const MAX_SIDE: f64 = 16_000.0;
        let by_area = (MAX_PIXELS / (self.width * self.height).max(1.0)).sqrt();
        let by_side = MAX_SIDE / self.width.max(self.height).max(1.0);
        SCALE.min(by_area).min(by_side)
    }
}

/// Sheet to which parts are added from top to bottom.
pub struct Sheet<'a> {
    theme: &'a Theme,
    width: CssPx,
    bottom: CssPx,
    body: String,
    patterns: Vec<Fill>,
    clips: usize,
    title: String,
    description: String,
}

impl<'a> Sheet<'a> {
    /// Begins a sheet whose parts are `width` wide, with a title and lines of facts.
    pub fn new(theme: &'a Theme, width: CssPx, title: &str, facts: &[String]) -> Self {
        let mut sheet = Self {
            theme,
            width,
            bottom: MARGIN,
            body: String::new(),
            patterns: Vec::new(),
            clips: 0,
            title: title.to_owned(),
            description: facts.join(". "),
        };
        sheet.line(title, (TITLE_PX, 600, TITLE_LINE), Token::Text);
        for fact in facts {
            sheet.line(fact, (FACT_PX, 400, FACT_LINE), Token::Text2);
        }
        sheet.bottom += GAP;
        sheet
    }

    fn line(&mut self, text: &str, (size, weight, height): (CssPx, u16, CssPx), ink: Token) {
        let character = self.theme.characters.normal * size / FACT_PX;
        self.put(&fit(text, self.width, character), (size, weight, height), ink);
    }

    fn put(&mut self, text: &str, (size, weight, height): (CssPx, u16, CssPx), ink: Token) {
        let (x, y, color) = (MARGIN, self.bottom + size, self.theme.color(ink));
        PlainText { text, x, y, size, weight, color, align: Align::Start }.append(&mut self.body);
        self.bottom += height;
    }

    /// Adds a heading above the next part.
    pub fn heading(&mut self, text: &str) {
        self.line(text, (FACT_PX, 600, FACT_LINE), Token::Text);
    }

    /// Adds space between parts.
    pub fn space(&mut self) {
        self.bottom += GAP;
    }

    /// Adds a part, in which shapes are drawn from its upper left corner and clipped at its edges. Parts of one row
    /// have positions to the right of each other; `end_row` begins the next row.
    pub fn part(&mut self, x: CssPx, (width, height): (CssPx, CssPx), draw: impl FnOnce(&mut SvgPainter<'_>)) {
        self.clips += 1;
        let (id, corner) = (self.clips, Point(MARGIN + x, self.bottom));
        let area = Area(Rect::new(0.0, 0.0, width, height));
        append!(&mut self.body, r#"<clipPath id="part-{id}"><rect{area}/></clipPath>"#);
        append!(&mut self.body, r#"<g transform="translate({corner})"><g clip-path="url(#part-{id})">"#);
        draw(&mut SvgPainter { out: &mut self.body, theme: self.theme, patterns: &mut self.patterns });
        self.body.push_str("</g></g>");
    }

    /// Ends a row of parts of a height.
    pub fn end_row(&mut self, height: CssPx) {
        self.bottom += height;
    }

    /// Draws a line around everything that was added since a position.
    pub fn frame(&mut self, top: CssPx) {
        let area = Rect::new(MARGIN - 1.0, top - 1.0, self.width + 2.0, self.bottom - top + 2.0);
        let mut painter = SvgPainter { out: &mut self.body, theme: self.theme, patterns: &mut self.patterns };
        painter.outlines(Token::Line, 1.0, &[area]);
    }

    /// Returns the position of the next part.
    pub fn bottom(&self) -> CssPx {
        self.bottom
    }

    /// Adds a legend.
    pub fn legend(&mut self, entries: &[Entry]) {
        let (width, character) = (self.width, self.theme.characters.normal);
        let height = legend::height(entries, width, character);
        if height > 0.0 {
            self.bottom += GAP;
            self.part(0.0, (width, height), |painter| legend::paint(painter, entries, width, character));
            self.end_row(height);
        }
    }

    /// Adds notes below a heading, each in as many lines as it needs.
    pub fn notes(&mut self, notes: &[String]) {
        if notes.is_empty() {
            return;
        }
        self.space();
        self.heading("Notes");
        for note in notes {
            for line in wrapped(note, self.width, self.theme.characters.normal) {
                self.put(&line, (FACT_PX, 400, FACT_LINE), Token::Text2);
            }
        }
    }

    pub fn finish(self) -> Picture {
        let (width, height) = ((self.width + 2.0 * MARGIN).ceil(), (self.bottom + MARGIN).ceil());
        let size = Area(Rect::new(0.0, 0.0, width, height));
        let (w, h) = (Number(width), Number(height));
        let mut svg = String::with_capacity(self.body.len() + 2_000);
        append!(&mut svg, r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}""#);
        append!(&mut svg, r#" role="img" font-family="{FONT}"><title>{}</title>"#, Escaped(&self.title));
        append!(&mut svg, "<desc>{}</desc><defs>", Escaped(&self.description));
        for fill in self.patterns {
            define(&mut svg, self.theme, fill);
        }
        append!(&mut svg, "</defs><rect{size}{}/>", Paint("fill", self.theme.color(Token::Panel)));
        svg.push_str(&self.body);
        svg.push_str("</svg>\n");
        Picture { svg, width, height }
    }
}
