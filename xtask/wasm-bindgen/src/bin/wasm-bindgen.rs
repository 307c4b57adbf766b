//! Converts compiled programs to the files that a page loads. Trunk calls it; `cargo xtask build` uses the library.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os())
}
