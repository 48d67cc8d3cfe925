import type { ComponentChildren } from 'preact';

/** A form that the page itself sends; the browser checks its fields first, unless `noValidate` leaves that to the service. */
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
        onSend();
      }}
    />
  );
}
