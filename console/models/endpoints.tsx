import type { Endpoint } from '../api/types.ts'
import { count, exactCount, percent } from '../format/count.ts'
import { duration } from '../format/time.ts'
import { PerMillion } from './price.tsx'

const statusClasses: Record<string, string> = { healthy: 'ok', degraded: 'warn', down: 'bad', unconfigured: 'warn' }
const statusLabels: Record<string, string> = { unconfigured: 'no credential' }

/** The endpoints of a model. The best value of a column is bold if several endpoints are configured. */
export function Endpoints({ endpoints }: { endpoints: Endpoint[] }) {
  const configured = endpoints.filter(({ status }) => status !== 'unconfigured')
  const best = configured.length > 1 ? bestValues(configured) : undefined
  return (
    <section class="wide-table" aria-label="Endpoints" tabIndex={0}>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">provider</th>
            <th scope="col">status</th>
            {[
              'prompt, $/M',
              'completion, $/M',
              'cached, $/M',
              'context',
              'first token p50 / p90',
              'tokens/s',
              'uptime 30 min / 1 day',
            ].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
            <th scope="col">quantization</th>
          </tr>
        </thead>
        <tbody>
          {endpoints.map((endpoint) => (
            <Row key={endpoint.tag} endpoint={endpoint} best={best} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type BestValues = Record<'prompt' | 'completion' | 'latency' | 'throughput', number>

const bestValues = (endpoints: Endpoint[]): BestValues => ({
  prompt: Math.min(...endpoints.map(({ pricing }) => Number(pricing.prompt))),
  completion: Math.min(...endpoints.map(({ pricing }) => Number(pricing.completion))),
  latency: Math.min(...endpoints.flatMap(({ latency_last_30m }) => latency_last_30m?.p50 ?? [])),
  throughput: Math.max(...endpoints.flatMap(({ throughput_last_30m }) => throughput_last_30m?.p50 ?? [])),
})

/** @param props.best undefined if there is nothing to compare. */
function Row({ endpoint, best }: { endpoint: Endpoint; best: BestValues | undefined }) {
  const { provider_name, tag, status, pricing, context_length, quantization } = endpoint
  const { latency_last_30m: latency, throughput_last_30m: throughput, uptime_last_30m, uptime_last_1d } = endpoint
  const isConfigured = status !== 'unconfigured'
  const numberClass = (isBest: boolean) => (best && isConfigured && isBest ? 'number best' : 'number')
  return (
    <tr>
      <th scope="row">
        {provider_name} <span class="dim">{tag}</span>
      </th>
      <td>
        <span class={`dot ${statusClasses[status] ?? 'warn'}`} />
        {statusLabels[status] ?? status}
        {endpoint.billed_more_than_bound !== undefined && (
          <span class="mark bad" title={`In ${exactCount(endpoint.billed_more_than_bound)} requests`}>
            {' '}
            billed above the maximum
          </span>
        )}
      </td>
      <td class={numberClass(Number(pricing.prompt) === best?.prompt)}>
        <PerMillion usd={pricing.prompt} />
      </td>
      <td class={numberClass(Number(pricing.completion) === best?.completion)}>
        <PerMillion usd={pricing.completion} />
      </td>
      <td class="number">
        <PerMillion usd={pricing.input_cache_read} />
      </td>
      <td class="number" title={`${exactCount(context_length)} tokens`}>
        {count(context_length)}
      </td>
      <td class={numberClass(latency?.p50 === best?.latency)}>
        {latency ? duration(latency.p50) : '–'} <span class="dim">/ {latency ? duration(latency.p90) : '–'}</span>
      </td>
      <td class={numberClass(throughput?.p50 === best?.throughput)}>{throughput ? throughput.p50.toFixed(0) : '–'}</td>
      <td class="number">
        {formatUptime(uptime_last_30m)} <span class="dim">/ {formatUptime(uptime_last_1d)}</span>
      </td>
      <td class="dim">{quantization === 'unknown' ? '–' : quantization}</td>
    </tr>
  )
}

const formatUptime = (value: number | null) => (value === null ? '–' : percent(value / 100))
