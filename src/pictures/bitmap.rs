//! Bitmaps of pictures.

use super::svg_blob;
use leptos::prelude::{document, window};
use view::draw::svg::sheet::Picture;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};
use web_sys::{Blob, CanvasRenderingContext2d, HtmlCanvasElement, HtmlImageElement, Url};

#[wasm_bindgen]
extern "C" {
    /// Item of the clipboard, whose content may be a promise.
    type ClipboardItem;

    #[wasm_bindgen(constructor, catch)]
    fn new(content: &js_sys::Object) -> Result<ClipboardItem, JsValue>;

    /// Clipboard: the used part.
    type PictureClipboard;

    #[wasm_bindgen(method, catch)]
    async fn write(this: &PictureClipboard, items: &js_sys::Array) -> Result<JsValue, JsValue>;
}

/// Returns the content of a PNG file.
///
/// # Errors
/// Fails if the browser can't draw the picture.
pub async fn png(picture: &Picture) -> Result<Blob, JsValue> {
    let url = Url::create_object_url_with_blob(&svg_blob(&picture.svg)?)?;
    let drawn = draw(picture, &url).await;
    Url::revoke_object_url(&url)?;
    let canvas = drawn?;
    let content = js_sys::Promise::new(&mut |resolve, reject| {
        if let Err(error) = canvas.to_blob(&resolve) {
            // A promise that can't be rejected has been settled.
            let _ = reject.call1(&JsValue::UNDEFINED, &error);
        }
    });
    // `null` if the canvas is too large.
    JsFuture::from(content).await?.dyn_into()
}

async fn draw(picture: &Picture, url: &str) -> Result<HtmlCanvasElement, JsValue> {
    let image = HtmlImageElement::new()?;
    image.set_src(url);
    JsFuture::from(image.decode()).await?;
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.dyn_into()?;
    let (width, height) = (picture.width * picture.scale(), picture.height * picture.scale());
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context = canvas.get_context("2d")?.ok_or(JsValue::NULL)?.dyn_into::<CanvasRenderingContext2d>()?;
    context.draw_image_with_html_image_element_and_dw_and_dh(&image, 0.0, 0.0, width, height)?;
    Ok(canvas)
}

/// Copies a bitmap of the picture.
///
/// # Errors
/// Fails if the browser blocks access to the clipboard, or can't draw the picture.
pub async fn copy(picture: Picture) -> Result<(), JsValue> {
    let clipboard = window().navigator().clipboard();
    // Pages from hosts without TLS have no clipboard.
    if clipboard.is_undefined() {
        return Err(JsValue::UNDEFINED);
    }
    // Safari accepts the item only during the click, so the bitmap follows later.
    let content = future_to_promise(async move { Ok(png(&picture).await?.into()) });
    let parts = js_sys::Object::new();
    js_sys::Reflect::set(&parts, &"image/png".into(), &content)?;
    let item = ClipboardItem::new(&parts)?;
    clipboard.unchecked_into::<PictureClipboard>().write(&js_sys::Array::of1(&item)).await?;
    Ok(())
}
