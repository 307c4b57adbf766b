//! Shapes of JSON values, and their schemas.

use protocol::export::Json;

/// Shape of a JSON value.
pub(super) enum Shape {
    Text,
    /// One of some words.
    Word(&'static [&'static str]),
    /// Integer, as a string of digits beyond 2⁵³.
    Integer,
    /// Number; NaN and infinities are strings.
    Number,
    Boolean,
    /// Any object.
    Anything,
    OrNull(&'static Shape),
    Either(&'static [Shape]),
    List(&'static Shape),
    /// Object with any names.
    Map(&'static Shape),
    /// Object with these members.
    Object(&'static [Member]),
    /// Object with these members, and others of one shape.
    Open(&'static [Member], &'static Shape),
}

/// Member of an object.
pub(super) struct Member {
    name: &'static str,
    shape: Shape,
    is_optional: bool,
    description: &'static str,
}

impl Member {
    /// Returns the member as one that may be missing.
    pub(super) const fn optional(self) -> Self {
        let Self { name, shape, description, .. } = self;
        Self { name, shape, is_optional: true, description }
    }
}

/// Declares a member.
pub(super) const fn member(name: &'static str, shape: Shape, description: &'static str) -> Member {
    Member { name, shape, is_optional: false, description }
}

pub(super) const fn text(name: &'static str, description: &'static str) -> Member {
    member(name, Shape::Text, description)
}

pub(super) const fn integer(name: &'static str, description: &'static str) -> Member {
    member(name, Shape::Integer, description)
}

pub(super) const fn number(name: &'static str, description: &'static str) -> Member {
    member(name, Shape::Number, description)
}

impl Shape {
    /// Returns the JSON schema.
    pub(super) fn schema(&self, title: &str) -> String {
        let mut json = Json::default();
        json.object(|json| {
            json.key("$schema").string("https://json-schema.org/draft/2020-12/schema");
            json.key("title").string(title);
            self.write(json);
            json.key("$defs").object(|json| {
                json.key("integer").object(|json| {
                    json.key("description").string("As a string if beyond 2^53");
                    json.key("type").array(|json| ["integer", "string"].iter().for_each(|one| json.string(one)));
                    json.key("pattern").string("^-?[0-9]+$");
                });
                json.key("number").object(|json| {
                    json.key("type").array(|json| ["number", "string"].iter().for_each(|one| json.string(one)));
                    json.key("pattern").string("^(NaN|-?Infinity)$");
                });
            });
        });
        json.as_str().to_owned()
    }

    /// Writes the members of the schema.
    fn write(&self, json: &mut Json) {
        let typed = |json: &mut Json, name: &str| json.key("type").string(name);
        let nested = |json: &mut Json, key: &str, shape: &Shape| json.key(key).object(|json| shape.write(json));
        match self {
            Self::Text => typed(json, "string"),
            Self::Word(words) => json.key("enum").array(|json| words.iter().for_each(|word| json.string(word))),
            Self::Integer => json.key("$ref").string("#/$defs/integer"),
            Self::Number => json.key("$ref").string("#/$defs/number"),
            Self::Boolean => typed(json, "boolean"),
            Self::Anything => typed(json, "object"),
            Self::OrNull(shape) => json.key("anyOf").array(|json| {
                json.object(|json| shape.write(json));
                json.object(|json| typed(json, "null"));
            }),
            Self::Either(shapes) => json.key("anyOf").array(|json| {
                shapes.iter().for_each(|shape| json.object(|json| shape.write(json)));
            }),
            Self::List(shape) => {
                typed(json, "array");
                nested(json, "items", shape);
            }
            Self::Map(shape) => {
                typed(json, "object");
                nested(json, "additionalProperties", shape);
            }
            Self::Object(members) => {
                write_members(json, members);
                json.key("additionalProperties").boolean(false);
            }
            Self::Open(members, others) => {
                write_members(json, members);
                nested(json, "additionalProperties", others);
            }
        }
    }
}

fn write_members(json: &mut Json, members: &[Member]) {
    json.key("type").string("object");
    json.key("properties").object(|json| {
        for member in members {
            json.key(member.name).object(|json| {
                if !member.description.is_empty() {
                    json.key("description").string(member.description);
                }
                member.shape.write(json);
            });
        }
    });
    json.key("required").array(|json| {
        members.iter().filter(|member| !member.is_optional).for_each(|member| json.string(member.name));
    });
}
