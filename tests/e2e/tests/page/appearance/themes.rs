//! Light and dark themes by the button and by the system's setting, more contrast, forced colors, and reduced motion.

use serde_json::Value;
use traceglass_e2e::{Need, Page, Step, Trouble, browser_test};

/// Returns the brightness of the page's background, from 0 to 255.
async fn ground(page: &Page) -> Step<f64> {
    let script =
        "const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
        return (red + green + blue) / 3";
    page.run(script, []).await?.as_f64().ok_or_else(|| Trouble("no ground".to_owned()))
}

async fn is_dark(page: &Page) -> Step<bool> {
    Ok(ground(page).await? < 64.0)
}

/// Returns the text of the theme button.
async fn button(page: &Page) -> Step<String> {
    let name = page.find("theme").await?.attr("aria-label").await?;
    Ok(name.unwrap_or_default())
}

/// Presses the button until it shows a theme.
async fn press_until(page: &Page, theme: &str) -> Step {
    page.click("theme").await?;
    page.until(
        theme,
        &format!(
            "return document.querySelector('[data-testid=theme]').ariaLabel === 'Toggle theme, now {theme} (Shift T)'"
        ),
    )
    .await?;
    page.text_when("announce", |text| text == format!("Theme: {theme}.")).await?;
    Ok(())
}

/// Returns the picture of the timeline, which is redrawn for another theme.
async fn picture(page: &Page) -> Step<Value> {
    page.run("return document.querySelector('[data-testid=lanes] canvas, canvas[data-testid=lanes]').toDataURL()", [])
        .await
}

async fn drawn_after(page: &Page, before: &Value) -> Step<Value> {
    let script = "return document.querySelector('[data-testid=lanes] canvas, canvas[data-testid=lanes]').toDataURL() !== arguments[0]";
    let start = std::time::Instant::now();
    while page.run(script, [before.clone()]).await? != true {
        if start.elapsed() > std::time::Duration::from_secs(20) {
            return Err(Trouble("the timeline is not drawn anew".to_owned()));
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    picture(page).await
}

#[browser_test]
async fn theme_button_choice_is_saved_but_not_in_links(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.until_still().await?;
    let (hash, system) = (page.hash().await?, picture(page).await?);
    assert_eq!(button(page).await?, "Toggle theme, now system (Shift T)");
    press_until(page, "light").await?;
    assert!(!is_dark(page).await?);
    press_until(page, "dark").await?;
    assert!(is_dark(page).await?);
    let dark = drawn_after(page, &system).await?;
    assert_eq!(page.hash().await?, hash, "a link shows others nothing of it");

    page.reload().await?;
    assert!(is_dark(page).await?);
    page.open_orders().await?;
    assert_eq!(button(page).await?, "Toggle theme, now dark (Shift T)");
    assert!(is_dark(page).await?);
    page.find("lanes").await?;
    page.until_still().await?;
    press_until(page, "system").await?;
    assert!(!is_dark(page).await?);
    drawn_after(page, &dark).await?;
    page.reload().await?;
    assert!(!is_dark(page).await?);
    Ok(())
}

#[browser_test(needs(Need::SystemLooks))]
async fn theme_follows_system_until_chosen(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.until_still().await?;
    let light = picture(page).await?;
    page.prefer_theme("dark", false).await?;
    assert!(is_dark(page).await?);
    let dark = drawn_after(page, &light).await?;
    press_until(page, "light").await?;
    assert!(!is_dark(page).await?, "what was chosen counts");
    drawn_after(page, &dark).await?;
    page.prefer_theme("light", false).await?;
    press_until(page, "dark").await?;
    assert!(is_dark(page).await?);
    press_until(page, "system").await?;
    assert!(!is_dark(page).await?);
    Ok(())
}

#[browser_test(needs(Need::SystemLooks))]
async fn more_contrast_follows_system(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.until_still().await?;
    // Contrast of a dropdown's border with the background.
    let line = "const [line, ground] = [getComputedStyle(document.querySelector('[data-testid=theme]')).color,
            getComputedStyle(document.body).backgroundColor]
          .map((color) => color.match(/[0-9.]+/g).slice(0, 3).map(Number).reduce((sum, part) => sum + part) / 3);
        return Math.abs(line - ground)";
    for theme in ["light", "dark"] {
        page.prefer_theme(theme, false).await?;
        let usual = page.run(line, []).await?.as_f64().unwrap_or(0.0);
        let before = picture(page).await?;
        page.prefer_theme(theme, true).await?;
        let more = page.run(line, []).await?.as_f64().unwrap_or(0.0);
        assert!(more > usual + 10.0, "{theme}: {usual}, then {more}");
        drawn_after(page, &before).await?;
    }
    page.prefer_theme("light", true).await?;
    press_until(page, "light").await?;
    press_until(page, "dark").await?;
    assert!(is_dark(page).await?, "a chosen theme has its own colors with more contrast");
    Ok(())
}

/// With forced colors, the page has the system's colors, and the selection is still visible.
#[browser_test(needs(Need::SystemLooks))]
async fn forced_colors_replace_page_colors(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    page.until_still().await?;
    let before = picture(page).await?;
    page.emulate_media(&[("forced-colors", "active"), ("prefers-color-scheme", "dark")]).await?;
    page.until("colours are forced", "return matchMedia('(forced-colors: active)').matches").await?;
    drawn_after(page, &before).await?;
    let same = "const probe = document.createElement('i');
        probe.style.cssText = 'background: Canvas; color: CanvasText; forced-color-adjust: none';
        document.body.append(probe);
        const { backgroundColor, color } = getComputedStyle(probe);
        probe.remove();
        const body = getComputedStyle(document.body);
        return body.backgroundColor === backgroundColor && body.color === color";
    assert_eq!(page.run(same, []).await?, true, "ground and text are the system's");
    let tabs = "const looks = (tab) => ['backgroundColor', 'color', 'borderTopColor', 'borderBottomColor', 'boxShadow', 'fontWeight', 'outlineStyle']
            .map((name) => getComputedStyle(tab)[name]).join();
        const [chosen, other] = ['true', 'false'].map((is) => document.querySelector(`[role=tab][aria-selected=${is}]`));
        return looks(chosen) !== looks(other)";
    assert_eq!(page.run(tabs, []).await?, true, "the open tab is recognizable");
    page.screenshot("forced-colors").await
}

/// With reduced motion, nothing slides, rotates or fades.
#[browser_test(needs(Need::SystemLooks))]
async fn reduced_motion_disables_animations(page: &Page) -> Step {
    page.open_orders().await?;
    page.find("lanes").await?;
    let moving = "const longest = (text) => Math.max(...text.split(',').map(parseFloat));
        return [...document.querySelectorAll('*')].filter((one) => {
          const look = getComputedStyle(one);
          return longest(look.transitionDuration) > 0 || look.animationName !== 'none' && longest(look.animationDuration) > 0
            || look.scrollBehavior === 'smooth';
        }).map((one) => one.outerHTML.slice(0, 100))";
    let usual = page.run(moving, []).await?;
    assert!(usual.as_array().is_some_and(|all| !all.is_empty()), "otherwise something does");
    page.emulate_media(&[("prefers-reduced-motion", "reduce")]).await?;
    page.until("less motion is wanted", "return matchMedia('(prefers-reduced-motion: reduce)').matches").await?;
    for tab in ["summary", "stacks", "events", "metadata", "exceptions"] {
        page.click(&format!("tab-{tab}")).await?;
        assert_eq!(page.run(moving, []).await?, serde_json::json!([]), "{tab}");
    }
    Ok(())
}
