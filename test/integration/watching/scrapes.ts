/** What Prometheus scrapes: its answer, or null if there is none. */
export interface Target {
  instance: string;
  read: () => Promise<string | null>;
}

export interface InputSeries {
  series: string;
  values: string;
}

const line = /^(?<name>[a-z0-9_]+)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
/** Labels that Prometheus adds itself. It renames a metric's labels of the same name. */
const taken = /(^|,)(?=(?:job|instance)=)/g;

/** Real samples, each a minute apart in the rules' time, so that no test waits for the minutes that a fault must last. */
export class Scrapes {
  readonly #series = new Map<string, Map<number, string>>();
  #minutes = 0;

  /** Takes one sample of every target. */
  async scrape(targets: readonly Target[]): Promise<void> {
    const texts = await Promise.all(
      targets.map(async (target) => ({
        instance: target.instance,
        text: await target.read().catch(() => null),
      })),
    );
    for (const { instance, text } of texts) {
      const target = `job="outdial",instance="${instance}"`;
      this.#add(`up{${target}}`, text === null ? '0' : '1');
      for (const each of (text ?? '').split('\n')) {
        const { name, labels = '', value } = line.exec(each)?.groups ?? {};
        if (name === undefined || value === undefined || Number.isNaN(Number(value))) continue;
        const own = labels.replaceAll(taken, '$1exported_');
        this.#add(`${name}{${[own, target].filter((part) => part !== '').join(',')}}`, value);
      }
    }
    this.#minutes += 1;
  }

  /** Skips some minutes without a scrape. A sample is valid for five. */
  letPass(minutes: number): void {
    this.#minutes += minutes;
  }

  /** The series of these metrics. The last sample is repeated for half an hour. */
  inputSeries(metrics: ReadonlySet<string>): InputSeries[] {
    return [...this.#series].flatMap(([series, samples]) => {
      if (!metrics.has(series.slice(0, series.indexOf('{')))) return [];
      const values = Array.from({ length: this.#minutes }, (_, minute) => samples.get(minute) ?? '_');
      const last = samples.get(this.#minutes - 1);
      return [{ series, values: [...values, last === undefined ? '_' : `${last}x30`].join(' ') }];
    });
  }

  #add(series: string, value: string): void {
    const samples = this.#series.get(series) ?? new Map<number, string>();
    samples.set(this.#minutes, value);
    this.#series.set(series, samples);
  }
}
