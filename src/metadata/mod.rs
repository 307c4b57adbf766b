//! Metadata tab: header, schemas, sizes, blocks, bytes.

mod blocks;
mod bytes;
mod cost;
mod cursor;
mod facts;
mod hex;
mod offset_field;
mod schema_compare;
mod schema_detail;
mod schema_files;
mod schema_values;
mod schemas;
mod section_head;
mod strip;
mod structure_tree;
mod trace;
mod treemap;

use crate::app::state::page_state::whole_state;
use crate::app::state::{App, Tab};
use crate::widgets::radio_group::Choice;
use blocks::BlocksPane;
use bytes::BytesPane;
use cost::CostPane;
use cursor::FileCursor;
pub use facts::named_values;
use leptos::prelude::*;
use offset_field::OffsetField;
use schemas::Schemas;
use trace::Trace;
use view::keys::keymap::Scope;
use view::url::metadata::{MetadataPart, MetadataView};

whole_state!(MetadataView);

/// Metadata tab.
#[component]
pub fn Metadata() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Metadata);
    let shown = Memo::new(move |_| app.metadata.with(|look| look.part));
    let part_is = move |part| Memo::new(move |_| open.get() && shown.get() == part);
    let (trace, schemas) = (part_is(MetadataPart::Trace), part_is(MetadataPart::Schemas));
    let (cost, blocks, bytes) =
        (part_is(MetadataPart::Cost), part_is(MetadataPart::Blocks), part_is(MetadataPart::Bytes));
    let follows_byte = Memo::new(move |_| blocks.get() || bytes.get());
    let cursor = FileCursor::new(app, follows_byte);
    let can = move |command| follows_byte.get_untracked() && cursor.can(command);
    app.actions.offer(Scope::Bytes, can, move |command| cursor.act(command));
    view! {
        <div class="body" hidden=move || !open.get() data-testid="metadata-panel">
            <div class="tools" role="toolbar" aria-label="Metadata">
                <Choice
                    label="Metadata view"
                    value=shown
                    choose=Callback::new(move |part| app.metadata.update(|look| look.part = part))
                    options=MetadataPart::ALL.into_iter().map(|part| (part, part.title(), testid(part))).collect()
                />
                <span class="sp" hidden=move || !follows_byte.get()><OffsetField cursor/></span>
            </div>
            <div class="body" hidden=move || !trace.get()>{once(trace, move || view! { <Trace open=trace/> }.into_any())}</div>
            <div class="body" hidden=move || !schemas.get()>{once(schemas, move || view! { <Schemas open=schemas/> }.into_any())}</div>
            <div class="body" hidden=move || !cost.get()>{once(cost, move || view! { <CostPane open=cost/> }.into_any())}</div>
            <div class="body" hidden=move || !blocks.get()>{once(blocks, move || view! { <BlocksPane cursor open=blocks/> }.into_any())}</div>
            <div class="body" hidden=move || !bytes.get()>{once(bytes, move || view! { <BytesPane cursor open=bytes/> }.into_any())}</div>
        </div>
    }
}

/// Returns a part that appears when it is first opened, and stays.
fn once(open: Memo<bool>, part: impl Fn() -> AnyView + Copy + Send + 'static) -> impl Fn() -> Option<AnyView> + Copy {
    let due = Memo::new(move |was: Option<&bool>| was.copied().unwrap_or(false) || open.get());
    move || due.get().then(part)
}

fn testid(part: MetadataPart) -> &'static str {
    match part {
        MetadataPart::Trace => "part-trace",
        MetadataPart::Schemas => "part-schemas",
        MetadataPart::Cost => "part-cost",
        MetadataPart::Blocks => "part-blocks",
        MetadataPart::Bytes => "part-bytes",
    }
}

/// Offers commands for opening the parts by name. They also open the tab.
pub fn offer_parts(app: App) {
    for part in MetadataPart::ALL {
        app.actions.on(Scope::Metadata, part.command(), move || {
            app.metadata.update(|look| look.part = part);
            app.tab.set(Tab::Metadata);
        });
    }
}
