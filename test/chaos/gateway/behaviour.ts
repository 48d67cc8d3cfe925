import { randomOf } from '../random.ts';
import type { SeenCall } from './dial-log.ts';

/** How the gateway reacts to one `POST /calls`. */
export type PostReaction =
  | { kind: 'accept'; answerAfterMs?: number }
  /** The connection breaks without an answer. */
  | { kind: 'drop'; accepts: boolean }
  | { kind: 'fail'; accepts: boolean }
  | { kind: 'defer'; status: 429 | 503; retryAfterSeconds: number }
  | { kind: 'refuse'; status: number };

/** The course of an accepted call. Null if the test controls it. */
interface CallScript {
  ringMs: number;
  /** Null if the call is not answered. */
  talkMs: number | null;
  outcome: string;
  /** How each event is sent. */
  delivery(type: string): EventDelivery;
}

interface EventDelivery {
  times: number;
  /** The delay of each send. A long delay lets later events overtake. */
  delaysMs: readonly number[];
}

export interface Behaviour {
  /** `earlier` is the number of earlier posts of the same attempt, under this id or another one. */
  post(call: SeenCall, earlier: number): PostReaction;
  script(call: SeenCall): CallScript | null;
}

/** For numbers from this one on, the gateway does not know how a call ended. */
export const firstUnknownNumber = 9_000_000;

export const retriedOutcomes = ['no_answer', 'busy', 'failed', 'voicemail'] as const;

/** Network faults per request. Each is rare, so that a run has all of them and still finishes. */
function reactionTo(seed: number, call: SeenCall, earlier: number): PostReaction {
  if (randomOf(seed, `refuses ${call.toPhone}`).chance(0.02)) return { kind: 'refuse', status: 422 };
  const random = randomOf(seed, `post ${call.toPhone} ${call.attempt} ${earlier} ${call.campaignId}`);
  const roll = random.next() * 1000;
  if (roll < 20) return { kind: 'drop', accepts: false };
  if (roll < 40) return { kind: 'drop', accepts: true };
  if (roll < 45) return { kind: 'fail', accepts: false };
  if (roll < 50) return { kind: 'fail', accepts: true };
  if (roll < 54) return { kind: 'defer', status: 429, retryAfterSeconds: 1 };
  if (roll < 58) return { kind: 'defer', status: 503, retryAfterSeconds: 1 };
  if (roll < 70) return { kind: 'accept', answerAfterMs: random.between(500, 2_500) };
  return { kind: 'accept' };
}

const outcomeWeights: ReadonlyArray<readonly [string, number]> = [
  ['completed', 56],
  ['busy', 10],
  ['no_answer', 10],
  ['voicemail', 7],
  ['failed', 6],
  ['rejected', 6],
  ['invalid_number', 5],
];

function outcomeOf(roll: number): string {
  let left = roll * outcomeWeights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [outcome, weight] of outcomeWeights) {
    left -= weight;
    if (left < 0) return outcome;
  }
  return 'completed';
}

/** A gateway that fails randomly, as derived from the seed. */
export function moodyBehaviour(seed: number): Behaviour {
  return {
    post: (call, earlier) => reactionTo(seed, call, earlier),
    script(call) {
      const random = randomOf(seed, `call ${call.toPhone} ${call.attempt} ${call.campaignId}`);
      const isUnknown = Number(call.toPhone.slice(-7)) >= firstUnknownNumber;
      const outcome = isUnknown ? 'unknown' : outcomeOf(random.next());
      const answers = outcome === 'completed' || outcome === 'voicemail';
      return {
        ringMs: random.between(50, 500),
        talkMs: answers ? random.between(100, 1_200) : null,
        outcome,
        delivery: (type) => deliveryOf(seed, call, type),
      };
    },
  };
}

/** The same people, behind a gateway without faults. It answers slowly, so that sends are in progress at any moment. */
export function calmBehaviour(seed: number): Behaviour {
  const moody = moodyBehaviour(seed);
  return {
    post: (call) => ({
      kind: 'accept',
      answerAfterMs: randomOf(seed, `answer ${call.toPhone} ${call.attempt}`).between(100, 900),
    }),
    script: (call) => {
      const script = moody.script(call);
      return script && { ...script, delivery: () => ({ times: 1, delaysMs: [0] }) };
    },
  };
}

function deliveryOf(seed: number, call: SeenCall, type: string): EventDelivery {
  const random = randomOf(seed, `event ${type} ${call.toPhone} ${call.attempt} ${call.campaignId}`);
  const roll = random.next();
  if (roll < 0.02) return { times: 0, delaysMs: [] };
  if (roll < 0.14) return { times: 2, delaysMs: [0, random.between(0, 2_000)] };
  if (roll < 0.28) return { times: 1, delaysMs: [random.between(300, 2_500)] };
  return { times: 1, delaysMs: [0] };
}

/** Accepts every call, and reports nothing unless the test does. */
export const passiveBehaviour: Behaviour = {
  post: () => ({ kind: 'accept' }),
  script: () => null,
};

/** Reacts to the first post of each call, and accepts its later ones. */
export function firstPost(reaction: ReturnType<Behaviour['post']>): Behaviour {
  return { ...passiveBehaviour, post: (_call, earlier) => (earlier === 0 ? reaction : { kind: 'accept' }) };
}
