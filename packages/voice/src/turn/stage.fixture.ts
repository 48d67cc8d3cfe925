import { frameMs } from '../audio/mu-law.ts';
import type { TurnAction, TurnInput } from './turn-messages.ts';
import type { TurnSettings } from './turn-settings.ts';
import { createTurns } from './turns.ts';

export const settings: TurnSettings = {
  silenceMs: 400,
  readsAhead: false,
  unfinishedSilenceMs: 1_000,
  pauseAfterMs: 200,
  dropAfterMs: 600,
  longestUtteranceMs: 30_000,
  keys: { timeoutMs: 500, finishOn: '', length: null },
  idleMs: 8_000,
  idlePrompts: 1,
  longestWordlessMs: 60_000,
  longestCallMs: 600_000,
};

export interface Spoken {
  at: number;
  forMs: number;
  /** The transcript. Empty for sound without words. */
  words: string;
}

export interface Line {
  text: string;
  ms: number;
  /** The agent hangs up after this answer. */
  end?: string;
  /** How long a tool works before the answer. */
  workMs?: number;
  fails?: boolean;
}

export interface Play {
  /** Null: the agent waits for the person. */
  greeting?: Line | null;
  person: readonly Spoken[];
  reply?: (text: string) => Line;
  lastsMs: number;
  settings?: Partial<TurnSettings>;
  /** How long the recognizer and the model take. */
  readMs?: number;
  thinkMs?: number;
  /** Audio that is on its way when the agent pauses, and is heard nevertheless. */
  onItsWayMs?: number;
  /** A recognizer tells the words while they are spoken, with punctuation. */
  isLive?: boolean;
}

export interface Played {
  at: number;
  action: TurnAction;
}

interface Voice {
  answer: number;
  totalMs: number;
  playedMs: number;
  pausedAt: number;
}

/** A simulated call, frame by frame: a person who speaks at given times, a recognizer, and an agent that plays its lines. */
export function play(scene: Play): Played[] {
  const turns = createTurns({ ...settings, ...scene.settings });
  const done: Played[] = [];
  let due: Array<{ at: number; run: (at: number) => void }> = [];
  /** The audio of an answer: synthesized at once, played frame by frame. */
  const player: { voice: Voice | null } = { voice: null };
  /** Answers that the agent was told to drop: their remaining text is not spoken. */
  const dropped = new Set<number>();
  let ended = false;

  const later = (at: number, run: (at: number) => void): void => {
    due.push({ at, run });
  };
  const give = (input: TurnInput) => {
    for (const action of turns.take(input)) {
      done.push({ at: input.at, action });
      follow(input.at, action);
    }
  };
  const say = (at: number, answer: number, line: Line) => {
    if (line.workMs !== undefined) give({ at, kind: 'working', answer });
    later(at + (line.workMs ?? 0), (then) => {
      if (dropped.has(answer)) return;
      if (line.fails) return give({ at: then, kind: 'failed', answer });
      add(then, answer, line);
      give({ at: then, kind: 'replied', answer, end: line.end ?? null });
    });
  };
  const pieces = new Map<number, number>();
  const add = (at: number, answer: number, line: Line) => {
    const index = pieces.get(answer) ?? 0;
    pieces.set(answer, index + 1);
    give({ at, kind: 'piece', answer, text: line.text });
    if (player.voice?.answer !== answer) {
      player.voice = { answer, totalMs: 0, playedMs: 0, pausedAt: player.voice?.pausedAt ?? Infinity };
    }
    player.voice.totalMs += line.ms;
    give({ at, kind: 'audio', answer, index, ms: line.ms, done: true });
  };

  let ahead: { to: number; readAt: number } | null = null;
  const heardIn = ({ from, to }: { from: number; to: number }) =>
    scene.person
      .filter((one) => one.at < to && one.at + one.forMs > from)
      .map((one) => one.words)
      .join(' ');

  function follow(at: number, action: TurnAction): void {
    switch (action.kind) {
      case 'greet':
        if (scene.greeting) say(at, action.answer, scene.greeting);
        return;
      case 'respond': {
        const line = scene.reply?.(action.text) ?? { text: 'Fine.', ms: 1_000 };
        return later(at + (scene.thinkMs ?? 100), (then) => {
          if (!dropped.has(action.answer)) say(then, action.answer, line);
        });
      }
      case 'go_on':
        return say(at, action.answer, { text: action.rest, ms: action.rest.split(' ').length * 250 });
      case 'prompt_idle':
        return say(at, action.answer, { text: 'Are you still there?', ms: 1_000 });
      case 'apologize':
        add(at, action.answer, { text: 'I am sorry.', ms: 800 });
        return give({ at, kind: 'replied', answer: action.answer, end: null });
      case 'acknowledge':
        return add(at, action.answer, { text: 'One moment.', ms: 500 });
      case 'read_ahead': {
        const readAt = at + (scene.readMs ?? 100);
        ahead = { to: action.to, readAt };
        return later(readAt, (then) =>
          give({ at: then, kind: 'partial', text: heardIn(action), readTo: action.to }),
        );
      }
      case 'transcribe': {
        const readAt = ahead?.to === action.to ? ahead.readAt : at + (scene.readMs ?? 100);
        const { utterance } = action;
        return later(Math.max(at, readAt), (then) =>
          give({ at: then, kind: 'transcript', utterance, text: heardIn(action) }),
        );
      }
      case 'pause_playback':
        if (player.voice) player.voice.pausedAt = at + (scene.onItsWayMs ?? 0);
        return;
      case 'resume_playback':
        if (player.voice) player.voice.pausedAt = Infinity;
        return;
      case 'drop_playback':
        dropped.add(action.answer);
        player.voice = null;
        return;
      case 'hang_up':
        ended = true;
        return;
      default:
    }
  }

  give({ at: 0, kind: 'answered', greets: scene.greeting !== null && scene.greeting !== undefined });
  for (let at = frameMs; at <= scene.lastsMs && !ended; at += frameMs) {
    const now = due.filter((one) => one.at <= at);
    due = due.filter((one) => one.at > at);
    for (const { run } of now) run(at);
    const { voice } = player;
    if (voice !== null && at <= voice.pausedAt && voice.playedMs < voice.totalMs) {
      voice.playedMs += frameMs;
      give({ at, kind: 'played', answer: voice.answer, ms: voice.playedMs });
    }
    const voiced = scene.person.some((one) => at > one.at && at <= one.at + one.forMs);
    const ended = scene.person.find((one) => at === one.at + one.forMs);
    if (scene.isLive === true && ended !== undefined) give({ at, kind: 'partial', text: ended.words });
    give({ at, kind: 'frame', voiced });
    give({ at, kind: 'tick' });
  }
  return done;
}

export const recordOf = (played: readonly Played[]) =>
  played.flatMap(({ action }) => (action.kind === 'record' ? [action.turn] : []));

export const dialogueOf = (played: readonly Played[]): string[] =>
  recordOf(played).map(({ role, text, interrupted }) => `${role}: ${text}${interrupted ? ' —' : ''}`);

export const timesOf = (played: readonly Played[], kind: TurnAction['kind']): number[] =>
  played.filter(({ action }) => action.kind === kind).map(({ at }) => at);
