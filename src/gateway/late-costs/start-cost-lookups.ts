import { type Endpoint, type Provider, parseEndpointId } from '#catalogue/index/model.ts'
import type { Extras } from '#chat/events.ts'
import { startReconciler } from '#platform/async/reconcile.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { appendEvents } from '#platform/db/event-log.ts'
import { type ChargedRow, findUnconfirmedCharge } from '#spend/corrections/charged-row.ts'
import { correctCharge } from '#spend/corrections/correct-charge.ts'
import {
  type CostLookup,
  claimCostLookups,
  deleteCostLookups,
  findNextLookupTime,
  lookupBackoff,
  maxAttempts,
} from '#spend/corrections/cost-lookups.ts'
import { fetchSmallJson } from '../attempt/fetch-small-json.ts'
import type { Timeouts } from '../attempt/upstream/timeouts.ts'
import type { Upstreams } from '../attempt/upstream/upstream.ts'
import { resolveAddress } from '../attempt/upstream-request.ts'
import { costOf } from '../pricing/cost.ts'
import { costLookupProtocols, type ReportedBill } from '../providers/cost-lookup-protocols.ts'
import { findProviderProtocol } from '../providers/protocols.ts'
import type { Catalogue, ModelLookup, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { Credentials } from '../request/credentials.ts'
import { toLateCharge } from './late-charge.ts'

type CostLookupDeps = {
  db: Db
  catalogue: Catalogue<ModelLookup & ProviderLookup>
  credentials: Credentials
  upstreams: Pick<Upstreams, 'send'>
  timeouts: Timeouts
  now: () => number
}

/** The most lookups that a server claims at once. */
const maxClaimedLookups = 16
/** The interval at which the stored lookups are read. This also finds the lookups of servers that stopped. */
const pollIntervalMs = 30_000
/** The wait after a failure of the database. */
const retryMs = 5000
/** The shortest time between two passes. */
const minDelayMs = 100

/** A metered request is usually in the database within this time. */
const writeDelayMs = 10_000

/**
 * Asks providers for the cost of responses without a usage report, as `cost_lookup` of the catalogue says, and corrects what
 * was charged. Several servers share the work through the database. Ends with the signal.
 * @returns a function to call after metering a request that has a lookup.
 */
export function startCostLookups(
  deps: CostLookupDeps,
  { signal, onError }: { signal: AbortSignal; onError: (error: Error) => void },
): () => void {
  const { db, now } = deps
  /** Until then, the lookup of a metered request can still arrive in the database. */
  let lookupExpectedUntil = 0
  const { trigger } = startReconciler(
    async () => {
      const claimedLookups = await claimCostLookups(db, now(), maxClaimedLookups)
      for (const lookup of claimedLookups) if (!signal.aborted) await lookUpCost(deps, lookup).catch(onError)
      const nextAt = (await findNextLookupTime(db.query)) ?? Number.POSITIVE_INFINITY
      const maxDelayMs = now() < lookupExpectedUntil ? lookupBackoff.firstMs : pollIntervalMs
      return Math.min(maxDelayMs, Math.max(minDelayMs, nextAt - now()))
    },
    { signal, retryMs, onError },
  )
  trigger()
  return () => {
    lookupExpectedUntil = now() + writeDelayMs
    trigger()
  }
}

/** Makes one attempt to learn the cost of a request. The last one leaves the charge as it is. */
async function lookUpCost(deps: CostLookupDeps, { id, attempts }: CostLookup): Promise<void> {
  const { db, now } = deps
  const row = await db.query
    .selectFrom('generations')
    .where('id', '=', id)
    .select(['organization_id', 'workspace_id', 'key_hash', 'user_id', 'upstream_id', 'provider', 'record'])
    .executeTakeFirst()
  const respondingEndpoint = row && findRespondingEndpoint(deps, row.record)
  if (!row?.upstream_id || !respondingEndpoint) return deleteCostLookups(db.query, [id])
  const caller = { workspaceId: row.workspace_id, keyHash: row.key_hash, userId: row.user_id }
  const bill = await requestBill(deps, caller, respondingEndpoint, row.upstream_id)
  if (bill) {
    await db.exclusively(`charges of ${row.organization_id}`, async (tx) => {
      const isCorrected = await correctByBill(deps, tx, id, bill, respondingEndpoint.endpoint)
      await deleteCostLookups(tx, [id])
      if (!isCorrected) return
      const event = { at: now(), organizationId: row.organization_id, kind: 'generations' as const }
      await appendEvents(tx, [{ ...event, data: JSON.stringify([id]) }])
    })
  } else if (attempts >= maxAttempts) await deleteCostLookups(db.query, [id])
}

/** @returns whether the charge has changed. */
async function correctByBill(
  { db, now }: Pick<CostLookupDeps, 'db' | 'now'>,
  tx: Tx,
  id: string,
  bill: ReportedBill,
  endpoint: Endpoint,
): Promise<boolean> {
  const charge = await findUnconfirmedCharge(tx, id)
  if (!charge) return false
  const billed = toLateCharge(charge, bill, () => priceOfTokens(endpoint, bill, charge), now())
  return billed !== undefined && (await correctCharge(db, tx, charge, billed)) !== undefined
}

type RespondingEndpoint = { endpoint: Endpoint; provider: Provider }

function findRespondingEndpoint(
  { catalogue }: Pick<CostLookupDeps, 'catalogue'>,
  record: string,
): RespondingEndpoint | undefined {
  const { endpoint_id: id } = JSON.parse(record) as { endpoint_id?: string }
  if (!id) return undefined
  const { findModel, findProvider } = catalogue.current()
  const endpoint = findModel(parseEndpointId(id).modelId)?.endpoints.find((endpoint) => endpoint.id === id)
  const provider = endpoint && findProvider(endpoint.provider)
  return endpoint && provider && { endpoint, provider }
}

async function requestBill(
  deps: CostLookupDeps,
  caller: Parameters<Credentials['of']>[0],
  { endpoint, provider }: RespondingEndpoint,
  upstreamId: string,
): Promise<ReportedBill | undefined> {
  const lookupName = endpoint.compatibility?.costLookup
  const protocol = findProviderProtocol(endpoint, provider)
  const access = (await deps.credentials.of(caller)).find(provider, endpoint)
  if (!lookupName || !protocol || !access) return undefined
  const { path, read } = costLookupProtocols[lookupName]
  const response = await fetchSmallJson(deps, {
    ...resolveAddress(access.baseUrl, path(upstreamId)),
    method: 'GET',
    headers: {
      'accept-encoding': 'identity',
      ...(access.secret !== undefined && { authorization: `Bearer ${access.secret}` }),
    },
    body: '',
  })
  return response && response.status < 300 ? read(response.body, protocol) : undefined
}

/** The cost of the tokens by the current prices, with the units that were billed in addition. */
function priceOfTokens(endpoint: Endpoint, { tokens }: ReportedBill, { facts }: ChargedRow): PicoUsd | undefined {
  const extras: Extras = {}
  if (facts.billed_pieces) extras.pieces = facts.billed_pieces
  if (facts.service_tier) extras.serviceTier = facts.service_tier
  return tokens && costOf(endpoint.prices, tokens, extras)
}
