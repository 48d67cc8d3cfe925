import { randomUUID } from 'node:crypto';
import {
  chooseDue,
  engineNow,
  explainGate,
  inTransaction,
  insertDirectCall,
  judgeCall,
  loadAgentContext,
  lockCall,
  openAdvances,
  passCallGate,
  passGate,
  whileQueued,
  zoneOfDirectCalls,
  type CallTerms,
  type Db,
  type GateTerms,
} from '@outdial/db';
import { sql } from 'kysely';
import type { TestOrganization } from '../stack/organization.ts';
import { gateTerms } from './gate-terms.ts';

/** The environment of a gate under test: a stack or a scenario's world, in which nothing runs unless the test starts it. */
export interface GateWorld {
  db: Db;
  organization: TestOrganization;
  provider: string;
  /** Creates a running campaign in which these numbers are due. */
  due(numbers: string[]): Promise<string>;
}

/** A call that may be dialed now, with its gate. */
export interface GateSubject {
  phone: string;
  campaignId: string | null;
  /** The id of the call, whose row does not exist before the first placement. */
  callId: string;
  /** The gate parameters of the placement, such as windows and pace. */
  brings: {
    windows: GateTerms['windows'];
    paceLeft: number | null;
    isAllowedDestination: boolean;
    /** The countries of the number of a direct call. */
    places?: string[];
    consent?: GateTerms['consent'];
    scrubLists?: string[];
    needsCallerId?: boolean;
  };
  /** Runs the gate: returns `passed` or the reason of the refusal. */
  pass(): Promise<string>;
  /** The reason from `explainGate`; only for first placements. */
  explain?(): Promise<string | null>;
  /** The number of gate instants of the call. */
  gates(): Promise<number>;
}

export const gateCallers = [
  'first placement',
  'repeated placement',
  'direct call',
  'repeated direct call',
  'queued call',
] as const;
export type GateCaller = (typeof gateCallers)[number];

/** A direct call may be made at any time. */
const anyTime: GateTerms['windows'] = [
  {
    zone: zoneOfDirectCalls,
    opensAt: new Date(0),
    closesAt: new Date(0),
    hours: { openAt: new Date(0), closeAt: new Date('9999-01-01T00:00:00Z') },
    caps: null,
    consent: null,
    groundsId: null,
  },
];

const broughtTo = (terms: GateTerms | null): GateSubject['brings'] => ({
  windows: terms?.windows ?? anyTime,
  paceLeft: null,
  isAllowedDestination: true,
});

/** The terms of a call that has a row, as its gate reads them. */
function callTerms(terms: GateTerms | null, brings: GateSubject['brings'], phone: string): CallTerms {
  const { windows, isAllowedDestination, places = null } = brings;
  const campaign = terms && {
    ...terms,
    consent: brings.consent ?? terms.consent,
    scrubLists: brings.scrubLists ?? terms.scrubLists,
  };
  return { windows, campaign, places, refusedNumbers: isAllowedDestination ? [] : [phone] };
}

/** Passes the gate of a call that has a row. */
async function passWith(
  { db }: GateWorld,
  { callId, phone, brings }: Omit<GateSubject, 'pass' | 'gates'>,
  { terms, sentAt }: { terms: GateTerms | null; sentAt: Date | null },
): Promise<string> {
  return inTransaction(db, async (tx) => {
    await lockCall(tx, callId, { waits: true });
    const { paceLeft } = brings;
    const gate = { callId, sentAt, terms: callTerms(terms, brings, phone), paceLeft };
    const answer = await passCallGate(tx, { ...gate, lookUpGraceMs: 12_000 });
    return 'refusal' in answer ? answer.refusal : 'passed';
  });
}

let numbers = 0;

export async function makeSubject(world: GateWorld, caller: GateCaller): Promise<GateSubject> {
  numbers += 1;
  const phone = `+1555300${String(numbers).padStart(4, '0')}`;
  const isDirect = caller === 'direct call' || caller === 'repeated direct call';
  const first = await (isDirect ? directCall(world, phone) : firstPlacement(world, phone));
  if (caller === 'direct call' || caller === 'first placement') return first;
  const answer = await first.pass();
  if (answer !== 'passed') throw new Error(`the first placement did not pass: ${answer}`);
  return caller === 'queued call' ? queuedCall(world, first) : repeated(world, first);
}

