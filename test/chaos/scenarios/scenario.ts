import type { ScenarioWorld, WorldOptions } from './world.ts';

/** A deterministic attack on one promise. Throws an error with the reason if the promise is broken. */
export interface Scenario {
  name: string;
  /** The promise under attack, as in docs/promises.md. */
  promise: string;
  options?: WorldOptions;
  /** The test that tries the same. Where it runs too, as in `.ci/run`, the scenario is left out; mutations need it. */
  sameAs?: string;
  run(world: ScenarioWorld): Promise<void>;
}
