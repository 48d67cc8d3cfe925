import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  admit,
  afterAnswer,
  afterFailure,
  afterMisconfiguration,
  afterUnknownCode,
  aloneMs,
  askedUntil,
  failuresToOpen,
  firstPauseMs,
  isAlone,
  isBroken,
  longestPauseMs,
  peopleToOpen,
  probeMs,
  probesAlone,
  type Circuit,
  type CircuitChange,
} from './circuit-breaker.ts';

const start = new Date('2026-03-02T12:00:00Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const circuit = (change: Partial<Circuit> = {}): Circuit => ({
  now: start,
  closedUntil: null,
  failuresInARow: 0,
  ...change,
});

describe('a circuit', () => {
  test('passes calls until too many failures in a row open it', () => {
    expect(admit(circuit({ failuresInARow: failuresToOpen - 1 }))).toEqual({ kind: 'send' });
    expect(afterFailure(circuit(), false)).toEqual({ kind: 'count', failuresInARow: 1 });
    expect(afterAnswer(circuit({ failuresInARow: 4 }), false)).toEqual({ kind: 'count', failuresInARow: 0 });
    expect(afterAnswer(circuit(), false)).toEqual({ kind: 'none' });
    expect(afterFailure(circuit({ failuresInARow: failuresToOpen - 1 }), false)).toEqual({
      kind: 'open',
      failuresInARow: failuresToOpen,
      until: after(firstPauseMs),
    });
  });

  test('admits no call while it is open or its provider asks to wait', () => {
    expect(admit(circuit({ failuresInARow: failuresToOpen, closedUntil: after(1) }))).toEqual({
      kind: 'wait',
      until: after(1),
    });
    expect(admit(circuit({ closedUntil: after(1) }))).toMatchObject({ kind: 'wait' });
  });

  test('opens for as long as the provider asked to wait, if that is longer than its own pause', () => {
    const failing = { failuresInARow: failuresToOpen - 1, closedUntil: after(120_000) };
    expect(afterFailure(circuit(failing), false)).toMatchObject({ kind: 'open', until: after(120_000) });
    const probed = { failuresInARow: failuresToOpen, closedUntil: after(probeMs) };
    expect(afterFailure(circuit(probed), true)).toMatchObject({ until: after(2 * firstPauseMs) });
    expect(afterFailure(circuit({ ...probed, closedUntil: after(120_000) }), true)).toMatchObject({
      until: after(120_000),
    });
    expect(askedUntil(circuit(probed))).toBeNull();
    expect(askedUntil(circuit({ closedUntil: start }))).toBeNull();
  });

  test('admits one probe after the pause, and only its result counts', () => {
    const broken = circuit({ failuresInARow: 7, closedUntil: start });
    expect(admit(broken)).toEqual({ kind: 'probe', closedUntil: after(probeMs) });
    expect(afterFailure(broken, false)).toEqual({ kind: 'none' });
    expect(afterAnswer(broken, false)).toEqual({ kind: 'none' });
    expect(afterAnswer(broken, true)).toEqual({ kind: 'close' });
    expect(afterFailure(broken, true)).toEqual({
      kind: 'open',
      failuresInARow: 8,
      until: after(8 * firstPauseMs),
    });
  });

  test('opens at once for a fault that every call has, and stays open while probes get it', () => {
    const fault = { code: 'x', person: '1', wasProbe: false };
    const opened = { kind: 'open', failuresInARow: failuresToOpen, until: after(firstPauseMs) };
    expect(afterMisconfiguration(circuit(), fault)).toMatchObject(opened);
    const broken = circuit({ failuresInARow: failuresToOpen, closedUntil: start });
    expect(afterMisconfiguration(broken, fault)).toEqual({ kind: 'none' });
    expect(afterMisconfiguration(broken, { ...fault, wasProbe: true })).toMatchObject({
      failuresInARow: failuresToOpen + 1,
    });
  });

  test('that one person alone keeps open for hours and many probes may be the fault of the number', () => {
    let state = circuit();
    const probe = (person: string, waitMs: number) => {
      state = { ...state, now: new Date(state.now.getTime() + waitMs) };
      state = applied(state, afterMisconfiguration(state, { code: 'x', person, wasProbe: true }));
    };
    for (let n = 0; n <= probesAlone; n++) probe('1', 1_000);
    // For too short a time.
    expect(isAlone(state, '1')).toBe(false);
    probe('1', aloneMs);
    expect(isAlone(state, '1')).toBe(true);
    expect(isAlone(state, '2')).toBe(false);
    probe('2', 1_000);
    expect(isAlone(state, '1')).toBe(false);
    // In too few probes, as after a night.
    state = applied(state, afterAnswer(state, true));
    probe('1', 0);
    probe('1', aloneMs);
    expect(isAlone(state, '1')).toBe(false);
  });

  test('opens for an unknown code once enough different people got it in a row', () => {
    let state = circuit();
    const answer = (person: string, code = 'x', wasProbe = false) => {
      const { isOfAccount, change } = afterUnknownCode(state, { code, person, wasProbe });
      state = applied(state, change);
      return isOfAccount;
    };
    const people = Array.from({ length: peopleToOpen }, (_, n) => String(n));
    for (const person of people.slice(1)) expect(answer(person)).toBe(false);
    // The same person again, and another code, do not count.
    expect(answer('1')).toBe(false);
    expect(answer('0', 'y')).toBe(false);
    for (const person of people.slice(1)) expect(answer(person)).toBe(false);
    expect(answer('0')).toBe(true);
    expect(isBroken(state)).toBe(true);
    // Sends that were on their way, and probes.
    expect(answer('9')).toBe(true);
    expect(answer('9', 'y')).toBe(false);
    expect(answer('9', 'x', true)).toBe(true);
    state = applied(state, afterAnswer(state, true));
    expect(state).toMatchObject({ failuresInARow: 0, unknownCode: null });
  });

  test('is closed by a probe with another unknown code, which is an answer', () => {
    const broken = circuit({ failuresInARow: 7, closedUntil: start });
    const judged = afterUnknownCode(broken, { code: 'x', person: '1', wasProbe: true });
    expect(judged).toEqual({ isOfAccount: false, change: { kind: 'close' } });
  });

  test('doubles its pauses up to the maximum, and admits one probe per pause', () => {
    const step = fc.record({ waitMs: fc.nat(40_000), answers: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let state = circuit();
        for (const { waitMs, answers } of steps) {
          state = { ...state, now: new Date(state.now.getTime() + waitMs) };
          const admission = admit(state);
          if (admission.kind === 'wait') continue;
          const isProbe = admission.kind === 'probe';
          const during =
            admission.kind === 'probe' ? { ...state, closedUntil: admission.closedUntil } : state;
          const next = applied(
            during,
            answers ? afterAnswer(during, isProbe) : afterFailure(during, isProbe),
          );
          expect(isProbe).toBe(isBroken(state));
          expect(admit(during).kind).toBe(isProbe ? 'wait' : 'send');
          expect(next.failuresInARow).toBe(answers ? 0 : state.failuresInARow + 1);
          expect(pauseMs(next)).toBe(isBroken(next) ? expectedPauseMs(next.failuresInARow) : pauseMs(next));
          state = next;
        }
      }),
    );
  });
});

const pauseMs = ({ closedUntil, now }: Circuit) => (closedUntil?.getTime() ?? 0) - now.getTime();
const expectedPauseMs = (failures: number) =>
  Math.min(firstPauseMs * 2 ** (failures - failuresToOpen), longestPauseMs);

function applied(circuit: Circuit, change: CircuitChange): Circuit {
  switch (change.kind) {
    case 'none':
      return circuit;
    case 'count': {
      const { failuresInARow, unknownCode = failuresInARow === 0 ? null : (circuit.unknownCode ?? null) } =
        change;
      return { ...circuit, failuresInARow, unknownCode };
    }
    case 'open': {
      const { failuresInARow, unknownCode = circuit.unknownCode ?? null } = change;
      return { ...circuit, failuresInARow, unknownCode, closedUntil: change.until };
    }
    default:
      return { ...circuit, failuresInARow: 0, closedUntil: null, unknownCode: null };
  }
}
