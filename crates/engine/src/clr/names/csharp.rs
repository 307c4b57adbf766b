//! C# keywords and operators for the runtime's names.

/// Returns the C# keyword of a runtime type, in either of the runtime's notations.
pub(super) fn type_keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "void" | "System.Void" => "void",
        "bool" | "System.Boolean" => "bool",
        "wchar" | "char" | "System.Char" => "char",
        "int8" | "System.SByte" => "sbyte",
        "unsigned int8" | "uint8" | "System.Byte" => "byte",
        "int16" | "System.Int16" => "short",
        "unsigned int16" | "uint16" | "System.UInt16" => "ushort",
        "int32" | "System.Int32" => "int",
        "unsigned int32" | "uint32" | "System.UInt32" => "uint",
        "int64" | "System.Int64" => "long",
        "unsigned int64" | "uint64" | "System.UInt64" => "ulong",
        "float32" | "System.Single" => "float",
        "float64" | "System.Double" => "double",
        "int" | "native int" | "System.IntPtr" => "nint",
        "unsigned int" | "native uint" | "native unsigned int" | "System.UIntPtr" => "nuint",
        "string" | "System.String" => "string",
        "object" | "System.Object" => "object",
        "System.Decimal" => "decimal",
        "refany" | "typedref" => "TypedReference",
        "..." => "__arglist",
        _ => return None,
    })
}

/// Returns the operator of a method with a name like `op_Addition`.
pub(super) fn operator(method: &str) -> Option<String> {
    let name = method.strip_prefix("op_")?;
    let (checked, name) = match name.strip_prefix("Checked") {
        Some(name) => ("checked ", name),
        None => ("", name),
    };
    let symbol = match name {
        "Implicit" => return Some("implicit operator".to_owned()),
        "Explicit" => return Some(format!("explicit operator{}", checked.trim_end())),
        "Addition" | "UnaryPlus" => "+",
        "Subtraction" | "UnaryNegation" => "-",
        "Multiply" => "*",
        "Division" => "/",
        "Modulus" => "%",
        "BitwiseAnd" => "&",
        "BitwiseOr" => "|",
        "ExclusiveOr" => "^",
        "LeftShift" => "<<",
        "RightShift" => ">>",
        "UnsignedRightShift" => ">>>",
        "Equality" => "==",
        "Inequality" => "!=",
        "LessThan" => "<",
        "GreaterThan" => ">",
        "LessThanOrEqual" => "<=",
        "GreaterThanOrEqual" => ">=",
        "LogicalNot" => "!",
        "OnesComplement" => "~",
        "Increment" => "++",
        "Decrement" => "--",
        "True" => "true",
        "False" => "false",
        _ => return None,
    };
    Some(format!("operator {checked}{symbol}"))
}
