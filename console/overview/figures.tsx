import type { ComponentChildren } from 'preact'
import { role } from '../api/session.ts'
import { count, exactCount, percent } from '../format/count.ts'
import { exactMoney, money } from '../format/money.ts'
import { duration } from '../format/time.ts'
import type { Row } from './queries.ts'
import { spendingByMember } from './spending-paths.ts'

/** The totals of the time range, compared with the previous one. */
export function Figures({ total, previous, span }: { total: Row; previous: Row; span: string }) {
  const numberIn = (row: Row, name: string) => (typeof row[name] === 'number' ? row[name] : undefined)
  const change = (name: string) => (
    <Change now={numberIn(total, name)} previous={numberIn(previous, name)} span={span} />
  )
  const requests = numberIn(total, 'request_count') ?? 0
  const [failed, refused] = [numberIn(total, 'error_count') ?? 0, numberIn(total, 'refused_count') ?? 0]
  const [p50, p95] = [numberIn(total, 'latency_p50'), numberIn(total, 'latency_p95')]
  const [cost, saving] = [numberIn(total, 'upstream_inference_cost') ?? 0, numberIn(total, 'cache_saving') ?? 0]
  return (
    <dl class="figures">
      <Figure
        name={role() === 'developer' ? 'your requests' : 'requests'}
        exact={exactCount(requests)}
        note={change('request_count')}
      >
        {exactCount(requests)}
      </Figure>
      <Figure
        name="spent"
        exact={exactMoney(cost)}
        note={
          <>
            {change('upstream_inference_cost')}{' '}
            {role() !== 'developer' && <a href={spendingByMember()}>this month by member</a>}
          </>
        }
      >
        {money(cost)}
      </Figure>
      <Figure name="first token p50 / p95" note={p95 !== undefined && `/ ${duration(p95)}`}>
        {p50 === undefined ? '–' : duration(p50)}
      </Figure>
      <Figure name="failed, refused" note={`${exactCount(failed)}, ${exactCount(refused)}`}>
        {requests === 0 ? '–' : percent((failed + refused) / requests)}
      </Figure>
      <Figure
        name="saved by caches"
        exact={exactMoney(saving)}
        note={cost + saving > 0 && `${percent(saving / (cost + saving))} of the full cost`}
      >
        {money(saving)}
      </Figure>
      <Figure name="tokens" exact={exactCount(numberIn(total, 'tokens_total') ?? 0)} note={change('tokens_total')}>
        {count(numberIn(total, 'tokens_total') ?? 0)}
      </Figure>
    </dl>
  )
}

type FigureProps = { name: string; exact?: string; note?: ComponentChildren; children: ComponentChildren }

function Figure({ name, exact, note, children }: FigureProps) {
  return (
    <div>
      <dt class="dim">{name}</dt>
      <dd>
        <b title={exact}>{children}</b> <span class="dim">{note}</span>
      </dd>
    </div>
  )
}

/** The change since the previous time range, such as `+12 %`. */
function Change({ now, previous, span }: { now: number | undefined; previous: number | undefined; span: string }) {
  if (!now || !previous) return null
  const share = now / previous - 1
  // From ten times on, the factor is easier to read than per cent.
  const text =
    Math.abs(share) > 9.99
      ? `${(now / previous).toFixed(0)} × previous`
      : `${share < 0 ? '−' : '+'}${Math.abs(share * 100).toFixed(0)} %`
  return <span title={`compared with the previous ${span}`}>{text}</span>
}
