import type { ScenarioWorld } from './world.ts';

/** Time goes by, sweeps run, and what they publish is done. */
export async function timeGoesBy(world: ScenarioWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await world.clock.advance(1_000);
    await world.sweep();
    await world.engine.settle();
  }
}