async function gatesOf(db: Db, callId: string): Promise<number> {
  const { rows } = await sql<{ gates: number }>`
    select (gated_at is not null)::int
      + (select count(*)::int from jsonb_array_elements(events) e where e ->> 'type' = 'placed_again') as gates
    from calls where id = ${callId}`.execute(db);
  return rows[0]?.gates ?? 0;
}

async function firstPlacement(world: GateWorld, phone: string): Promise<GateSubject> {
  const { db } = world;
  const campaignId = await world.due([phone]);
  const terms = await gateTerms(world, world.organization, campaignId);
  const { id: recipientId } = await db
    .selectFrom('campaign_recipients')
    .select('id')
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow();
  const callId = randomUUID();
  const brings = broughtTo(terms);
  return {
    phone,
    campaignId,
    callId,
    brings,
    async pass() {
      const answers = await inTransaction(db, async (tx) => {
        await openAdvances(tx, [campaignId], { waits: true });
        const { organizationId } = terms;
        const now = await engineNow(tx);
        const zones = terms.windows.map(({ zone }) => zone);
        const campaigns = [{ campaignId, zones, limit: 1 }];
        await chooseDue(tx, { organizationId, campaigns, now, withLastCallerId: false });
        const asked = {
          ...terms,
          windows: brings.windows,
          paceLeft: brings.paceLeft,
          consent: brings.consent ?? terms.consent,
          scrubLists: brings.scrubLists ?? terms.scrubLists,
          needsCallerId: brings.needsCallerId ?? terms.needsCallerId,
        };
        const { isAllowedDestination } = brings;
        return passGate(tx, [{ terms: asked, dials: [{ recipientId, callId, isAllowedDestination }] }]);
      });
      const answer = answers.get(callId);
      return answer?.kind === 'refused' ? answer.reason : 'passed';
    },
    async explain() {
      const {
        windows,
        consent = terms.consent,
        scrubLists = terms.scrubLists,
        isAllowedDestination,
      } = brings;
      const verdict = await explainGate(
        db,
        { ...terms, windows, consent, scrubLists },
        { recipientId, isAllowedDestination, hasCallerId: null },
      );
      return verdict?.refusal ?? null;
    },
    gates: () => gatesOf(db, callId),
  };
}

async function repeated(world: GateWorld, first: GateSubject): Promise<GateSubject> {
  const { db } = world;
  const { callId, campaignId, phone } = first;
  const terms = campaignId === null ? null : await gateTerms(world, world.organization, campaignId);
  const subject = { phone, campaignId, callId, brings: broughtTo(terms) };
  const { gated_at: sentAt } = await db
    .selectFrom('calls')
    .select('gated_at')
    .where('id', '=', callId)
    .executeTakeFirstOrThrow();
  return {
    ...subject,
    pass: () => passWith(world, subject, { terms, sentAt: sentAt ?? new Date(0) }),
    gates: () => gatesOf(db, callId),
  };
}

/** A call of a campaign that waits at its provider. */
async function queuedCall(
  world: GateWorld,
  { callId, campaignId, phone }: GateSubject,
): Promise<GateSubject> {
  const { db } = world;
  if (campaignId === null) throw new Error('the call of a campaign was expected');
  await sql`update calls set accepted_at = engine_now() where id = ${callId}`.execute(db);
  const terms = await gateTerms(world, world.organization, campaignId);
  const brings = broughtTo(terms);
  return {
    phone,
    campaignId,
    callId,
    brings,
    pass: () =>
      inTransaction(db, async (tx) => {
        const asked = whileQueued(callTerms(terms, brings, phone), 60);
        return (await judgeCall(tx, callId, asked)) ?? 'passed';
      }),
    gates: () => gatesOf(db, callId),
  };
}

async function directCall(world: GateWorld, phone: string): Promise<GateSubject> {
  const { db, organization, provider } = world;
  const { id: organizationId, agentId } = organization;
  const agent = await loadAgentContext(db, { organizationId, agentId });
  const callId = await inTransaction(db, (tx) =>
    insertDirectCall(tx, {
      organizationId,
      agentId,
      provider,
      toPhone: phone,
      fromPhone: null,
      promptId: agent?.prompt?.id ?? '',
      missingPlaceholders: [],
      promptParams: null,
      meta: null,
      purpose: null,
      createdBy: organization.users.member.id,
      queueTimeoutSeconds: 60,
    }),
  );
  if (callId === null) throw new Error('no such provider');
  const subject = { phone, campaignId: null, callId, brings: broughtTo(null) };
  return {
    ...subject,
    pass: () => passWith(world, subject, { terms: null, sentAt: null }),
    gates: () => gatesOf(db, callId),
  };
}
