//! Checks accessibility rules with axe-core.

use crate::page::Page;
use crate::{Need, SIZES, Step, Trouble};
use std::sync::OnceLock;
use xtask::browser::Engine;

/// Themes, without and with more contrast. A full run checks all four. Otherwise each place is checked in one of the first
/// two, because most colors are in many places: each theme takes minutes.
const THEMES: [(&str, bool); 4] = [("light", false), ("dark", false), ("light", true), ("dark", true)];

/// Script that applies the rules; returns the number of rules that passed, the minimum of that number, and the
/// violations.
///
/// A theme changes only colors and lines. Rules about names, roles and structure have the same result in all themes
/// while the same elements with the same attributes are visible: then only rules about styles are applied, otherwise
/// all.
const LOOK: &str = "
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})));
    const isSeen = (one) => {
      const { right, bottom, width, height } = one.getBoundingClientRect();
      return one.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && right > 0 && bottom > 0 && width > 0 && height > 0;
    };
    const structure = [document.title, document.body.outerHTML,
      ...[...document.querySelectorAll('body *')].map((one) => Number(isSeen(one)))].join('');
    const isSame = structure === window.structureLookedAt;
    window.structureLookedAt = structure;
    const ofStyles =
      ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable', 'css-orientation-lock'];
    const which = isSame ? { runOnly: ofStyles } : { rules: { 'target-size': { enabled: true } } };
    const { violations, passes } = await axe.run(document, { resultTypes: ['violations'], elementRef: true, ...which });
    // The grid around it has the focus and scrolls it: arrows, page keys, Home and End.
    const scrollsByGrid = ({ id }, { element }) =>
      id === 'scrollable-region-focusable' && element.matches('[role$=grid][tabindex=\"0\"] > .viewport');
    // Elements that the pointer can't reach aren't targets: keys operate them, and the pointer operates the canvas.
    const isForKeys = ({ id }, { element }) =>
      id === 'target-size' && getComputedStyle(element).pointerEvents === 'none';
    for (const violation of violations)
      violation.nodes = violation.nodes.filter((node) =>
        !scrollsByGrid(violation, node) && !isForKeys(violation, node));
    return { passed: passes.length, least: isSame ? 1 : 6, found: violations.map(({ id, nodes }) => [id, nodes.map((node) =>
      node.target.join(' ') + ' ' + node.any.concat(node.all).map(({ message }) => message).join('; '))]) };";

/// Returns the script of axe-core: `Need::Axe`.
///
/// # Errors
/// Fails if there is no script.
fn rules() -> Step<&'static str> {
    static RULES: OnceLock<String> = OnceLock::new();
    if RULES.get().is_none() {
        let path = std::env::var_os("TRACEGLASS_AXE").ok_or_else(|| Trouble("no axe-core".to_owned()))?;
        let script = std::fs::read_to_string(path).map_err(|error| Trouble(format!("axe-core: {error}")))?;
        // Two threads may read it; both results are the same.
        let _ = RULES.set(script);
    }
    Ok(RULES.get().map(String::as_str).unwrap_or_default())
}

/// Returns whether axe-core is available, for tests that check accessibility among other things.
pub fn can_look() -> bool {
    Need::Axe.missing_in(Engine::chosen()).is_none()
}

/// Checks the visible page in its themes, and returns one line per violation. If `TRACEGLASS_LOOKS` is set, also saves
/// pictures for review (Chromium only).
///
/// # Errors
/// Fails if the browser is gone.
///
/// # Panics
/// Panics if no rules were applied.
pub async fn violations(page: &Page, place: &str) -> Step<Vec<String>> {
    if page.run("return !!globalThis.axe", []).await? != true {
        page.run(rules()?, []).await?;
    }
    page.run("window.structureLookedAt = null", []).await?;
    let mut found = Vec::new();
    let is_full = Need::Full.missing_in(Engine::chosen()).is_none();
    let first = place.len() % 2;
    let themes = match (is_full, Engine::chosen()) {
        (true, Engine::Chromium) => &THEMES[..],
        // Other drivers can't change the contrast.
        (true, _) => &THEMES[..2],
        _ => &THEMES[first..=first],
    };
    for (theme, more_contrast) in themes.iter().copied() {
        page.prefer_theme(theme, more_contrast).await?;
        let violations = page.run_async(LOOK, []).await?;
        assert!(violations["passed"].as_u64() >= violations["least"].as_u64(), "rules were applied: {violations}");
        let look = look(theme, more_contrast);
        for violation in violations["found"].as_array().into_iter().flatten() {
            for node in violation[1].as_array().into_iter().flatten() {
                let node = node.as_str().unwrap_or_default();
                found.push(format!("{place}, {look}: {}: {node}", violation[0]));
            }
        }
    }
    if keeps_pictures() {
        keep_pictures(page, place).await?;
    }
    Ok(found)
}

/// Returns whether pictures are saved: other drivers can't resize windows.
fn keeps_pictures() -> bool {
    Engine::chosen() == Engine::Chromium && std::env::var_os("TRACEGLASS_LOOKS").is_some()
}

/// Resizes the window for the first pictures, if there are any: menus close when the window is resized, and can be
/// opened afterwards.
///
/// # Errors
/// Fails if the browser refuses.
pub async fn begin_pictures(page: &Page) -> Step {
    if keeps_pictures() { page.resize(SIZES[0]).await } else { Ok(()) }
}

fn look(theme: &str, more_contrast: bool) -> String {
    format!("{theme}{}", if more_contrast { " with more contrast" } else { "" })
}

/// Saves a picture of the page in every theme and size of the window, beginning with the default size, because menus
/// close when the window is resized.
async fn keep_pictures(page: &Page, place: &str) -> Step {
    for size in SIZES {
        page.resize(size).await?;
        for (theme, more_contrast) in THEMES {
            page.prefer_theme(theme, more_contrast).await?;
            let look = look(theme, more_contrast);
            page.screenshot(&format!("{place}-{}-{look}", size.0).replace([' ', ','], "-")).await?;
        }
    }
    page.resize(SIZES[0]).await
}

/// Checks that there are no violations.
///
/// # Errors
/// Never fails; the type suits the end of tests.
///
/// # Panics
/// Panics with all violations.
pub fn none(found: Vec<String>) -> Step {
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
    Ok(())
}
