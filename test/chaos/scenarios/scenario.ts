import type { ScenarioWorld, WorldOptions } from './world.ts';

/** One attack on one promise, with everything about it decided: it passes, or throws and says what went wrong. */
export interface Scenario {
  name: string;
  /** The promise of docs/promises.md that it attacks. */
  promise: string;
  options?: WorldOptions;
  run(world: ScenarioWorld): Promise<void>;
}
