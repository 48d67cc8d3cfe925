import { useNotices } from './notices.tsx';
import { Button } from './basics.tsx';

/** A secret that is shown only once, with a button to copy it. */
export function Secret({
  label,
  value,
  advice = 'Store it with your other secrets.',
}: {
  label: string;
  value: string;
  advice?: string;
}) {
  const notices = useNotices();
  return (
    <div class="secret" role="status">
      <p>
        <strong>{label}:</strong> shown only once. {advice}
      </p>
      <div class="line">
        <code>{value}</code>
        <Button
          onClick={() => {
            navigator.clipboard.writeText(value).then(
              () => notices.say('Copied'),
              () => notices.say('Select and copy it by hand'),
            );
          }}
        >
          Copy
        </Button>
      </div>
    </div>
  );
}
