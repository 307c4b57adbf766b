//! Messages to and from the page around the frame.

use js_sys::{JsString, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

/// Version of the messages.
pub const VERSION: u32 = 1;
/// Field that makes an object a message, with its version.
const MARK: &str = "traceglass";

/// Message to the page around the frame.
pub struct Message(Object);

impl Message {
    /// Creates a message of a type.
    pub fn new(kind: &str) -> Self {
        Self(Object::new()).with(MARK, VERSION).with("type", kind)
    }

    /// Adds a field.
    pub fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        // Setting a field of a plain object can't fail.
        let _ = Reflect::set(&self.0, &name.into(), &value.into());
        self
    }

    /// Adds a field with a nested object.
    pub fn with_fields(self, name: &str, fields: &[(&str, JsValue)]) -> Self {
        let object = Object::new();
        for (name, value) in fields {
            // Setting a field of a plain object can't fail.
            let _ = Reflect::set(&object, &(*name).into(), value);
        }
        self.with(name, object)
    }
}

impl From<Message> for JsValue {
    fn from(message: Message) -> Self {
        message.0.into()
    }
}

/// Message from the page around the frame. It is a copy that the browser made, so reading it runs no foreign code.
pub struct Received(JsValue);

impl Received {
    /// Returns the message in the data of an event; `None` if the data is for somebody else.
    pub fn new(data: JsValue) -> Option<Self> {
        let received = Self(data);
        (!received.field(MARK).is_undefined()).then_some(received)
    }

    /// Returns whether the version is supported.
    pub fn is_supported(&self) -> bool {
        self.field(MARK).as_f64() == Some(f64::from(VERSION))
    }

    /// Returns a field; undefined if it is missing.
    pub fn field(&self, name: &str) -> JsValue {
        Reflect::get(&self.0, &name.into()).unwrap_or(JsValue::UNDEFINED)
    }

    /// Returns a text of at most `most` UTF-16 units; `None` if the field is something else.
    pub fn text(&self, name: &str, most: u32) -> Option<String> {
        let field = self.field(name);
        field.dyn_ref::<JsString>().filter(|text| text.length() <= most).map(String::from)
    }

    /// Returns the ID, which answers repeat; undefined if it is neither a short text nor a number.
    pub fn id(&self) -> JsValue {
        const MOST: u32 = 100;
        match (self.text("id", MOST), self.field("id").as_f64()) {
            (Some(text), _) => text.into(),
            (None, Some(number)) => number.into(),
            (None, None) => JsValue::UNDEFINED,
        }
    }
}
