import { useId, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

/** Takes files that are dropped on it, or chosen: it is a label, so the keyboard and screen readers have an ordinary file field. */
export function DropZone({
  label,
  hint,
  accept,
  multiple = false,
  onFiles,
}: {
  label: string;
  hint: string;
  accept: string;
  multiple?: boolean;
  onFiles: (files: File[]) => void;
}) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <label
      class={`drop${over ? ' over' : ''}`}
      for={id}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Icon name="upload" />
      <span class="drop-label">{label}</span>
      <span class="hint">{hint}</span>
      <input
        id={id}
        type="file"
        accept={accept}
        multiple={multiple}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // Allows the same file to be chosen again after a correction.
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}
