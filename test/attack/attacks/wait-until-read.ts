import { setTimeout as sleep } from 'node:timers/promises';
import { idOf, type Tenant } from '../tenant.ts';

/** Only the preparation. It may be slow on a busy machine. */
const readyWithinMs = 120_000;
/** Seldom, so that polling does not use up the attacker's rate limit. */
const lookEveryMs = 500;

/** The path of a new knowledge base whose text can be searched. */
export async function waitUntilRead(tenant: Tenant, text: string): Promise<string> {
  const base = `/api/v1/knowledge-base/${idOf(await tenant.send('POST /api/v1/knowledge-base', { json: { name: 'Words' } }))}`;
  const form = new FormData();
  form.set('file', new Blob([text]), 'words.txt');
  const item = idOf(await tenant.send(`POST ${base}/items`, { body: form }));
  const giveUpAt = performance.now() + readyWithinMs;
  for (;;) {
    const { text: state } = await tenant.send(`GET ${base}/items/${item}`);
    if (state.includes('"status":"ready"')) return base;
    if (state.includes('"status":"failed"') || performance.now() > giveUpAt) {
      throw new Error(`the text is not ready: ${state.slice(0, 500)}`);
    }
    await sleep(lookEveryMs);
  }
}
