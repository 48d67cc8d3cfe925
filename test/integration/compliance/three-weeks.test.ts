import { expect, test } from 'vitest';
import { engineInStep } from '../../compliance/campaign/engine-in-step.ts';
import { judgeReceipts, judgeRefusals } from '../../compliance/campaign/judge-receipts.ts';
import { makeList } from '../../compliance/campaign/list.ts';
import { runWeeks } from '../../compliance/campaign/three-weeks.ts';
import { addCallerIds, openOrganization } from '../../compliance/campaign/world.ts';
import { isFullRun } from '../../support/full-run.ts';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';

/** `npm run compliance` uses all people and advances by half an hour; `.ci/run` uses a sample and four hours. */
const isWhole = process.env['COMPLIANCE_WHOLE'] === '1';
/** `2/4` is the second quarter of the people. Parts may run one after the other or on several machines. */
const [part = 1, parts = 1] = (process.env['COMPLIANCE_PART'] ?? '1/1').split('/').map(Number);
/** Stops at the first fault. */
const isForOneFault = process.env['COMPLIANCE_FIRST_FAULT'] === '1';
const seed = Number(process.env['SEED'] ?? 1);
/** Clocks change in America on 14 March and in Europe on 28 March; Good Friday and Easter Monday lie in between. */
const startAt = '2027-03-09T00:00:00Z';
const days = 21;

const list = makeList(isWhole ? { perAreaCode: 20, perCountry: 94 } : { perAreaCode: 1, perCountry: 2 });
const people = list.filter((_, place) => place % (isWhole ? parts : 2) === (isWhole ? part - 1 : 0));

test.runIf(isWhole || isFullRun)(
  `of ${people.length} people of all area codes and thirty countries none is dialed against a rule, none is skipped without a rule, and each has a receipt`,
  async () => {
    const stack = await useStack({ backend: anyBackend(), startAt, workers: 0, schedulers: 0 });
    const engine = engineInStep(stack);
    const strict = await openOrganization(stack, { policy: 'strict', days, people });
    const standard = await openOrganization(stack, { policy: 'standard', days, people });
    await addCallerIds(stack, standard);
    const stepMinutes = isWhole ? 30 : 240;
    let told = 0;
    const run = await runWeeks({ stack, engine }, [strict, standard], {
      people,
      days,
      stepMinutes,
      seed,
      isForOneFault,
      onDay: (day, { dials, faults }) => {
        if (!isWhole) return;
        console.log(
          [`day ${day}: ${dials} dials, ${faults.length} faults`, ...faults.slice(told, 20)].join('\n'),
        );
        told = faults.length;
      },
    });
    if (isForOneFault && run.faults.length > 0) throw new Error(run.faults.join('\n'));
    const receipts: string[] = [];
    const refusals: string[] = [];
    for (const one of [strict, standard]) {
      receipts.push(...(await judgeReceipts(stack, one)));
      refusals.push(...(await judgeRefusals(stack, one, engine.without)));
    }
    console.log(
      `${people.length} people, ${run.dials} dials; refusals:`,
      Object.fromEntries(engine.refusals),
    );
    expect.soft(run.faults.slice(0, 20)).toEqual([]);
    expect.soft(receipts.slice(0, 20)).toEqual([]);
    expect.soft(refusals.slice(0, 20)).toEqual([]);
    expect(run.dials).toBeGreaterThan(people.length);
    // A rule that never refused a dial was not tested. Caller ids and suppressions may refuse nobody of a sample.
    const rare = isWhole ? ['suppressed', 'no_caller_id'] : [];
    for (const reason of ['no_consent', 'person_capped', 'on_scrub_list', ...rare]) {
      expect.soft(engine.refusals.get(reason), reason).toBeGreaterThan(0);
    }
  },
  isWhole ? 3_600_000 : 600_000,
);
