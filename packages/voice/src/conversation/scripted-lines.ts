import type { AgentVoice } from '@outdial/contracts';
import { renderPrompt } from '@outdial/core';

/** The lines that an agent says without asking its model. */
export function scriptedLines(agent: {
  voice: AgentVoice;
  promptParams: Readonly<Record<string, string>>;
  disclosure?: string | null;
}) {
  const { voice, promptParams, disclosure } = agent;
  const rendered = (text: string | null) => (text === null ? null : renderPrompt(text, promptParams).text);
  const afterDisclosure = (text: string | null) =>
    [disclosure, rendered(text)].filter((part) => part != null).join(' ');
  const greeting = afterDisclosure(voice.greeting);
  return {
    /** Null if the agent waits for the person. */
    greeting: greeting === '' ? null : greeting,
    /** Null if the agent leaves no message. */
    voicemail: voice.voicemail.action === 'leave_message' ? afterDisclosure(voice.voicemail.message) : null,
    /** The prompt for the nth silence in a row, or null. */
    idle: (nth: number) => rendered(voice.idle.prompts[nth - 1] ?? null),
  };
}
