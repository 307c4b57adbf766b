//! Line icons on a 16-unit grid.

use leptos::prelude::*;

macro_rules! icons {
    ($($(#[$doc:meta])* $name:ident = $markup:literal;)*) => {
        $($(#[$doc])* pub const $name: &str = $markup;)*
    };
}

icons! {
    /// Logo of the product.
    LOGO = r#"<circle cx="7" cy="7" r="5.25"/><path d="M10.8 10.8l3.7 3.7M3.8 8h1.9V5.4h2.4v3.3h2.2"/>"#;
    /// Magnifying glass.
    SEARCH = r#"<circle cx="7" cy="7" r="4.25"/><path d="M10.2 10.2l3.3 3.3"/>"#;
    /// Folder.
    OPEN = r#"<path d="M2.5 12.5v-8a1 1 0 011-1h3L8 5h4.5a1 1 0 011 1v6.5a1 1 0 01-1 1h-9a1 1 0 01-1-1z"/>"#;
    MOON = r#"<path d="M13.2 9.6A5.6 5.6 0 016.4 2.8a5.6 5.6 0 106.8 6.8z"/>"#;
    SUN = r#"<circle cx="8" cy="8" r="2.75"/><path d="M8 1.75v1.5M8 12.75v1.5M1.75 8h1.5M12.75 8h1.5M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1"/>"#;
    /// Half disc, for the system's theme.
    HALF = r#"<circle cx="8" cy="8" r="5.75"/><path d="M8 2.25a5.75 5.75 0 010 11.5z" fill="currentColor"/>"#;
    /// Question mark.
    HELP = r#"<circle cx="8" cy="8" r="5.75"/><path d="M6.4 6.3a1.7 1.7 0 113 1.2c-.8.6-1.4 1-1.4 1.8M8 11.3v.01"/>"#;
    /// Cross.
    CLOSE = r#"<path d="M4.5 4.5l7 7M11.5 4.5l-7 7"/>"#;
    /// Funnel, crossed out: excludes.
    EXCLUDE = r#"<path d="M5.8 3.5h7.7l-4 5v2M4 3.5H2.5l4 5v5l2.3-.8M2.5 1.5l11 12"/>"#;
    /// Two arrows in opposite directions.
    SWAP = r#"<path d="M2.75 5.5h10M10 2.75l2.75 2.75L10 8.25M13.25 10.5h-10M6 7.75L3.25 10.5 6 13.25"/>"#;
    /// Arrow that turns left.
    UNDO = r#"<path d="M5.5 3.5L3 6l2.5 2.5M3 6h6.5a3.25 3.25 0 010 6.5H7"/>"#;
    /// Arrow that turns right.
    REDO = r#"<path d="M10.5 3.5L13 6l-2.5 2.5M13 6H6.5a3.25 3.25 0 000 6.5H9"/>"#;
    RIGHT = r#"<path d="M6 3.5L10.5 8 6 12.5"/>"#;
    DOWN = r#"<path d="M4 6l4 4 4-4"/>"#;
    UP = r#"<path d="M4 10l4-4 4 4"/>"#;
    /// Funnel.
    FILTER = r#"<path d="M2.5 3.5h11l-4 5v4l-3 1v-5z"/>"#;
    /// Two sheets.
    COPY = r#"<rect x="5.5" y="5.5" width="8" height="8" rx="1"/><path d="M10.5 5.5v-2a1 1 0 00-1-1h-6a1 1 0 00-1 1v6a1 1 0 001 1h2"/>"#;
    /// Crosshair.
    TARGET = r#"<circle cx="8" cy="8" r="3.75"/><path d="M8 1.75v2.5M8 11.75v2.5M1.75 8h2.5M11.75 8h2.5"/>"#;
    /// Warning triangle.
    WARNING = r#"<path d="M8 2.75l5.75 10.5H2.25zM8 6.75v3M8 11.5v.01"/>"#;
    /// Letter i in a circle.
    INFO = r#"<circle cx="8" cy="8" r="5.75"/><path d="M8 7.5v3.25M8 5.25v.01"/>"#;
    /// Arrow into a tray.
    DROP = r#"<path d="M8 2v7.5M5 6.75L8 9.75l3-3M2.5 9.5v3.5h11V9.5"/>"#;
    SHIELD = r#"<path d="M8 2.25l5 2v3.5c0 3-2.1 5-5 6-2.9-1-5-3-5-6v-3.5z"/>"#;
    PIN = r#"<path d="M6 2.5h4M6.75 2.5v4l-2 2.5h6.5l-2-2.5v-4M8 9v4.5"/>"#;
    /// Lines in a frame.
    TABLE = r#"<path d="M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6"/>"#;
    COLUMNS = r#"<path d="M2.5 3.5h11v9h-11zM6.25 3.5v9M9.75 3.5v9"/>"#;
    /// Hexagon.
    HEX = r#"<path d="M8 2.25l5 2.9v5.7l-5 2.9-5-2.9v-5.7z"/>"#;
    FLAG = r#"<path d="M4 13.5v-11h7.5l-2 2.5 2 2.5H4"/>"#;
    /// Lines of growing length beside an arrow.
    SORT = r#"<path d="M4.5 3v10M2.5 11l2 2 2-2M8.5 4h5M8.5 8h3.5M8.5 12h2"/>"#;
    /// Three dots.
    MORE = r#"<path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.2"/>"#;
    /// Padlock.
    LOCK = r#"<rect x="3.5" y="7" width="9" height="6.5" rx="1"/><path d="M5.5 7V5a2.5 2.5 0 015 0v2"/>"#;
    /// Growing bars.
    QUEUE = r#"<path d="M2.5 13.5V10h2.5v3.5M6.75 13.5V6.5h2.5v7M11 13.5V2.5h2.5v11"/>"#;
    /// Two arrows in a circle.
    RECYCLE = r#"<path d="M3 6.5A5.25 5.25 0 0112.5 5M12.75 2.5V5.25H10M13 9.5A5.25 5.25 0 013.5 11M3.25 13.5v-2.75H6"/>"#;
    /// Chip with pins.
    CHIP = r#"<rect x="4.5" y="4.5" width="7" height="7" rx="1"/><path d="M6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14"/>"#;
    MEMORY = r#"<path d="M2 4.5h12v6.5H2zM4 11v2M6.7 11v2M9.3 11v2M12 11v2M5 7v1.5M8 7v1.5M11 7v1.5"/>"#;
    GLOBE = r#"<circle cx="8" cy="8" r="5.75"/><path d="M2.25 8h11.5M8 2.25c3.5 3.5 3.5 8 0 11.5M8 2.25c-3.5 3.5-3.5 8 0 11.5"/>"#;
    CLOCK = r#"<circle cx="8" cy="8" r="5.75"/><path d="M8 4.5V8l2.5 1.5"/>"#;
    /// Arrow out of a box.
    SHARE = r#"<path d="M8 9.5v-7M5.25 5L8 2.25 10.75 5M5.5 7.25h-2v6.25h9V7.25h-2"/>"#;
}

/// Icon, hidden from screen readers, which read the control around it.
#[component]
pub fn Icon(
    /// Constant of this module.
    shape: &'static str,
    /// Additional classes: `s` and `xs` make it smaller.
    #[prop(default = "")]
    class: &'static str,
) -> impl IntoView {
    view! {
        <svg class=format!("i {class}") viewBox="0 0 16 16" aria-hidden="true" focusable="false" inner_html=shape></svg>
    }
}
