import type { TestServices } from './services.ts';
import type { StartedServices } from './start-services.ts';
import { startServices } from './start-services.ts';

interface Shared {
  users: number;
  started: Promise<StartedServices>;
}

// Vitest loads a project's setup apart from the others', so a variable of this module would be there twice.
const key = Symbol.for('outdial.test-services');
const shelf = globalThis as { [key]?: Shared };

/** The services of this run: started for the first who asks, and stopped when the last has released them. */
export async function sharedServices(): Promise<{ services: TestServices; release: () => Promise<void> }> {
  const shared = (shelf[key] ??= { users: 0, started: startServices() });
  shared.users += 1;
  const { services, stop } = await shared.started;
  return {
    services,
    release: async () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      delete shelf[key];
      await stop();
    },
  };
}
