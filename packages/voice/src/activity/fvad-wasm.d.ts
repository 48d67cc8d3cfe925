declare module '@echogarden/fvad-wasm' {
  /** libfvad as emscripten exports it: pointers are numbers. */
  export interface Fvad {
    HEAP16: Int16Array;
    /** A function of C by its name, which takes and gives numbers. */
    cwrap(
      name: 'malloc' | 'fvad_new' | 'fvad_free' | 'fvad_set_mode' | 'fvad_set_sample_rate' | 'fvad_process',
      returns: 'number',
      takes: ReadonlyArray<'number'>,
    ): (...numbers: number[]) => number;
  }
  export default function fvad(): Promise<Fvad>;
}
