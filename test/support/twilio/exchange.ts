import { courseOf } from './course.ts';
import { deliver, type Callback, type Delivery } from './callbacks.ts';
import { isOver, newSid, rfc2822, secondsOf, type CallStatus, type StandingCall } from './standing-call.ts';

export interface ExchangeOptions {
  accountSid: string;
  authToken: string;
  ringMs: number;
  talkMs: number;
  /** Calls per second that leave the queue; unlimited by default. Zero keeps all calls queued. */
  callsPerSecond?: number | undefined;
  /** `scrambled`: sent after the end of the call, in reverse order, each one twice. */
  callbacks?: 'in_order' | 'scrambled' | 'lost' | undefined;
}

/** The calls behind Twilio's API. They run in real time and send callbacks. */
export interface Exchange {
  /** All calls, oldest first. */
  readonly calls: ReadonlyMap<string, StandingCall>;
  /** All callbacks with their answers. */
  readonly deliveries: readonly Delivery[];
  create(form: URLSearchParams): StandingCall;
  /** Like an update of the Call resource; false if the call is over. */
  update(call: StandingCall, status: 'canceled' | 'completed'): boolean;
  /** Takes a call out of the queue and dials it. */
  dialNow(call: StandingCall): void;
  /** Sends an additional callback of a call. */
  send(callback: Callback): Promise<Delivery>;
  /** Sets how many calls leave the queue per second. */
  setPace(callsPerSecond: number | undefined): void;
  /** Calls to these numbers are accepted and then refused with a code, until it is null. */
  refuse(decide: ((to: string) => Refusal | null) | null): void;
  /** Resolves when all pending callbacks have been answered. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** The codes of the callback that reports the end. */
export interface Refusal {
  sipCode?: number;
  errorCode?: number;
  rings?: boolean;
}

const hangUpSoonMs = 50;
const detectionMs = 10;

export function openExchange(options: ExchangeOptions): Exchange {
  const { accountSid, authToken } = options;
  const calls = new Map<string, StandingCall>();
  const deliveries: Delivery[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const lanes = new Map<string, Promise<void>>();
  const held = new Map<string, Callback[]>();
  let pace = options.callsPerSecond;
  let nextDialMs = 0;
  let queue: StandingCall[] = [];
  let refusalOf: (to: string) => Refusal | null = () => null;

  function after(ms: number, then: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      then();
    }, ms);
    timers.add(timer);
  }

  async function send(callback: Callback): Promise<Delivery> {
    const delivery = await deliver(callback, authToken);
    deliveries.push(delivery);
    return delivery;
  }

  async function sendAfter(before: Promise<void> | undefined, callbacks: readonly Callback[]): Promise<void> {
    await before;
    for (const callback of callbacks) await send(callback);
  }

  /** Callbacks of one call are sent one after the other. */
  function inLane(call: StandingCall, callbacks: readonly Callback[]): void {
    lanes.set(call.sid, sendAfter(lanes.get(call.sid), callbacks));
  }

  function tell(call: StandingCall, url: string | null, fields: Record<string, string>): void {
    if (url === null || options.callbacks === 'lost') return;
    const callback = {
      url,
      fields: {
        AccountSid: accountSid,
        ApiVersion: '2010-04-01',
        CallSid: call.sid,
        From: call.form.get('From') ?? '',
        To: call.form.get('To') ?? '',
        Direction: 'outbound-api',
        ...fields,
      },
    };
    if (options.callbacks !== 'scrambled') return inLane(call, [callback]);
    held.set(call.sid, [...(held.get(call.sid) ?? []), callback]);
  }

  function release(call: StandingCall): void {
    const callbacks = held.get(call.sid) ?? [];
    held.delete(call.sid);
    inLane(
      call,
      callbacks.toReversed().flatMap((callback) => [callback, callback]),
    );
  }

  function tellStatus(
    call: StandingCall,
    event: string,
    status: string,
    extra: Record<string, string> = {},
  ): void {
    const wanted = call.form.getAll('StatusCallbackEvent');
    if (!wanted.includes(event)) return;
    tell(call, call.form.get('StatusCallback'), {
      CallStatus: status,
      Timestamp: rfc2822(new Date()),
      CallbackSource: 'call-progress-events',
      SequenceNumber: String(call.sequence++),
      ...extra,
    });
  }

