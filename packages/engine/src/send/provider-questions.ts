import { Turns } from '@outdial/core';

/** How many look-ups at providers that do not answer run at once: some jobs of a worker are left for others. */
const unansweredAtOnce = 15;
const unansweredOfProvider = 8;

/** Keeps look-ups at providers that do not answer, each of which lasts until its deadline, from delaying those at others. */
export class ProviderQuestions {
  readonly #turns = new Turns({ atOnce: unansweredAtOnce, perOrganization: unansweredOfProvider });
  readonly #silent = new Set<string>();

  /** The function that ends a question; null if the provider does not answer and has its share of questions already. */
  begin(provider: string): (() => void) | null {
    return this.#silent.has(provider) ? this.#turns.takeNow(provider) : () => undefined;
  }

  note(provider: string, { isAnswered }: { isAnswered: boolean }): void {
    if (isAnswered) this.#silent.delete(provider);
    else this.#silent.add(provider);
  }
}
