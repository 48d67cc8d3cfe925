import type { AgentVoice } from '@outdial/contracts';
import type { TurnSettings } from '../turn/turn-settings.ts';

/** Sound without words for so long is no conversation. */
const longestWordlessMs = 60_000;

export function turnSettingsOf(
  { turn, idle }: Pick<AgentVoice, 'turn' | 'idle'>,
  { longestCallSeconds }: { longestCallSeconds: number },
): TurnSettings {
  return {
    silenceMs: turn.silence_ms,
    unfinishedSilenceMs: turn.unfinished_silence_ms,
    pauseAfterMs: turn.pause_after_ms,
    dropAfterMs: turn.drop_after_ms,
    longestUtteranceMs: turn.longest_utterance_seconds * 1_000,
    idleMs: idle.after_seconds * 1_000,
    idlePrompts: idle.prompts.length,
    longestWordlessMs,
    longestCallMs: longestCallSeconds * 1_000,
  };
}
