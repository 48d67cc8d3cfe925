import type { ToolDeclaration } from '../language-model/index.ts';

export interface RealtimeSettings {
  /** The base URL of the endpoint, without `/realtime`. */
  url: string;
  key: string | null;
  model: string | null;
  instructions: string;
  voice: string | null;
  speed: number | null;
  /** The model that transcribes the person. */
  transcriptionModel: string;
  language: string;
  tools: readonly ToolDeclaration[];
  maxTokens: number;
  /** How long the server may be silent during an answer. */
  silentMs: number;
}

/** Turns follow our own rules, so the server's turn detection is off. Audio goes both ways in the format of the line. */
export function sessionOf(settings: RealtimeSettings): object {
  return {
    type: 'realtime',
    output_modalities: ['audio'],
    instructions: settings.instructions,
    max_output_tokens: settings.maxTokens,
    audio: {
      input: {
        format: { type: 'audio/pcmu' },
        turn_detection: null,
        transcription: {
          model: settings.transcriptionModel,
          language: settings.language.split('-', 1)[0] ?? settings.language,
        },
      },
      output: {
        format: { type: 'audio/pcmu' },
        ...(settings.voice !== null && { voice: settings.voice }),
        ...(settings.speed !== null && { speed: settings.speed }),
      },
    },
    tools: settings.tools.map((tool) => ({ type: 'function', ...tool })),
    tool_choice: 'auto',
  };
}
