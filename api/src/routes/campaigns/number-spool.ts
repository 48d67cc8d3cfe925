/**
 * Buffers a campaign's numbers as fast as the database returns them, for a slow caller. E.164 has at most fifteen digits and no leading
 * zero, so each number is stored as a double: a million take eight megabytes.
 */
export class NumberSpool {
  readonly #chunks: Float64Array[] = [];

  static async of(numbers: AsyncIterable<readonly string[]>): Promise<NumberSpool> {
    const spool = new NumberSpool();
    for await (const chunk of numbers) {
      spool.#chunks.push(Float64Array.from(chunk, (number) => Number(number.slice(1))));
    }
    return spool;
  }

  *chunks(): Generator<string[]> {
    for (const chunk of this.#chunks) yield Array.from(chunk, (digits) => `+${digits}`);
  }
}