  function dial(call: StandingCall): void {
    if (isOver(call)) return;
    call.startTime = new Date();
    tellStatus(call, 'initiated', 'initiated');
    const { course } = call;
    if (course.kind === 'refused') return;
    const refusal = refusalOf(call.form.get('To') ?? '');
    if (refusal) {
      if (refusal.rings) tellStatus(call, 'ringing', 'ringing');
      return end(call, 'failed', refusal.sipCode ?? null, refusal.errorCode);
    }
    if (course.kind === 'ends' && !course.rings) return end(call, course.status, course.sipCode);
    call.status = 'ringing';
    tellStatus(call, 'ringing', 'ringing');
    const timeoutMs = Number(call.form.get('Timeout') ?? 60) * 1000;
    after(Math.min(options.ringMs, timeoutMs), () => {
      if (call.status !== 'ringing') return;
      if (course.kind === 'ends') return end(call, course.status, course.sipCode);
      answer(call);
    });
  }

  function answer(call: StandingCall): void {
    const { course } = call;
    if (course.kind !== 'answers') return;
    call.status = 'in-progress';
    call.answeredAt = new Date();
    tellStatus(call, 'answered', 'in-progress');
    const talksMs = course.hangsUp === 'before_long' ? hangUpSoonMs : options.talkMs;
    const limitMs = Number(call.form.get('TimeLimit') ?? 14_400) * 1000;
    const lastsMs = course.hangsUp === 'never' ? limitMs : Math.min(talksMs, limitMs);
    const endAfter = (ms: number) =>
      after(ms, () => {
        if (call.status === 'in-progress') end(call, 'completed', 200);
      });
    if (!call.form.has('MachineDetection') || lastsMs < detectionMs) return endAfter(lastsMs);
    after(detectionMs, () => {
      if (call.status !== 'in-progress') return;
      call.answeredBy = course.by;
      tell(call, call.form.get('AsyncAmdStatusCallback'), {
        AnsweredBy: course.by,
        MachineDetectionDuration: '2400',
      });
      // From here, since two timers may run in the other order after a pause of this process.
      endAfter(lastsMs - detectionMs);
    });
  }

  function end(call: StandingCall, status: CallStatus, sipCode: number | null, errorCode?: number): void {
    call.status = status;
    call.endTime = new Date();
    if (call.answeredAt !== null && call.form.get('Record') === 'true') {
      call.recordingSid = newSid('RE');
    }
    tellStatus(call, 'completed', status, {
      CallDuration: String(secondsOf(call)),
      ...(sipCode !== null && { SipResponseCode: String(sipCode) }),
      ...(errorCode !== undefined && { ErrorCode: String(errorCode) }),
      ...(call.answeredBy !== null && { AnsweredBy: call.answeredBy }),
    });
    if (call.recordingSid !== null) {
      tell(call, call.form.get('RecordingStatusCallback'), {
        RecordingSid: call.recordingSid,
        RecordingStatus: 'completed',
        RecordingUrl: `https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Recordings/${call.recordingSid}`,
        RecordingDuration: String(secondsOf(call)),
      });
    }
    if (options.callbacks === 'scrambled') release(call);
  }

  function runQueue(): void {
    if (pace === 0) return;
    for (const call of queue.splice(0)) {
      const waitMs = pace === undefined ? 0 : Math.max(0, nextDialMs - performance.now());
      if (pace !== undefined) nextDialMs = Math.max(nextDialMs, performance.now()) + 1000 / pace;
      after(waitMs, () => dial(call));
    }
  }

  return {
    calls,
    deliveries,
    create(form) {
      const to = form.get('To') ?? '';
      const nth = 1 + [...calls.values()].filter((call) => call.form.get('To') === to).length;
      const call: StandingCall = {
        sid: newSid('CA'),
        accountSid,
        form,
        course: courseOf(to, nth),
        status: 'queued',
        createdAt: new Date(),
        startTime: null,
        answeredAt: null,
        endTime: null,
        answeredBy: null,
        sequence: 0,
        recordingSid: null,
      };
      calls.set(call.sid, call);
      queue.push(call);
      runQueue();
      return call;
    },
    update(call, status) {
      if (isOver(call)) return false;
      // `canceled` does not affect calls in progress.
      if (status === 'canceled' && call.status === 'in-progress') return true;
      queue = queue.filter((one) => one !== call);
      end(call, call.status === 'in-progress' ? 'completed' : 'canceled', null);
      return true;
    },
    dialNow(call) {
      queue = queue.filter((one) => one !== call);
      dial(call);
    },
    send,
    setPace(callsPerSecond) {
      pace = callsPerSecond;
      runQueue();
    },
    refuse(decide) {
      refusalOf = decide ?? (() => null);
    },
    async settled() {
      await Promise.all(lanes.values());
    },
    async close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      await Promise.all(lanes.values());
    },
  };
}
