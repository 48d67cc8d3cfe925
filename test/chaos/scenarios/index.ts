import * as abandonment from './abandonment.ts';
import * as callerIds from './caller-ids.ts';
import * as changesMeetGates from './changes-meet-gates.ts';
import * as changesWaitForGates from './changes-wait-for-gates.ts';
import * as changes from './changes.ts';
import * as database from './database.ts';
import * as dials from './dials.ts';
import * as drain from './drain.ts';
import * as gate from './gate.ts';
import * as gateConditions from './gate-conditions.ts';
import * as lateSends from './late-sends.ts';
import * as limits from './limits.ts';
import * as optOuts from './opt-outs.ts';
import * as order from './order.ts';
import * as overlaps from './overlaps.ts';
import * as personCaps from './person-caps.ts';
import * as places from './places.ts';
import * as progress from './progress.ts';
import * as queue from './queue.ts';
import * as repair from './repair.ts';
import * as requests from './requests.ts';
import type { Scenario } from './scenario.ts';
import * as unsent from './unsent.ts';
import * as webhooks from './webhooks.ts';
import * as withdrawal from './withdrawal.ts';

/** By the name of the constant, which mutations use to name a scenario. */
export const scenarios: ReadonlyMap<string, Scenario> = new Map(
  [
    gate,
    gateConditions,
    changes,
    order,
    overlaps,
    personCaps,
    abandonment,
    callerIds,
    optOuts,
    changesWaitForGates,
    changesMeetGates,
    progress,
    repair,
    limits,
    dials,
    places,
    database,
    queue,
    requests,
    drain,
    withdrawal,
    unsent,
    lateSends,
    webhooks,
  ].flatMap((file) => Object.entries(file)),
);
