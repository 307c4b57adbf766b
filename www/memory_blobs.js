// For the worker of a page that was saved, where its browser lets it read no blob. WebKit's worker of a page on disk has
// another origin than that page, and than the blobs that it makes itself: it reads neither.
//
// Takes the place of Blob, File and FileReaderSync in there, as far as the worker's program uses them, with bytes in memory.

/** @returns whether the worker reads blobs of the page; if not, the page is to send bytes. */
export default async function () {
  const readsBlobs = await new Blob(["x"]).arrayBuffer().then(
    () => true,
    () => false,
  );
  if (!readsBlobs) Object.assign(globalThis, { Blob: MemoryBlob, File: MemoryFile, FileReaderSync: MemoryReader });
  return readsBlobs;
}

class MemoryBlob {
  #chunks = [];
  size = 0;

  /** Views are copied, since what they show may change; a buffer belongs to the blob from here on. */
  constructor(parts = []) {
    for (const part of parts) {
      if (part instanceof MemoryBlob) part.#chunks.forEach((chunk) => this.#add(chunk));
      else this.#add(part instanceof ArrayBuffer ? new Uint8Array(part) : part.slice());
    }
  }

  slice(start = 0, end = this.size) {
    const blob = new MemoryBlob();
    let place = 0;
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(Math.max(0, start - place), Math.max(0, end - place));
      if (part.length > 0) blob.#add(part);
      place += chunk.length;
    }
    return blob;
  }

  bytesNow() {
    const bytes = new Uint8Array(this.size);
    let place = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, place);
      place += chunk.length;
    }
    return bytes.buffer;
  }

  async arrayBuffer() {
    return this.bytesNow();
  }

  /** Holds nothing, and is no stream of bytes: who wanted one reads slices. */
  stream() {
    return new ReadableStream();
  }

  #add(chunk) {
    this.#chunks.push(chunk);
    this.size += chunk.length;
  }
}

class MemoryFile extends MemoryBlob {
  constructor(parts, name) {
    super(parts);
    this.name = name;
  }
}

class MemoryReader {
  readAsArrayBuffer(blob) {
    return blob.bytesNow();
  }
}
