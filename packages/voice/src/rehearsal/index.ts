export { callerOf } from './caller.ts';
export { judge } from './judge.ts';
export { type Rehearsal, rehearse } from './rehearse.ts';
export { type Scenario, scenarioFile } from './scenario.ts';
