//! Cost of gestures, in counts that don't depend on the machine: requests, and drawing calls.

use serde_json::{Value, json};
use traceglass_e2e::{Page, Step, browser_test, fixtures};

/// Script that runs before the page's first script, and counts requests (by kind, and how many of a kind are pending at
/// once) and canvas calls between two frames.
const COUNT: &str = "
    globalThis.counts = { asked: 0, drawn: 0, mostDrawn: 0, mostAtOnce: 0 };
    const waiting = new Map();
    const Channel = MessageChannel;
    globalThis.MessageChannel = function () {
      const channel = new Channel();
      const post = channel.port1.postMessage.bind(channel.port1);
      channel.port1.postMessage = (message, ...rest) => {
        const ask = Array.isArray(message) && message[0].Ask;
        if (ask) {
          // A request begins with the number of its kind; 6 is lanes.
          const kind = ask.request[0];
          waiting.set(ask.id, kind);
          counts.asked += 1;
          const same = [...waiting.values()].filter((one) => one === kind).length;
          if (kind === 6) counts.mostAtOnce = Math.max(counts.mostAtOnce, same);
        }
        post(message, ...rest);
      };
      channel.port1.addEventListener('message', ({ data }) => waiting.delete(data?.[0]?.id));
      return channel;
    };
    const context = CanvasRenderingContext2D.prototype;
    for (const name of ['fill', 'fillRect', 'stroke', 'strokeRect', 'fillText', 'drawImage', 'clearRect']) {
      const call = context[name];
      context[name] = function (...args) {
        counts.drawn += 1;
        return call.apply(this, args);
      };
    }
    const request = requestAnimationFrame.bind(globalThis);
    request(function frame() {
      counts.mostDrawn = Math.max(counts.mostDrawn, counts.drawn);
      counts.drawn = 0;
      request(frame);
    });";

/// Script that moves for `arguments[0]` frames, one event each, with the wheel or by dragging; counts from the first
/// event until nothing moves.
const MOVE: &str = "
    const [kind, frames] = arguments;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const lanes = document.querySelector('[data-testid=lanes]');
    const { left, top, width, height } = lanes.getBoundingClientRect();
    const place = { clientX: left + width / 2, clientY: top + height / 3, bubbles: true, cancelable: true };
    const pointer = (type, x) =>
      lanes.dispatchEvent(new PointerEvent(type, { ...place, clientX: x, pointerId: 1, button: 0, buttons: 1 }));
    Object.assign(counts, { asked: 0, drawn: 0, mostDrawn: 0, mostAtOnce: 0 });
    if (kind === 'drag') pointer('pointerdown', left + 100);
    for (let at = 0; at < frames; at++) {
      if (kind === 'drag') pointer('pointermove', left + 100 + at * 4);
      else lanes.dispatchEvent(new WheelEvent('wheel', { ...place, ctrlKey: true, deltaY: kind === 'in' ? -60 : 60 }));
      await frame();
    }
    if (kind === 'drag') pointer('pointerup', left + 100 + frames * 4);
    for (let still = 0, asked = counts.asked; still < 40; still++) {
      await frame();
      if (counts.asked !== asked) [still, asked] = [0, counts.asked];
    }
    return counts;";

/// Frames of a gesture: one second.
const FRAMES: u64 = 60;
/// Maximum number of requests of panels after a time range was selected: a few each.
const PANELS: u64 = 12;

async fn count(page: &Page, gesture: &str) -> Step<Value> {
    page.run_async(MOVE, [json!(gesture), json!(FRAMES)]).await
}

#[browser_test]
async fn gesture_sends_few_requests_and_frame_draws_little(page: &Page) -> Step {
    page.before_everything(COUNT)?;
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.text_when("event-count", |text| text == "26,800").await?;
    page.find("lanes").await?;
    for (gesture, most_asked) in [("in", 2 * FRAMES), ("out", 2 * FRAMES), ("drag", FRAMES + PANELS)] {
        let counts = count(page, gesture).await?;
        println!("{gesture}: {counts}");
        let number = |name: &str| counts[name].as_u64().unwrap_or(u64::MAX);
        assert!(number("asked") <= most_asked, "{gesture} asks at most {most_asked} times: {counts}");
        assert!(number("mostAtOnce") <= 1, "one question about threads at a time: {counts}");
        // Rectangles of one color are one call: the count depends on what is visible, not on what is loaded.
        assert!((1..=2500).contains(&number("mostDrawn")), "calls of a frame: {counts}");
    }
    Ok(())
}

/// The scripts of the measurements send messages to the worker themselves, which it must understand.
#[browser_test]
async fn measurement_requests_are_answered(page: &Page) -> Step {
    page.before_everything(include_str!("../../../src/bin/watch.js"))?;
    page.open("").await?;
    page.open_trace(&fixtures::unpacked("orders-net31.nettrace")?).await?;
    page.until("everything is answered", "return seen.complete !== null").await?;
    let figures = page
        .run_async(
            concat!(include_str!("../../../src/bin/written.js"), include_str!("../../../src/bin/questions.js")),
            [],
        )
        .await?;
    let all_are_times = |figures: &serde_json::Map<String, Value>| figures.values().all(|ms| ms.as_f64().is_some());
    assert!(figures.as_object().is_some_and(|all| all.len() >= 10 && all_are_times(all)), "{figures}");
    Ok(())
}
