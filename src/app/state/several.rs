//! Traces that share the timeline: closing one of them.

use super::{App, Screen};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

impl App {
    /// Closes this trace and keeps the others. If it is the first one, the next open one takes its place.
    pub fn close_one(self) {
        let next = untrack(|| self.traces.all())
            .into_iter()
            .find(|app| app.number != self.number && app.screen.with_untracked(|screen| *screen == Screen::Workspace));
        match (self.number, next) {
            (0, Some(next)) => self.take_over(next),
            _ => self.close(),
        }
    }

    /// Shows an added trace as the first one. Its worker keeps it open.
    fn take_over(self, next: App) {
        let (Some(summary), Some(source)) = (next.trace.get_untracked(), next.source()) else { return self.close() };
        let (before, client) = (self.client(), next.client());
        before.close();
        before.drop_waiting();
        client.drop_waiting();
        self.traces.rebase(next);
        self.traces.forget(next);
        self.traces.forget_requests(self);
        self.watch(&client);
        self.opening.attempt.update_value(|attempt| *attempt += 1);
        let attempt = self.opening.attempt.get_value();
        self.screen.set(Screen::Loading);
        self.close_other();
        self.reset();
        next.reset();
        self.client.set_value(client);
        self.opening.source.set_value(Some(source));
        self.opening.opened.set(next.opening.opened.get_untracked());
        spawn_local(async move {
            let shown = self.show((*summary).clone(), move || self.opening.attempt.get_value() == attempt).await;
            if let Err(failure) = shown {
                self.screen.set(Screen::Failed(failure));
            }
        });
    }
}
