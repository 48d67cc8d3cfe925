/** What Node has of WebAssembly, and its types lack. */
declare namespace WebAssembly {
  class Memory {
    constructor(size: { initial: number });
    readonly buffer: ArrayBuffer;
  }
  function instantiate(
    module: Uint8Array,
    imports: Record<string, Record<string, Memory>>,
  ): Promise<{ instance: { exports: Record<string, (...numbers: number[]) => void> } }>;
}
