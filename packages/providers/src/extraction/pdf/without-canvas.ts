/**
 * pdf.js wants three classes of a browser's canvas when it is loaded, and takes them from a native library if they
 * are missing. Reading text draws nothing: empty ones keep thirty megabytes of native code out of the process.
 */
function Nothing(): void {}

Object.assign(globalThis, { DOMMatrix: Nothing, ImageData: Nothing, Path2D: Nothing });
