import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  /** The service's fault of its value. */
  fault?: string | undefined;
  children: (attributes: FieldAttributes) => ComponentChildren;
}

/** The attributes that tie a control to its label, hint and fault. */
interface FieldAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

export function Field({ label, hint, fault, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const faultId = `${id}-fault`;
  const describedBy = [...(fault === undefined ? [] : [faultId]), ...(hint === undefined ? [] : [hintId])];
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': describedBy.length === 0 ? undefined : describedBy.join(' '),
        'aria-invalid': fault === undefined ? undefined : true,
      })}
      {fault !== undefined && (
        <p class="field-fault" id={faultId}>
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface TextProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  type?: 'text' | 'password' | 'email' | 'tel' | 'date' | 'time' | 'url' | 'number' | 'search';
  required?: boolean;
  placeholder?: string;
  autocomplete?: string;
  list?: readonly string[];
  min?: number;
  max?: number;
  mono?: boolean;
  fault?: string | undefined;
}

export function TextField({
  label,
  value,
  onInput,
  hint,
  fault,
  type = 'text',
  list,
  mono,
  ...rest
}: TextProps) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => (
        <>
          <input
            // Preact's types depend on the literal input type, which a variable is not.
            {...({
              type,
              list: list === undefined ? undefined : `${attributes.id}-list`,
              ...rest,
              ...attributes,
            } as InputHTMLAttributes)}
            class={mono === true ? 'mono' : ''}
            value={value}
            onInput={(event) => onInput(event.currentTarget.value)}
          />
          {list !== undefined && (
            <datalist id={`${attributes.id}-list`}>
              {list.map((option) => (
                <option key={option} value={option} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export function TextArea({
  label,
  value,
  onInput,
  hint,
  rows = 4,
  mono,
}: {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  rows?: number;
  mono?: boolean;
}) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <textarea
          {...attributes}
          rows={rows}
          class={mono === true ? 'mono' : ''}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export function Choice<Value extends string>({
  label,
  value,
  onChange,
  options,
  hint,
  fault,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: ReadonlyArray<{ value: Value; text: string }>;
  hint?: ComponentChildren;
  fault?: string | undefined;
}) {
  return (
    <Field label={label} hint={hint} fault={fault}>
      {(attributes) => (
        <select
          {...attributes}
          value={value}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.currentTarget.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check({
  label,
  checked,
  onChange,
  hint,
}: {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  hint?: string;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>
        {label}
        {hint !== undefined && <small class="hint">{hint}</small>}
      </span>
    </label>
  );
}
