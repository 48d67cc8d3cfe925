import type { Leg, LegEvents } from '../legs/leg.ts';
import type { RunningCall } from './call-parts.ts';

/** Opens a leg and runs a call on it. Events that the leg emits while it opens are delivered once the call runs. */
export function runOnLeg(open: (events: LegEvents) => Leg, run: (leg: Leg) => RunningCall): RunningCall {
  let running: RunningCall | null = null;
  const early: Array<(call: RunningCall) => void> = [];
  const deliver = (event: (call: RunningCall) => void) => {
    if (running === null) early.push(event);
    else event(running);
  };
  const leg = open({
    frame: (bytes) => deliver((call) => call.frame(bytes)),
    key: (digit) => deliver((call) => call.key(digit)),
    said: (text) => deliver((call) => call.said(text)),
    interrupted: (heard) => deliver((call) => call.interrupted(heard)),
    left: () => deliver((call) => call.left()),
  });
  running = run(leg);
  for (const event of early) event(running);
  return running;
}
