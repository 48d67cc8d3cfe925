import type { PromptPiece } from '../prompts/fill-prompt.ts';

/** A prompt in which values and unfilled placeholders are marked. */
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
