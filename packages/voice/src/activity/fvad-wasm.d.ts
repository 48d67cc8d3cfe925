declare module '@echogarden/fvad-wasm' {
  /** libfvad, as exported by emscripten. Pointers are numbers. */
  export interface Fvad {
    HEAP16: Int16Array;
    /** Wraps a C function that takes and returns numbers. */
    cwrap(
      name: 'malloc' | 'fvad_new' | 'fvad_free' | 'fvad_set_mode' | 'fvad_set_sample_rate' | 'fvad_process',
      returns: 'number',
      takes: ReadonlyArray<'number'>,
    ): (...numbers: number[]) => number;
  }
  export default function fvad(): Promise<Fvad>;
}
