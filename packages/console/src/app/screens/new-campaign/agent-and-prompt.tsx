import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Agent } from '../../data/agents.ts';
import { fillPrompt, placeholdersOf } from '../../prompts/fill-prompt.ts';
import { columnOf, type ColumnUse, countMissing, guessColumns, promptValues } from '../../sheets/mapping.ts';
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
  const missing = sheet === null ? [] : countMissing(names, columns, sheet);

  /** Columns with their original name get the name of the similar prompt value. */
  function choose(agentId: string): void {
    const chosen = agents.find(({ id }) => id === agentId);
    const wanted = placeholdersOf(chosen?.latest_prompt?.prompt ?? '');
    const guessed = sheet === null ? {} : guessColumns(sheet, wanted);
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
  const { count: rows = 0, rows: shown = [] } = sheet ?? {};
  const cells = shown[at]?.cells ?? [];
  const phone = columnOf(columns, 'phone');
  const person = cells[sheet?.columns.findIndex(({ name }) => name === phone) ?? -1] ?? '';
  const values = sheet === null ? {} : promptValues(columns, sheet, cells);
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
                <code>{name}</code> is missing in {lacking === rows ? 'every row' : count(lacking, 'row')}:
                the agent would say the name of the placeholder instead.
              </p>
            ))}
            <figure class="preview">
              <figcaption class="preview-head">
                <span>
                  Row {at + 1} of {rows} <span class="muted mono">{person}</span>
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
                    disabled={at + 1 >= shown.length}
                    onClick={() => setAt(at + 1)}
                  >
                    <span class="hidden">Next row</span>
                  </Button>
                </span>
              </figcaption>
              <PromptText pieces={fillPrompt(prompt, values)} />
            </figure>
            {rows > shown.length && (
              <p class="hint">The first {count(shown.length, 'row')} can be viewed here.</p>
            )}
            <CallMeFirst agentId={agent.id} values={values} />
          </>
        )}
      </div>
    </Card>
  );
}
