//! Compresses the built page for the feature `page`, which puts it into the program.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "page")]
    page::embed();
}

#[cfg(feature = "page")]
mod page {
    use std::env;
    use std::fmt::Write;
    use std::fs;
    use std::path::{Path, PathBuf};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Best compression. It takes some seconds.
    const QUALITY: i32 = 11;
    /// Base-2 logarithm of the window: 16 MB.
    const WINDOW: i32 = 24;

    pub fn embed() {
        println!("cargo::rerun-if-env-changed=TRACEGLASS_DIST");
        let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by Cargo"));
        let dist = env::var_os("TRACEGLASS_DIST").map_or_else(|| manifest.join("../../dist"), PathBuf::from);
        println!("cargo::rerun-if-changed={}", dist.display());
        let mut files = Vec::new();
        collect(&dist, "", &mut files);
        files.sort();
        if !files.iter().any(|(path, _)| path == "index.html") {
            println!(
                "cargo::warning=no page in {}: `traceglass view` will need --page. Run `cargo xtask build` first.",
                dist.display()
            );
            files.clear();
        }
        let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by Cargo"));
        let sizes = compress(&files, &out);
        let mut list = String::from("/// Path, content compressed with Brotli, and size before that.\n");
        list.push_str("pub(super) static FILES: &[(&str, &[u8], usize)] = &[\n");
        for (index, ((path, _), size)) in files.iter().zip(sizes).enumerate() {
            let _ = writeln!(list, "    ({path:?}, include_bytes!(\"{index}.br\"), {size}),");
        }
        list.push_str("];\n");
        fs::write(out.join("page.rs"), list).expect("a writable output folder");
    }

    fn collect(folder: &Path, prefix: &str, into: &mut Vec<(String, PathBuf)>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                collect(&entry.path(), &format!("{path}/"), into);
            } else {
                into.push((path, entry.path()));
            }
        }
    }

    /// Writes the compressed files, and returns their sizes before that.
    fn compress(files: &[(String, PathBuf)], out: &Path) -> Vec<usize> {
        let sizes = Mutex::new(vec![0; files.len()]);
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some((_, file)) = files.get(index) else { return };
                let content = fs::read(file).expect("a readable page");
                let parameters = brotli::enc::BrotliEncoderParams {
                    quality: QUALITY,
                    lgwin: WINDOW,
                    size_hint: content.len(),
                    ..Default::default()
                };
                let mut compressed = Vec::new();
                brotli::BrotliCompress(&mut content.as_slice(), &mut compressed, &parameters)
                    .expect("no errors in memory");
                fs::write(out.join(format!("{index}.br")), compressed).expect("a writable output folder");
                sizes.lock().expect("no panics")[index] = content.len();
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        sizes.into_inner().expect("no panics")
    }
}
