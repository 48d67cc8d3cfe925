import type { PromptPiece } from '../prompts/fill-prompt.ts';

/** A prompt with its values marked, and the places that have none. */
export function PromptText({ pieces }: { pieces: readonly PromptPiece[] }) {
  return (
    <p class="prompt-text">
      {pieces.map((piece, at) => {
        switch (piece.kind) {
          case 'text':
            return piece.text;
          case 'value':
            return (
              <mark key={at} title={piece.name}>
                {piece.text}
              </mark>
            );
          case 'missing':
            return (
              <mark key={at} class="missing">
                {piece.name} is missing
              </mark>
            );
        }
      })}
    </p>
  );
}
