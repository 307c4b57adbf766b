//! Notes: added by keys, restored after a reload, listed, shown and deleted.

use super::{come_back, until_address_has};
use thirtyfour::prelude::*;
use traceglass_e2e::{Page, Step, browser_test};

/// Adds a note about what has the focus, and returns what the editor says about it.
async fn add(page: &Page, text: &str) -> Step<String> {
    page.press("n").await?;
    let about = page.text_when("note-about", |text| text.starts_with("Note about ")).await?;
    page.until("the field has the focus", "return document.activeElement?.dataset.testid === 'note-field'").await?;
    page.press(text).await?;
    page.press(Key::Enter).await?;
    page.until("the editor is closed", "return !document.querySelector('[data-testid=note-editor]')").await?;
    Ok(about)
}

async fn focus(page: &Page, id: &str) -> Step {
    page.find(id).await?;
    page.run(&format!("document.querySelector('[data-testid={id}]').focus()"), []).await?;
    Ok(())
}

/// A moment, a thread, a GC and a time range have notes, whose text is never markup.
#[browser_test]
async fn notes_are_restored_listed_and_deleted(page: &Page) -> Step {
    page.open_orders().await?;
    focus(page, "lanes").await?;
    let moment = add(page, "traffic <b>begins</b>").await?;
    assert!(moment.ends_with(" s"), "{moment}");
    until_address_has(page, "note=at.").await?;
    page.until("the lanes have the focus", "return document.activeElement?.dataset.testid === 'lanes'").await?;
    focus(page, "thread-6712").await?;
    let thread = add(page, "burns the CPU").await?;
    assert!(thread.contains("6712"), "{thread}");
    focus(page, "group-collections").await?;
    page.press(".").await?;
    page.text_when("announce", |text| text.starts_with("GC #")).await?;
    focus(page, "lanes").await?;
    let gc = add(page, "long pause").await?;
    assert!(gc.starts_with("Note about GC #"), "{gc}");
    page.press(Key::Escape).await?;
    page.press("m").await?;
    until_address_has(page, "r0=").await?;
    let range = add(page, "whole run").await?;
    assert!(range.contains('–'), "{range}");
    until_address_has(page, "b=").await?;

    come_back(page).await?;
    let spoken = "return document.querySelector('[data-testid=thread-6712]')?.ariaLabel ?? ''";
    page.until("the thread's head has its note", &format!("{spoken}.endsWith('note: burns the CPU')")).await?;
    page.click("kept").await?;
    page.find("note-text").await?;
    let rows = "return [...document.querySelectorAll('[data-testid=note-text]')].map((field) =>
        `${field.closest('li').querySelector('.num').innerText}: ${field.value}`).join('; ')";
    let rows = page.run(rows, []).await?;
    let about = |words: &str| words.trim_start_matches("Note about ").to_owned();
    let (moment, thread, gc) = (about(&moment), about(&thread), about(&gc));
    let expected = format!("{moment}: traffic <b>begins</b>; {thread}: burns the CPU; {gc}: long pause");
    assert_eq!(rows.as_str(), Some(expected.as_str()));
    let of_range = page.find("bookmark-note").await?.prop("value").await?;
    assert_eq!(of_range.as_deref(), Some("whole run"));
    page.screenshot("notes").await?;
    page.click("note-delete").await?;
    page.until("it is forgotten", "return !location.hash.includes('traffic')").await?;
    page.click_by(By::Css("li:nth-child(2) [data-testid=note-go]")).await?;
    until_address_has(page, "t0=").await
}
