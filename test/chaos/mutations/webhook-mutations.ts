import type { Mutation } from './mutation.ts';

const claims = 'db/src/webhooks/claim-deliveries.ts';

export const webhookMutations: readonly Mutation[] = [
  {
    name: 'delivery-held-for-ever',
    takesOut: 'a delivery whose lease ran out is taken again',
    caughtBy: 'senderDies',
    edits: [
      {
        file: claims,
        find: `where d.endpoint_id = \${args.endpointId} and d.status = 'pending' and d.next_attempt_at <= \${now}
          and (d.leased_until is null or d.leased_until <= \${now})`,
        replace: `where d.endpoint_id = \${args.endpointId} and d.status = 'pending' and d.next_attempt_at <= \${now}
          and d.leased_until is null`,
      },
    ],
  },
  {
    name: 'delivery-sent-by-two',
    takesOut: 'a delivery that a worker is sending is left to it',
    caughtBy: 'senderDies',
    edits: [
      {
        file: claims,
        find: `and d.status = 'pending' and d.next_attempt_at <= \${now}
          and (d.leased_until is null or d.leased_until <= \${now})
          and (\${oldestIsFreeAt(args.endpointId)}) <= \${now}`,
        replace: `and d.status = 'pending' and d.next_attempt_at <= \${now}`,
      },
      {
        file: claims,
        find: `and d.status = 'pending' and (d.leased_until is null or d.leased_until <= \${now})
`,
        replace: `and d.status = 'pending'
`,
      },
    ],
  },
  {
    name: 'delivery-overtakes',
    takesOut: 'what follows an event that is being sent waits for it',
    caughtBy: 'sendersOvertake',
    edits: [
      {
        file: claims,
        find: `
          and (\${oldestIsFreeAt(args.endpointId)}) <= \${now}`,
        replace: '',
      },
      {
        file: claims,
        find: 'and (stops.position is null or chosen.position < stops.position)',
        replace: '',
      },
    ],
  },
  {
    name: 'failure-overtaken',
    takesOut: 'what follows an event that is tried again waits with it',
    caughtBy: 'failureIsOvertaken',
    edits: [
      {
        file: 'db/src/outbox/place-events.ts',
        find: `where d.endpoint_id = e.id and d.subject_id = p.subject_id and d.status = 'pending'`,
        replace: `where false and d.endpoint_id = e.id and d.subject_id = p.subject_id and d.status = 'pending'`,
      },
      {
        file: claims,
        find: `
          and (\${oldestIsFreeAt(args.endpointId)}) <= \${now}`,
        replace: '',
      },
      {
        file: claims,
        find: 'and (stops.position is null or chosen.position < stops.position)',
        replace: '',
      },
    ],
  },
  {
    name: 'one-between-overtaken',
    takesOut: 'an event waits for all that come before it, and not for the first of them alone',
    caughtBy: 'lateSenderGivesBack',
    edits: [
      {
        file: claims,
        find: 'and (stops.position is null or chosen.position < stops.position)',
        replace: '',
      },
    ],
  },
  {
    name: 'batch-of-later-events',
    takesOut: 'the oldest event of a subject is taken with those behind it that were due earlier',
    caughtBy: 'redeliveredBehindLater',
    edits: [
      {
        file: claims,
        find: 'from (select distinct subject_id from due) s cross join lateral (',
        replace: 'from (select distinct subject_id from due where false) s cross join lateral (',
      },
    ],
  },
  {
    name: 'events-placed-as-written',
    takesOut: 'an event gets its place when it is committed, not when it is written',
    caughtBy: 'earlierCommitsLater',
    edits: [
      {
        file: 'db/src/outbox/place-events.ts',
        find: `nextval('outbox_position') as position from`,
        replace: 'ordinal as position from',
      },
    ],
  },
];
