import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Agent } from '../../data/agents.ts';
import { countMissing, fillPrompt, placeholdersOf } from '../../prompts/fill-prompt.ts';
import { columnOf, type ColumnUse, guessColumns, promptValues } from '../../sheets/mapping.ts';
import { valuesOf } from '../../sheets/sheet.ts';
import { Button, ButtonLink, Card, Empty } from '../../ui/basics.tsx';
import { Choice } from '../../ui/fields.tsx';
import { PromptText } from '../../ui/prompt-text.tsx';
import { count } from '../../words/dates.ts';
import { CallMeFirst } from './call-me-first.tsx';
import type { ChangeDraft, Draft } from './draft.ts';

interface Props {
  draft: Draft;
  change: ChangeDraft;
  agents: readonly Agent[];
}

/** The agent, and a preview of the prompt for each person. */
export function AgentAndPrompt({ draft, change, agents }: Props) {
  const [at, setAt] = useState(0);
  const agent = agents.find(({ id }) => id === draft.agentId);
  const [only] = agents;
  useEffect(() => {
    if (draft.agentId === '' && only !== undefined && agents.length === 1) choose(only.id);
  }, [agents]);

  const { sheet, columns } = draft;
  const prompt = agent?.latest_prompt?.prompt ?? '';
  const names = useMemo(() => placeholdersOf(prompt), [prompt]);
  const rows = useMemo(
    () => (sheet?.rows ?? []).map((row) => promptValues(columns, valuesOf(sheet ?? { columns: [] }, row))),
    [sheet, columns],
  );
  const missing = useMemo(() => countMissing(names, rows), [names, rows]);

  /** Columns with their original name get the name of the similar prompt value. */
  function choose(agentId: string): void {
    const chosen = agents.find(({ id }) => id === agentId);
    const wanted = placeholdersOf(chosen?.latest_prompt?.prompt ?? '');
    const guessed = sheet === null ? {} : guessColumns(sheet.columns, sheet.rows, wanted);
    const renamed = Object.entries(columns).map(([column, use]): [string, ColumnUse] => {
      const better = guessed[column];
      const isOwnName = use.kind === 'value' && use.name === column;
      return [column, isOwnName && better?.kind === 'value' ? better : use];
    });
    change({ agentId, columns: Object.fromEntries(renamed) });
  }

  if (agents.length === 0) {
    return (
      <Card title="Prompt">
        <Empty icon="agents" title="No agent yet">
          <ButtonLink href="/console/agents">Create an agent</ButtonLink>
        </Empty>
      </Card>
    );
  }
  const row = sheet?.rows[at];
  const phone = columnOf(columns, 'phone');
  const person =
    row === undefined || sheet === null || phone === null ? '' : (valuesOf(sheet, row)[phone] ?? '');
  return (
    <Card title="Prompt">
      <div class="form">
        <div class="narrow">
          <Choice
            label="Agent"
            value={draft.agentId}
            onChange={choose}
            options={[
              { value: '', text: 'Choose an agent' },
              ...agents.map(({ id, name }) => ({ value: id, text: name })),
            ]}
          />
        </div>
        {agent !== undefined && prompt === '' && (
          <p class="note">This agent has no prompt yet, so it cannot make calls.</p>
        )}
        {agent !== undefined && prompt !== '' && (
          <>
            {missing.map(({ name, rows: lacking }) => (
              <p key={name} class="note">
                <code>{name}</code> is missing in{' '}
                {lacking === rows.length ? 'every row' : count(lacking, 'row')}: the agent would say the name
                of the placeholder instead.
              </p>
            ))}
            <figure class="preview">
              <figcaption class="preview-head">
                <span>
                  Row {at + 1} of {rows.length} <span class="muted mono">{person}</span>
                </span>
                <span class="line">
                  <Button
                    kind="quiet"
                    icon="back"
                    label="Previous row"
                    disabled={at === 0}
                    onClick={() => setAt(at - 1)}
                  >
                    <span class="hidden">Previous row</span>
                  </Button>
                  <Button
                    kind="quiet"
                    icon="next"
                    label="Next row"
                    disabled={at + 1 >= rows.length}
                    onClick={() => setAt(at + 1)}
                  >
                    <span class="hidden">Next row</span>
                  </Button>
                </span>
              </figcaption>
              <PromptText pieces={fillPrompt(prompt, rows[at] ?? {})} />
            </figure>
            <CallMeFirst agentId={agent.id} values={rows[at] ?? {}} />
          </>
        )}
      </div>
    </Card>
  );
}
