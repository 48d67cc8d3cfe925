import type { ScenarioWorld, WorldOptions } from './world.ts';

/** A deterministic attack on one promise. Throws an error with the reason if the promise is broken. */
export interface Scenario {
  name: string;
  /** The promise under attack, as in docs/promises.md. */
  promise: string;
  options?: WorldOptions;
  run(world: ScenarioWorld): Promise<void>;
}
