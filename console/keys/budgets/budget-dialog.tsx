import { useId, useState } from 'preact/hooks'
import type { CallOptions } from '../../api/client.ts'
import type { OrganizationBudget, WorkspaceBudget } from '../../api/types.ts'
import { Conflict } from '../../components/form/conflict.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useObjectForm } from '../../components/form/object-form.ts'
import { parseThresholds, ThresholdsInput } from '../../components/form/thresholds-input.tsx'
import { useAction } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import type { BudgetInterval } from './budget-labels.ts'

export type Budget = WorkspaceBudget | OrganizationBudget
type BudgetBody = { limit_usd: number; include_byok_in_budgets?: boolean; thresholds: number[] }
/** The budgets of a workspace or of the organization on the service. */
export type BudgetStore = {
  load: (interval: BudgetInterval) => Promise<Budget>
  save: (interval: BudgetInterval, body: BudgetBody, options: CallOptions) => Promise<void>
  remove: (interval: BudgetInterval, options: CallOptions) => Promise<void>
}

type Props = {
  title: string
  interval: BudgetInterval
  /** The current budget; undefined without one. */
  budget: Budget | undefined
  includesByok: boolean
  store: BudgetStore
  onChanged: () => void
  onClose: () => void
}

type Fields = { limit_usd: string; thresholds: string }

const fieldsOf = (budget: Budget | undefined): Fields =>
  budget
    ? { limit_usd: String(budget.limit_usd), thresholds: budget.thresholds.join(', ') }
    : { limit_usd: '', thresholds: '50, 80, 100' }

/** A dialog that sets, changes or removes the budget of an interval. The field displays the service's reason for refusing a limit. */
export function BudgetDialog({ title, interval, budget, includesByok, store, onChanged, onClose }: Props) {
  const load = async () => (await store.load(interval)) as Budget | undefined
  const { fields, setFields, saveIfUnmodified, conflict } = useObjectForm(budget, load, fieldsOf)
  const [countsByok, setCountsByok] = useState(includesByok)
  const problemId = useId()
  const { problem, isBusy, run, onSubmit } = useAction()
  const runAndClose = async (action: (options: CallOptions) => Promise<void>, doneMessage: string) => {
    if (!(await saveIfUnmodified(action))) return
    onChanged()
    onClose()
    toast(`The ${interval} budget is ${doneMessage}`)
  }
  const body: BudgetBody = {
    limit_usd: Number(fields.limit_usd),
    thresholds: parseThresholds(fields.thresholds),
    // It belongs to the budgets of all intervals, which others may have changed.
    include_byok_in_budgets: countsByok === includesByok ? undefined : countsByok,
  }
  const submit = onSubmit(() => runAndClose((options) => store.save(interval, body, options), 'saved'))
  return (
    <Dialog title={`The ${interval} budget`} onClose={onClose}>
      <h2>
        {title}: {interval}
      </h2>
      <form class="fields" onSubmit={submit}>
        <label>
          Limit in USD
          <input
            required
            type="number"
            min="0"
            step="any"
            inputMode="decimal"
            value={fields.limit_usd}
            aria-invalid={problem !== undefined}
            aria-describedby={problemId}
            onInput={(event) => setFields({ ...fields, limit_usd: event.currentTarget.value })}
          />
        </label>
        <ThresholdsInput value={fields.thresholds} onChange={(thresholds) => setFields({ ...fields, thresholds })} />
        <p id={problemId} class="bad" role="alert" hidden={problem === undefined}>
          {problem}
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={countsByok}
            onChange={(event) => setCountsByok(event.currentTarget.checked)}
          />
          Count spending on your own provider keys, in the budgets of all intervals
        </label>
        {conflict && <Conflict name={`The ${interval} budget`} {...conflict} />}
        <FormActions problem={undefined} label="Save" disabled={isBusy || conflict !== undefined} onClose={onClose}>
          {budget && (
            <button
              type="button"
              class="bad"
              disabled={isBusy || conflict !== undefined}
              onClick={() => void run(() => runAndClose((options) => store.remove(interval, options), 'removed'))}
            >
              Remove
            </button>
          )}
        </FormActions>
      </form>
    </Dialog>
  )
}
