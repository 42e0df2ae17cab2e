import type { Caller } from '#accounts/caller.ts'
import type { Budgets, Reservation } from '#budgets/budgets.ts'
import type { Endpoint } from '#catalogue/model.ts'
import type { Config } from '#config/settings.ts'
import type { Scanner } from '#filters/scan.ts'
import { screenRequest } from '#guardrails/content.ts'
import type { GuardrailRecord } from '#guardrails/guardrail.ts'
import type { GuardrailCache } from '#guardrails/guardrail-cache.ts'
import { judgeEndpoint, judgeModel, judgeRegion, judgeStorage } from '#guardrails/judge.ts'
import { refusal, regionRefusal } from '#guardrails/refusal.ts'
import type { Now } from '#lib/clock.ts'
import type { PicoUsd } from '#lib/pico-usd.ts'
import type { Region } from '#lib/vocabulary.ts'
import { billOf, type Forms } from './bill.ts'
import type { RoutingDeps } from './deps.ts'
import { onlyKnown } from './known-fields.ts'
import { requireRoom } from './lowered.ts'
import { budgetsFor, setAside } from './money.ts'
import type { Candidate } from './plan.ts'
import type { Policy, Ruling } from './policy.ts'
import { priceable } from './priceable.ts'
import { wireOf } from './providers/protocols.ts'
import { regionOf } from './region.ts'
import { unstored } from './unstored.ts'
import { worstCase } from './worst-case.ts'

type GuardDeps = {
  catalogue: RoutingDeps['catalogue']
  guardrailCache: Pick<GuardrailCache, 'of'>
  budgets: Pick<Budgets, 'reserve'>
  scanner: Pick<Scanner, 'scanRequest'>
  now: Now
  config: Pick<Config, 'zdr_vendors' | 'regions'>
}

/** Guardrails at work: what they forbid is left out of the plan, and when nothing is left the request is refused. */
export function guardrailPolicy({ catalogue, guardrailCache, budgets, scanner, now, config }: GuardDeps): Policy {
  return {
    async decide({ caller, host, chat: given, body: givenBody, protocol, candidates }) {
      const guardrails = await guardrailCache.of(caller)
      const limited = budgetsFor(caller, guardrails).length > 0
      const { asked: known, leftOut } = limited
        ? onlyKnown({ chat: given, body: givenBody })
        : { asked: { chat: given, body: givenBody }, leftOut: [] }
      const purse = (asked: Forms) => purseFor({ catalogue, budgets, now }, caller, guardrails, { ...asked, protocol })
      if (guardrails.length === 0) return { candidates, ...known, leftOut, findings: [], ...purse(known) }
      throughRegion(guardrails, regionOf(config.regions, host))
      const left = permitted(guardrails, candidates, config.zdr_vendors)
      const storage = storageOf(guardrails, left, config.zdr_vendors)
      const asked = storage ? unstored(storage, known) : known
      const { bodies, findings } = await screenRequest(scanner, guardrails, asked)
      // A label may be longer than what it stands for.
      return { candidates: left, ...bodies, leftOut, findings, ...purse(bodies) }
    },
    async recheck({ caller, host, asked, limits }) {
      const guardrails = await guardrailCache.of(caller)
      throughRegion(guardrails, regionOf(config.regions, host))
      if (asked) {
        const { model, endpoint } = asked.target
        permitted(guardrails, [{ model, endpoints: [endpoint] }], config.zdr_vendors)
      }
      const counting = budgetsFor(caller, guardrails).filter(({ includesByok }) => !asked?.byok || includesByok)
      await requireRoom(budgets, limits, counting, guardrails)
    },
  }
}

type Purse = Pick<Ruling, 'limits' | 'priceable' | 'reserve' | 'settle'>

const freePurse: Purse = { limits: [], priceable: (targets) => targets, reserve: async () => {}, settle: () => {} }

/** The money side of a ruling: set aside before the first attempt, settled with what was metered. */
function purseFor(
  deps: Pick<GuardDeps, 'catalogue' | 'budgets' | 'now'>,
  caller: Caller,
  guardrails: readonly GuardrailRecord[],
  asked: Forms,
): Purse {
  const budgets = budgetsFor(caller, guardrails)
  if (budgets.length === 0) return freePurse
  const wireFor = (endpoint: Endpoint) => wireOf(endpoint, deps.catalogue.current().findProvider(endpoint.provider))
  let [most, reservation]: [PicoUsd, Reservation | undefined] = [0n, undefined]
  return {
    limits: budgets,
    priceable(targets, isByok) {
      const counts = (endpoint: Endpoint) => budgets.some((budget) => budget.includesByok || !isByok(endpoint))
      return priceable(targets, (target) => billOf(asked, target, wireFor(target.endpoint)), counts)
    },
    async reserve(targets, isByok) {
      const allByok = targets.every(({ endpoint }) => isByok(endpoint))
      const counting = allByok ? budgets.filter(({ includesByok }) => includesByok) : budgets
      if (counting.length === 0) return
      most = worstCase(asked, targets, wireFor)
      reservation = await setAside(deps, counting, guardrails, most)
    },
    settle({ cost, byok } = { cost: most, byok: false }) {
      const settling = reservation
      reservation = undefined
      settling?.settle(cost, (budget) => !byok || budget.includesByok)
    },
  }
}

/** Of several models it may be any: if one of them must be left with nothing, so must all. */
function storageOf(guardrails: readonly GuardrailRecord[], candidates: Candidate[], vendors: Config['zdr_vendors']) {
  for (const { model } of candidates) {
    const verdict = judgeStorage(guardrails, model, vendors)
    if (verdict) return verdict
  }
  return undefined
}

/** @throws Fault `forbidden` when a request must not come in this way. */
export function throughRegion(guardrails: readonly GuardrailRecord[], region: Region): void {
  const verdict = judgeRegion(guardrails, region)
  if (verdict) throw regionRefusal(verdict, region)
}

/** The candidates with the endpoints that may serve them. @throws Fault `forbidden` when none is left. */
export function permitted(
  guardrails: readonly GuardrailRecord[],
  candidates: Candidate[],
  vendors: Config['zdr_vendors'],
): Candidate[] {
  let first: Error | undefined
  const kept = candidates.flatMap((candidate) => {
    const { model } = candidate
    const ofModel = judgeModel(guardrails, model)
    if (ofModel) {
      first ??= refusal(ofModel, `the model ${model.id} is not allowed`)
      return []
    }
    const endpoints = candidate.endpoints.filter((endpoint) => {
      const verdict = judgeEndpoint(guardrails, model, endpoint, vendors)
      if (verdict) first ??= refusal(verdict, `no provider of ${model.id} is allowed: ${endpoint.provider} is not`)
      return !verdict
    })
    return endpoints.length > 0 ? [{ ...candidate, endpoints }] : []
  })
  if (kept.length === 0 && first) throw first
  return kept
}
