import type { ComponentChildren } from 'preact';
import { Button, Fault } from './basics.tsx';
import type { IconName } from './icon.tsx';

/**
 * A form that is sent by script. The browser validates its fields first, unless `noValidate` leaves that to the service. A text that is no number, or no
 * date, has the value of an empty field, so the service cannot know of it.
 */
export function Form({
  onSend,
  ...attributes
}: {
  onSend: () => void;
  class?: string;
  noValidate?: boolean;
  children: ComponentChildren;
}) {
  return (
    <form
      {...attributes}
      onSubmit={(event) => {
        event.preventDefault();
        const unreadable = [...event.currentTarget.querySelectorAll('input')].find(
          ({ validity }) => validity.badInput,
        );
        if (unreadable === undefined) onSend();
        else unreadable.reportValidity();
      }}
    />
  );
}

/** The end of a form: why it could not be sent, and the button that sends it. */
export function Send({
  action: { fault, busy },
  ...button
}: {
  action: { fault: string | null; busy: boolean };
  kind?: 'main';
  icon?: IconName;
  disabled?: boolean;
  children: ComponentChildren;
}) {
  return (
    <>
      <Fault text={fault} />
      <div>
        <Button type="submit" busy={busy} {...button} />
      </div>
    </>
  );
}
