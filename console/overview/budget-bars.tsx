import { periodText } from '../components/policy/policy-description.ts'
import { Usd } from '../components/text/usd.tsx'
import { countText } from '../format/count.ts'
import { money } from '../format/money.ts'
import { relativeTime } from '../format/time.ts'
import { type Budget, budgetStatus } from './budgets.ts'

/** The minimum number of visible bars. All bars that need attention are visible. */
const minVisible = 5

/**
 * Spending limits as bars: spent, reserved and forecast amounts.
 * @param props.hiddenCount the number of limits that are not loaded, because they use less.
 */
export function BudgetBars({ budgets, hiddenCount }: { budgets: Budget[]; hiddenCount: number }) {
  const urgency = (budget: Budget) => ({ bad: 2, warn: 1, ok: 0 })[budgetStatus(budget).tone]
  const sorted = budgets.toSorted((a, b) => urgency(b) - urgency(a) || b.spent / b.limit - a.spent / a.limit)
  const count = Math.max(minVisible, sorted.filter(urgency).length)
  const others = sorted.slice(count)
  return (
    <>
      <Bars budgets={sorted.slice(0, count)} />
      {others.length > 0 && (
        <details class="other-budgets">
          <summary class="dim">{countText(others.length + hiddenCount, 'other limit')}, none nearly used up</summary>
          <Bars budgets={others} />
          {hiddenCount > 0 && (
            <p>
              <a href="/keys">{countText(hiddenCount, 'key')} with limits that use less</a>
            </p>
          )}
        </details>
      )}
    </>
  )
}

function Bars({ budgets }: { budgets: Budget[] }) {
  return (
    <ul class="budgets">
      {budgets.map((budget) => (
        <li key={budget.id}>
          <BudgetBar budget={budget} />
        </li>
      ))}
    </ul>
  )
}

function BudgetBar({ budget }: { budget: Budget }) {
  const { name, kind, limit, spent, reserved, forecast, interval, resetsAt } = budget
  const { tone, text } = budgetStatus(budget)
  // The width of the bar is the limit, or the spend or the forecast if that is larger.
  const scale = Math.max(limit, spent, forecast ?? 0)
  const barWidth = (amount: number) => `${Math.min(100, (amount / scale) * 100)}%`
  return (
    <>
      <div class="budget-text">
        <span>
          <span class={`dot ${tone}`} />
          {name} <span class="dim">{kind}</span>
        </span>
        <span>
          <Usd amount={spent} /> <span class="dim">of</span> <Usd amount={limit} />{' '}
          <span class="dim">{periodText(interval)}</span>
        </span>
      </div>
      <div class={`budget-bar ${tone}`} aria-hidden="true">
        {forecast !== null && <i class="forecast" style={{ width: barWidth(forecast) }} />}
        {reserved > 0 && <i class="reserved" style={{ width: barWidth(spent + reserved) }} />}
        <i class="spent" style={{ width: barWidth(spent) }} />
        <i class="limit" style={{ left: barWidth(limit) }} />
      </div>
      <div class="budget-text dim">
        <span>
          {text}
          {reserved > 0 && `, ${money(reserved)} reserved for requests`}
        </span>
        {resetsAt !== null && (
          <span>
            {forecast !== null && `forecast ${money(forecast)}, `}
            resets {relativeTime(new Date(resetsAt), new Date())}
          </span>
        )}
      </div>
    </>
  )
}
