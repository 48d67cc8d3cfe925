/**
 * When it is loaded, pdf.js needs three classes of a browser's canvas, and takes them from a native library if they are missing. Reading text draws
 * nothing, so empty classes keep thirty megabytes of native code out of the process.
 */
function Nothing(): void {}

Object.assign(globalThis, { DOMMatrix: Nothing, ImageData: Nothing, Path2D: Nothing });
