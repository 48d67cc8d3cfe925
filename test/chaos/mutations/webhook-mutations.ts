import type { MutationEntry } from './mutation.ts';

const claims = 'db/src/webhooks/claim-deliveries.ts';

export const webhookMutations: readonly MutationEntry[] = [
  {
    name: 'delivery-held-for-ever',
    takesOut: 'a delivery with an expired lease is claimed again',
    caughtBy: 'senderDies',
    file: claims,
    find: `where d.endpoint_id = \${args.endpointId} and d.status = 'pending' and d.next_attempt_at <= \${now}
          and (d.leased_until is null or d.leased_until <= \${now})`,
    replace: `where d.endpoint_id = \${args.endpointId} and d.status = 'pending' and d.next_attempt_at <= \${now}
          and d.leased_until is null`,
  },
  {
    name: 'delivery-sent-by-two',
    takesOut: 'a delivery that one worker is sending is not claimed by another',
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
    takesOut: 'later events of a subject wait for the one that is being sent',
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
    takesOut: 'later events of a subject wait for one that is being retried',
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
    takesOut: 'an event waits for all earlier events of its subject, and not only for the first',
    caughtBy: 'lateSenderReleases',
    file: claims,
    find: 'and (stops.position is null or chosen.position < stops.position)',
    replace: '',
  },
  {
    name: 'batch-of-later-events',
    takesOut: 'the oldest event of a subject is claimed together with later ones that were due earlier',
    caughtBy: 'redeliveredBehindLater',
    file: claims,
    find: 'from (select distinct subject_id from due) s cross join lateral (',
    replace: 'from (select distinct subject_id from due where false) s cross join lateral (',
  },
  {
    name: 'events-placed-as-written',
    takesOut: 'an event gets its position after its commit, not when it is written',
    caughtBy: 'earlierCommitsLater',
    file: 'db/src/outbox/place-events.ts',
    find: `nextval('outbox_position') as position from`,
    replace: 'ordinal as position from',
  },
];
