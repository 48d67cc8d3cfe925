/**
 * The numbers of a campaign, read as fast as the database gives them and held until a slow caller has taken them. E.164 has fifteen digits at most
 * and no leading zero, so that each number is a double of its own: a million take eight megabytes.
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
