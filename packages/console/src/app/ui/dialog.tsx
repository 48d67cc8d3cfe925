import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Button } from './basics.tsx';

/** The browser's dialog, which traps the focus, closes with Escape, and returns the focus. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onClick={onClose}>
          <span class="hidden">Close</span>
        </Button>
      </div>
      {children}
    </dialog>
  );
}

export function Confirm({
  title,
  text,
  yes,
  busy,
  onYes,
  onClose,
}: {
  title: string;
  text: string;
  yes: string;
  busy: boolean;
  onYes: () => void;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="dialog-actions">
        <Button onClick={onClose}>Keep</Button>
        <Button kind="danger" busy={busy} onClick={onYes}>
          {yes}
        </Button>
      </div>
    </Dialog>
  );
}
