//! Animation frames of several timelines.

use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Script that runs before the page's first script, and counts the lanes that a frame draws.
const WATCH: &str = "
    globalThis.drawn = { most: 0, all: new Set() };
    let inFrame = new Set();
    const clear = CanvasRenderingContext2D.prototype.clearRect;
    CanvasRenderingContext2D.prototype.clearRect = function (...args) {
      if (this.canvas.closest('.lanes')) {
        inFrame.add(this.canvas);
        drawn.all.add(this.canvas);
        drawn.most = Math.max(drawn.most, inFrame.size);
      }
      return clear.apply(this, args);
    };
    const request = requestAnimationFrame.bind(globalThis);
    request(function frame() {
      inFrame.clear();
      request(frame);
    });";

#[browser_test]
async fn timelines_are_drawn_in_same_frame_while_view_moves(page: &Page) -> Step {
    page.before_everything(WATCH)?;
    page.open("").await?;
    let case = |name: &str| fixtures::committed(&format!("cases/two-services-{name}.nettrace"));
    page.open_trace(&case("shop")).await?;
    page.find("lanes").await?;
    page.drop_second_file(&case("payments")).await?;
    page.press("a").await?;
    page.until(
        "the second trace is open",
        "return document.querySelector('[data-testid=trace-1-memory]')?.innerText.endsWith('memory') && drawn.all.size > 1",
    )
    .await?;
    page.until_still().await?;
    let most = page
        .run_async(
            "const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
             const lanes = document.querySelector('[data-testid=lanes]');
             const { left, top } = lanes.getBoundingClientRect();
             drawn.most = 0;
             for (let at = 0; at < 20; at++) {
               const place = { clientX: left + 300, clientY: top + 40, bubbles: true, cancelable: true };
               lanes.dispatchEvent(new WheelEvent('wheel', { ...place, ctrlKey: true, deltaY: -60 }));
               await frame();
             }
             return drawn.most;",
            [],
        )
        .await?;
    assert_eq!(most, 2, "timelines in one frame while the view moves");
    // Each box with its own clip costs time in every frame, so a head has one or two.
    let clips = page
        .run(
            "const clips = (one) => getComputedStyle(one).overflow !== 'visible';
             const heads = [...document.querySelectorAll('.heads .head')];
             const boxes = heads.flatMap((head) => [head, ...head.querySelectorAll('*')]);
             return boxes.filter(clips).length / heads.length",
            [],
        )
        .await?;
    assert!(clips.as_f64().is_some_and(|clips| clips < 2.0), "boxes with a clip per head: {clips}");
    Ok(())
}
