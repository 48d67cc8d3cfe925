import type { Random } from '../chaos/random.ts';

/** Ids kept of each kind: the newest, because older objects may be deleted. */
const rememberedOfAKind = 12;

/** The path parameter whose ids an answer of each collection contains. */
const collections: ReadonlyArray<readonly [path: RegExp, parameter: string]> = [
  [/\/recipients$/, 'recipient_id'],
  [/\/deliveries$/, 'delivery_id'],
  [/\/webhook-endpoints$/, 'endpoint_id'],
  [/\/items$/, 'item_id'],
  [/\/knowledge-base$/, 'kb_id'],
  [/\/erasures$/, 'erasure_id'],
  [/\/consents$/, 'consent_id'],
  [/\/caller-ids$/, 'caller_id'],
  [/\/users$/, 'user_id'],
  [/\/api-keys$/, 'key_id'],
  [/\/(campaigns|campaigns\/import)$/, 'campaign_id'],
  [/\/(calls|call)$/, 'call_id'],
  [/\/agents$/, 'agent_id'],
  [/\/number-changes$/, 'change_id'],
];

/** Lists that a new tenant's ids are read from. */
export const lists = [
  '/api/v1/agents',
  '/api/v1/campaigns',
  '/api/v1/calls',
  '/api/v1/knowledge-base',
  '/api/v1/suppressions',
  '/api/v1/webhook-endpoints',
  '/api/v1/erasures',
  '/api/v1/consents',
  '/api/v1/caller-ids',
  '/api/v1/users',
  '/api/v1/number-changes',
  '/api/v1/scrub-lists',
];
export const listsBelow: ReadonlyArray<readonly [parameter: string, path: string]> = [
  ['campaign_id', '/api/v1/campaigns/{}/recipients'],
  ['kb_id', '/api/v1/knowledge-base/{}/items'],
  ['endpoint_id', '/api/v1/webhook-endpoints/{}/deliveries'],
];

/** Ids of existing objects, read from answers, so that requests find something. */
export class KnownIds {
  readonly #random: Random;
  #known = new Map<string, string[]>();
  /** The parent of an id, such as the knowledge base of an item. */
  #above = new Map<string, string>();
  #spared = new Set<string>();

  constructor(random: Random) {
    this.#random = random;
  }

  pick(parameter: string): string | undefined {
    const [first, ...others] = this.#known.get(parameter) ?? [];
    return first === undefined ? undefined : this.#random.pick([first, ...others]);
  }

  /** The id of the parent in a path. Undefined if there is none. */
  above(id: string): string | undefined {
    return this.#above.get(id);
  }

  add(parameter: string, id: string): void {
    const ids = this.#known.get(parameter) ?? [];
    if (ids.includes(id) || this.#spared.has(id)) return;
    ids.push(id);
    if (ids.length > rememberedOfAKind) ids.shift();
    this.#known.set(parameter, ids);
  }

  /** @param target of the request that got this answer */
  read(target: string, body: string): void {
    const path = (target.split('?')[0] ?? '').replace(/\/$/, '');
    const parameter = collections.find(([pattern]) => pattern.test(path))?.[1];
    for (const [, id] of body.slice(0, 20_000).matchAll(/[{,]"id":"([0-9a-f-]{36})"/g)) {
      if (id === undefined || parameter === undefined) continue;
      this.add(parameter, id);
      const above = /\/([0-9a-f-]{36})\/\w+$/.exec(path)?.[1];
      if (above !== undefined) this.#above.set(id, above);
    }
    for (const [, phone] of body.slice(0, 5_000).matchAll(/"phone_number":"(\+\d+)"/g)) {
      if (phone !== undefined) {
        this.add(path.endsWith('/suppressions') ? 'suppressed' : 'phone_number', phone);
      }
    }
    // Paths name scrub lists by their names.
    if (path.includes('/scrub-lists')) {
      for (const [, name] of body.slice(0, 5_000).matchAll(/"name":"([^"]+)"/g)) {
        if (name !== undefined) this.add('list_name', name);
      }
    }
    for (const [, cursor] of body.matchAll(/"next_cursor":"([^"]+)"/g)) {
      if (cursor !== undefined) this.add('cursor', cursor);
    }
  }

  /** Forgets all ids. Never returns those of `spared`, which must not be deleted. */
  forget(spared: readonly string[]): void {
    this.#known = new Map();
    this.#above = new Map();
    this.#spared = new Set(spared);
  }
}
