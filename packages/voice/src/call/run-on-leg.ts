import type { Leg, LegEvents } from '../legs/leg.ts';
import type { RunningCall } from './call-parts.ts';

/** Opens the leg of a call and runs the call on it. What the leg tells while it is opened is told when the call runs. */
export function runOnLeg(open: (events: LegEvents) => Leg, run: (leg: Leg) => RunningCall): RunningCall {
  let running: RunningCall | null = null;
  const early: Array<(call: RunningCall) => void> = [];
  const tell = (what: (call: RunningCall) => void) => {
    if (running === null) early.push(what);
    else what(running);
  };
  const leg = open({
    frame: (bytes) => tell((call) => call.frame(bytes)),
    key: (digit) => tell((call) => call.key(digit)),
    said: (text) => tell((call) => call.said(text)),
    interrupted: (heard) => tell((call) => call.interrupted(heard)),
    gone: () => tell((call) => call.gone()),
  });
  running = run(leg);
  for (const what of early) what(running);
  return running;
}
