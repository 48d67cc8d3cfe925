import type { TelephonyProvider } from '@outdial/core';
import type { SendDeps } from '@outdial/engine';
import { createProviderListener } from './provider-listener.ts';

/** How soon a new or changed provider takes effect. */
const lookEveryMs = 500;

interface Listening {
  adapter: TelephonyProvider;
  abort: AbortController;
  over: Promise<void>;
}

/** Listens to every provider that reports events on a connection, and follows changes of the providers table. */
export function listenToProviders(deps: SendDeps): { stop(): Promise<void> } {
  const listening = new Map<string, Listening>();
  const ending = new Set<Promise<void>>();

  function end(name: string, { abort, over }: Listening): void {
    listening.delete(name);
    abort.abort();
    ending.add(over);
    void over.then(() => ending.delete(over));
  }

  function begin(name: string, adapter: TelephonyProvider): void {
    const abort = new AbortController();
    const listener = createProviderListener(deps, name, abort.signal);
    const over = (adapter.listen?.(listener, abort.signal) ?? Promise.resolve()).catch((error: unknown) =>
      deps.log.error({ err: error, provider: name }, 'this worker stopped listening to a provider'),
    );
    listening.set(name, { adapter, abort, over });
  }

  function look(): void {
    for (const [name, one] of listening) {
      if (deps.providers.get(name) !== one.adapter) end(name, one);
    }
    for (const [name, adapter] of deps.providers) {
      if (adapter.listen && !listening.has(name)) begin(name, adapter);
    }
  }

  look();
  const timer = setInterval(look, lookEveryMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      for (const [name, one] of listening) end(name, one);
      await Promise.all(ending);
    },
  };
}
