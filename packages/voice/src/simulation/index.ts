export { callerOf } from './caller.ts';
export { judge } from './judge.ts';
export { type SimulatedCall, simulateCall } from './simulate-call.ts';
export { type Scenario, scenarioFile } from './scenario.ts';
