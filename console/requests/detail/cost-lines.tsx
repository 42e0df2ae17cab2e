import { useGet } from '../../api/resource.ts'
import type { Generation, Key } from '../../api/types.ts'
import { exactCount } from '../../format/count.ts'
import { exactMoney, money, perMillion } from '../../format/money.ts'
import { exactTime } from '../../format/time.ts'
import { costLines, isSumCorrect, pricesOf } from './cost.ts'
import { ReleaseCharge } from './release-charge.tsx'

type ChargedProps = { generation: Generation; paidBy: Key | undefined }

/** The cost of a request line by line, and the key it was charged to. */
export function Cost({ generation, paidBy, onChanged }: ChargedProps & { onChanged: () => void }) {
  const [author = '', ...slug] = generation.model.split('/')
  const { charged_prices: charged } = generation
  const hasEndpoint = charged === null && generation.endpoint_id !== null && slug.length > 0
  const path = { params: { author, slug: slug.join('/') } }
  const { data } = useGet('GET /models/{author}/{slug}/endpoints', hasEndpoint ? path : undefined)
  const prices = charged ?? pricesOf(data?.data.endpoints, generation.endpoint_id)
  const lines = prices ? costLines(generation, prices) : []
  return (
    <>
      <div class="cost">
        {lines.map(({ label, count, unit, price, usd }) => (
          <div key={label}>
            <span>
              {label}, {exactCount(count)}
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
        <Unconfirmed generation={generation} />
      </div>
      <ReleaseCharge generation={generation} onReleased={onChanged} />
      <CostRemarks
        generation={generation}
        linesMatchCost={!prices || isSumCorrect(lines, generation.upstream_inference_cost)}
      />
    </>
  )
}

function Charged({ generation, paidBy }: ChargedProps) {
  if (generation.is_byok) return <span>paid with the workspace’s own provider key</span>
  const { limit, limit_remaining: remaining } = paidBy ?? {}
  return (
    <>
      <span>
        charged to{' '}
        <a href={`/keys?q=${generation.key_hash}&workspace_id=${generation.workspace_id}`}>
          {paidBy?.name ?? `${generation.key_hash.slice(0, 8)}…`}
        </a>
      </span>
      {typeof limit === 'number' && typeof remaining === 'number' && (
        <span class="number dim">
          {money(limit - remaining)} of {money(limit)}
        </span>
      )}
    </>
  )
}

function Unconfirmed({ generation }: { generation: Generation }) {
  const { unconfirmed_usd: unconfirmed, limit_cost } = generation
  if (unconfirmed === 0) return null
  return (
    <>
      <div>
        <span>unconfirmed: charged to limits until the provider reports its bill</span>
        <span />
        <span class="number">{exactMoney(unconfirmed)}</span>
      </div>
      <div class="sum">
        <span>counted by limits</span>
        <span />
        <span class="number">{exactMoney(limit_cost)}</span>
      </div>
    </>
  )
}

function CostRemarks({ generation, linesMatchCost }: { generation: Generation; linesMatchCost: boolean }) {
  const { tokens_estimated, unpriced } = generation
  const chargedAttempts = generation.attempts.filter(({ charged_usd }) => charged_usd)
  return (
    <>
      {(chargedAttempts.length > 1 || (chargedAttempts.length > 0 && generation.outcome === 'failed')) && (
        <p class="dim">
          Charged attempts, which their providers can bill:{' '}
          {chargedAttempts
            .map(({ endpoint_id, charged_usd }) => `${endpoint_id} ${exactMoney(charged_usd ?? 0)}`)
            .join(', ')}
          .
        </p>
      )}
      {generation.billed_more_than_bound && (
        <p class="refusal">
          Billed above the maximum: the provider {billText(generation)} more than this request could use. Limits are
          charged the highest possible cost.
        </p>
      )}
      {generation.correction && <Correction correction={generation.correction} />}
      {tokens_estimated && (
        <p class="dim">The tokens are estimated, because the provider did not report them to the end.</p>
      )}
      {unpriced.length > 0 && (
        <p class="dim">Not included, because the catalogue has no price: {unpriced.join(', ')}.</p>
      )}
      {!linesMatchCost && !generation.billed_more_than_bound && (
        <p class="dim">
          {generation.charged_prices
            ? 'The lines use the prices of this model. Other models that its tools ran have their own prices.'
            : 'The prices of this older request were not recorded. The lines use current prices, which can differ.'}
        </p>
      )}
    </>
  )
}

/** The predicate of "the provider … more than this request could use". */
const billText = ({ correction }: Generation) =>
  correction?.billed_usd == null ? 'counted' : `billed ${exactMoney(correction.billed_usd)},`

function Correction({
  correction: { source, unconfirmed_usd, at },
}: {
  correction: NonNullable<Generation['correction']>
}) {
  const change = source === 'provider' ? 'The provider reported its bill later' : 'An admin released the amount'
  return (
    <p class="dim">
      {exactMoney(unconfirmed_usd)} was unconfirmed. {change}: {exactTime(new Date(at))}.
    </p>
  )
}
