import { useGet } from '../api/resource.ts'
import type { Generation, Key } from '../api/types.ts'
import { exactCount } from '../format/count.ts'
import { exactMoney, money, perMillion } from '../format/money.ts'
import { addsUp, costLines, pricesOf } from './cost.ts'

/** The cost of a request line by line, and the key it was charged to. */
export function Cost({ generation, paidBy }: { generation: Generation; paidBy: Key | undefined }) {
  const [author = '', ...slug] = generation.model.split('/')
  const { charged_prices: charged } = generation
  const isAsked = charged === null && generation.endpoint_id !== null && slug.length > 0
  const path = { params: { author, slug: slug.join('/') } }
  const { data } = useGet('GET /models/{author}/{slug}/endpoints', isAsked ? path : undefined)
  const prices = charged ?? pricesOf(data?.data.endpoints, generation.endpoint_id)
  const lines = prices ? costLines(generation, prices) : []
  return (
    <>
      <div class="cost">
        {lines.map(({ says, count, unit, price, usd }) => (
          <div key={says}>
            <span>
              {says}, {exactCount(count)}
            </span>
            <span class="number dim">{unit === 'tokens' ? perMillion(price) : money(price)}</span>
            <span class="number">{exactMoney(usd)}</span>
          </div>
        ))}
        {lines.length === 0 && (
          <div>
            <span>
              prompt {exactCount(generation.tokens_prompt ?? 0)}, completion{' '}
              {exactCount(generation.tokens_completion ?? 0)}
            </span>
            <span />
            <span />
          </div>
        )}
        <div class="sum">
          <Charged generation={generation} paidBy={paidBy} />
          <span class="number">{exactMoney(generation.upstream_inference_cost)}</span>
        </div>
      </div>
      <Remarks generation={generation} isExplained={!prices || addsUp(lines, generation.upstream_inference_cost)} />
    </>
  )
}

function Charged({ generation, paidBy }: { generation: Generation; paidBy: Key | undefined }) {
  if (generation.is_byok) return <span>paid with the workspace’s own provider key</span>
  const { limit, limit_remaining: left } = paidBy ?? {}
  return (
    <>
      <span>
        charged to{' '}
        <a href={`/keys?q=${generation.key_hash}&workspace_id=${generation.workspace_id}`}>
          {paidBy?.name ?? `${generation.key_hash.slice(0, 8)}…`}
        </a>
      </span>
      {typeof limit === 'number' && typeof left === 'number' && (
        <span class="number dim">
          {money(limit - left)} of {money(limit)}
        </span>
      )}
    </>
  )
}

function Remarks({ generation, isExplained }: { generation: Generation; isExplained: boolean }) {
  const { tokens_estimated, limit_cost, upstream_inference_cost, unpriced } = generation
  return (
    <>
      {tokens_estimated && (
        <p class="dim">
          The tokens are estimated, because the provider did not report them. Charged to limits:{' '}
          {exactMoney(limit_cost)}, the maximum possible cost.
        </p>
      )}
      {!tokens_estimated && limit_cost > upstream_inference_cost && (
        <p class="dim">Charged to limits: {exactMoney(limit_cost)}.</p>
      )}
      {unpriced.length > 0 && (
        <p class="dim">Not included, because the catalogue has no price: {unpriced.join(', ')}.</p>
      )}
      {!isExplained && (
        <p class="dim">
          The prices of this older request were not recorded. The lines use current prices, which can differ.
        </p>
      )}
    </>
  )
}
