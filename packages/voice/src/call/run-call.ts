import { createMachineEar } from '../machine/machine-ear.ts';
import { forScreening } from '../machine/machine-words.ts';
import { createVoicemailRules } from '../machine/voicemail-rules.ts';
import type { TurnAction, TurnInput } from '../turn/turn-messages.ts';
import { createTurns } from '../turn/turns.ts';
import { createAgentSide } from './agent-side.ts';
import type { CallParts, RunningCall } from './call-parts.ts';
import { type CallQuality, watchQuality } from './call-quality.ts';
import { createEar } from './ear.ts';
import { createPlayback } from './playback.ts';
import { createSpeaker } from './speaker.ts';
import { createTransfers } from './transfers.ts';

/** Sound that is kept beyond the longest utterance: what came before its first voice. */
const keptBeforeMs = 2_000;

/** From our clock to the person's ear, at most. */
const lastSoundMs = 250;

/** Carries one call from its answer to its end: sound and models around the rules of the turns. */
export function runCall(parts: CallParts): RunningCall {
  const { leg, conversation, settings, activity, nowMs, log } = parts;
  const answeredAt = nowMs();
  const machine = parts.mayBeMachine ? createMachineEar(answeredAt) : null;
  /** Those of a conversation, until a mailbox answers. */
  let rules = createTurns(settings);
  const quality = watchQuality(answeredAt, parts.onWait);
  const ended = Promise.withResolvers<{ reason: string; quality: CallQuality }>();
  const whole = new AbortController();
  let isOver = false;
  let begun: number | null = null;
  /** What was said last came from an assistant that asks who calls. */
  let isScreened = false;

  const transfers = createTransfers({ line: parts.line, transferLine: parts.transferLine, log });
  const playback = createPlayback((bytes, at) => {
    leg.send(bytes, at);
    parts.onSound?.agent(bytes, at);
  });
  const ear = createEar({
    beganAt: answeredAt,
    keepMs: settings.longestUtteranceMs + keptBeforeMs,
    // The call may end at one of many frames that are filled in at once.
    isVoice: (samples) => !isOver && activity.isVoice(samples),
    onFrame({ bytes, samples, at, voiced }) {
      if (isOver) return;
      parts.onSound?.person(bytes, at);
      const heard = machine?.frame(at, voiced, samples) ?? null;
      if (heard === 'machine' || heard === 'mailbox_beep') answeredByMachine(heard === 'mailbox_beep');
      if (heard === 'beep') give({ at, kind: 'beep' });
      give({ at, kind: 'frame', voiced });
    },
  });
  const speaker = createSpeaker({
    speak: parts.speak,
    wordsSaid: parts.wordsSaid,
    onAudio({ answer, index, words }, samples, done) {
      playback.begin(answer);
      playback.add(samples);
      if (words !== null) give({ at: nowMs(), kind: 'words', answer, index, text: words });
      give({ at: nowMs(), kind: 'audio', answer, index, ms: (samples.length / 8_000) * 1_000, done });
    },
    onFailed(answer, error) {
      log.warn({ err: error }, 'an answer could not be spoken');
      give({ at: nowMs(), kind: 'failed', answer });
    },
  });

  const agent = createAgentSide({
    conversation,
    leg,
    line: parts.line,
    dial: (step) => transfers.dial(step, whole.signal),
    onTransfer: (step, transfer) => parts.onTransfer?.(step, transfer),
    speak: (answer, text, sound) => speaker.say(answer, text, sound),
    tellRules: give,
    isOver: () => isOver,
    nowMs,
    log,
  });

  function give(input: TurnInput): void {
    if (isOver) return;
    const current = rules;
    for (const action of current.take(input)) {
      // What the conversation was about to do is of no use to a mailbox.
      if (isOver || rules !== current) return;
      follow(action);
    }
  }

  /** The conversation is over before it has begun. */
  function answeredByMachine(beeped: boolean): void {
    give({ at: nowMs(), kind: 'left' });
    const message = conversation.voicemail();
    rules = createVoicemailRules();
    const told = parts.onMachine();
    if (message === null) void told.finally(() => end('voicemail'));
    else give({ at: nowMs(), kind: 'machine', beeped });
  }

  function end(reason: string): void {
    if (isOver) return;
    isOver = true;
    whole.abort();
    agent.stop();
    speaker.drop();
    activity.close();
    // What was played last is still on its way.
    if (reason === 'left') leg.hangUp();
    else setTimeout(() => leg.hangUp(), lastSoundMs);
    ended.resolve({ reason, quality: quality.figures() });
  }

  async function read(utterance: number, from: number, to: number): Promise<void> {
    let text = '';
    try {
      text = await parts.transcribe(ear.between(from, to), whole.signal);
    } catch (error) {
      if (whole.signal.aborted) return;
      log.warn({ err: error }, 'an utterance could not be read');
      give({ at: nowMs(), kind: 'transcript', utterance, text });
      return give({ at: nowMs(), kind: 'unheard' });
    }
    give({ at: nowMs(), kind: 'transcript', utterance, text });
  }

  function follow(action: TurnAction): void {
    switch (action.kind) {
      case 'greet':
        return agent.greet(action.answer);
      case 'respond': {
        const heard = isScreened ? forScreening(action.text) : action.text;
        return agent.converse(action.answer, (signal) => conversation.reply(heard, signal));
      }
      case 'respond_to_keys':
        return agent.converse(action.answer, (signal) => conversation.keysPressed(action.digits, signal));
      case 'prompt_idle':
        return agent.say(action.answer, conversation.idle(action.nth) ?? '');
      case 'acknowledge':
        return agent.interject(action.answer, parts.phrases.acknowledgement);
      case 'apologize':
        agent.stop();
        speaker.drop();
        return agent.say(action.answer, parts.phrases.apology);
      case 'leave_message':
        return agent.say(action.answer, conversation.voicemail() ?? '');
      case 'transcribe':
        void read(action.utterance, action.from, action.to);
        return;
      case 'pause_playback':
        return playback.pause();
      case 'resume_playback':
        return playback.resume();
      case 'drop_playback':
        agent.stop();
        speaker.drop();
        playback.drop();
        leg.flush();
        parts.onSound?.dropped(nowMs());
        return;
      case 'heard':
        return conversation.heard(action.text, action.playedMs);
      case 'record': {
        if (action.turn.role === 'person') quality.personSpoke(action.turn.text, action.turn.endedAt);
        if (action.turn.interrupted) quality.interrupted();
        parts.onTurn(action.turn);
        const said = action.turn.role === 'person' ? (machine?.said(action.turn) ?? null) : null;
        isScreened = said === 'screening';
        if (said === 'machine') answeredByMachine(false);
        return;
      }
      case 'hang_up':
        return end(action.reason);
    }
  }

  give({ at: answeredAt, kind: 'answered', greets: parts.greets });

  function position(now: number): void {
    const at = playback.position(now - (leg.lagMs?.() ?? 0));
    if (at === null || at.ms === 0) return;
    if (begun === null) {
      parts.onVoice();
      machine?.agentHeard();
    }
    if (begun !== at.answer) {
      begun = at.answer;
      quality.agentBegan(now);
    }
    give({ at: now, kind: 'played', answer: at.answer, ms: at.ms });
  }

  return {
    over: ended.promise,
    tick() {
      if (isOver) return;
      const now = nowMs();
      playback.tick(now);
      position(now);
      ear.tick(now);
      give({ at: now, kind: 'tick' });
    },
    frame: (bytes) => {
      if (!isOver) ear.frame(bytes, nowMs());
    },
    key(digit) {
      give({ at: nowMs(), kind: 'key', digit });
    },
    said(text) {
      give({ at: nowMs(), kind: 'said', text });
    },
    interrupted(heard) {
      give({ at: nowMs(), kind: 'interrupted', heard });
    },
    gone() {
      give({ at: nowMs(), kind: 'left' });
      end('left');
    },
    cut(reason) {
      give({ at: nowMs(), kind: 'left' });
      end(reason);
    },
  };
}
