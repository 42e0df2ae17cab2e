import { useState } from 'preact/hooks'
import { Dialog } from '../components/dialog.tsx'
import { toast } from '../components/toast.tsx'
import { useAction } from '../components/use-action.ts'
import type { BudgetInterval } from './budget-labels.ts'

export type BudgetBody = { limit_usd: number; include_byok_in_budgets: boolean; thresholds: number[] }

const defaultThresholds = [50, 80, 100]

/** The percentages in a text such as `50, 80`. */
const thresholdsIn = (text: string) =>
  text
    .split(/[,\s]+/)
    .filter(Boolean)
    .map(Number)

type Props = {
  title: string
  interval: BudgetInterval
  /** The current budget; undefined without one. */
  budget: { limit_usd: number; thresholds: number[] } | undefined
  includesByok: boolean
  save: (interval: BudgetInterval, body: BudgetBody) => Promise<void>
  remove: (interval: BudgetInterval, body: BudgetBody) => Promise<void>
  onClose: () => void
}

/** Sets, changes or removes the budget of an interval. The field displays the service's reason for refusing a limit. */
export function BudgetDialog({ title, interval, budget, includesByok, save, remove, onClose }: Props) {
  const [limit, setLimit] = useState(budget ? String(budget.limit_usd) : '')
  const [isByok, setByok] = useState(includesByok)
  const [percents, setPercents] = useState((budget?.thresholds ?? defaultThresholds).join(', '))
  const { problem, isBusy, act } = useAction()
  const body = { limit_usd: Number(limit), include_byok_in_budgets: isByok, thresholds: thresholdsIn(percents) }
  const run = (action: Props['save'], done: string) =>
    void act(async () => {
      await action(interval, body)
      onClose()
      toast(`The ${interval} budget is ${done}`)
    })
  const submit = (event: Event) => {
    event.preventDefault()
    run(save, 'saved')
  }
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
            value={limit}
            aria-invalid={problem !== undefined}
            aria-describedby="budget-problem"
            onInput={(event) => setLimit(event.currentTarget.value)}
          />
        </label>
        <label>
          Notify webhooks at, in percent of the limit
          <input
            pattern="[0-9,\s]*"
            title="Whole numbers from 1 to 100, separated by commas; empty for none"
            value={percents}
            onInput={(event) => setPercents(event.currentTarget.value)}
          />
        </label>
        <p id="budget-problem" class="bad" role="alert" hidden={problem === undefined}>
          {problem}
        </p>
        <label class="check">
          <input type="checkbox" checked={isByok} onChange={(event) => setByok(event.currentTarget.checked)} />
          Count spending on your own provider keys, in the budgets of all intervals
        </label>
        <div class="actions">
          <button type="submit" class="main" disabled={isBusy}>
            Save
          </button>
          {budget && (
            <button type="button" class="bad" disabled={isBusy} onClick={() => run(remove, 'removed')}>
              Remove
            </button>
          )}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
