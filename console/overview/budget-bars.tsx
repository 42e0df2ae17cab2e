import { money } from '../format/money.ts'
import { relativeTime } from '../format/time.ts'
import { Usd } from '../pieces/amount.tsx'
import { type Budget, type Forecast, forecastOf, periodAt, standingOf } from './budgets.ts'

const words = { daily: 'a day', weekly: 'a week', monthly: 'a month' }

/** Limits on spending as bars: what is spent, and what will be at the end of the period at this pace. */
export function BudgetBars({ budgets }: { budgets: Budget[] }) {
  const now = Date.now()
  const told = budgets
    .map((budget) => ({ budget, forecast: forecastOf(budget, now) }))
    .sort((a, b) => b.budget.spent / b.budget.limit - a.budget.spent / a.budget.limit)
  return (
    <ul class="budgets">
      {told.map(({ budget, forecast }) => (
        <li key={budget.id}>
          <BudgetBar budget={budget} forecast={forecast} now={now} />
        </li>
      ))}
    </ul>
  )
}

function BudgetBar({ budget, forecast, now }: { budget: Budget; forecast: Forecast | undefined; now: number }) {
  const { name, kind, limit, spent, interval } = budget
  const { tone, says } = standingOf(budget, forecast)
  // The whole bar is the limit, or what will be spent where that is more.
  const whole = Math.max(limit, spent, forecast?.amount ?? 0)
  const width = (amount: number) => `${Math.min(100, (amount / whole) * 100)}%`
  return (
    <>
      <div class="budget-words">
        <span>
          <span class={`dot ${tone}`} />
          {name} <span class="dim">{kind}</span>
        </span>
        <span>
          <Usd amount={spent} /> <span class="dim">of</span> <Usd amount={limit} />{' '}
          <span class="dim">{interval ? words[interval] : 'in all'}</span>
        </span>
      </div>
      <div class={`budget-bar ${tone}`} aria-hidden="true">
        {forecast && <i class="forecast" style={{ width: width(forecast.amount) }} />}
        <i class="spent" style={{ width: width(spent) }} />
        <i class="limit" style={{ left: width(limit) }} />
      </div>
      <div class="budget-words dim">
        <span>{says}</span>
        {interval && (
          <span>
            {forecast && `${money(forecast.amount)} at this pace, `}
            starts again {relativeTime(new Date(periodAt(interval, now).to), new Date(now))}
          </span>
        )}
      </div>
    </>
  )
}
