import type { Endpoint } from '#catalogue/index/model.ts'
import { whenKnown } from '#platform/async/when-known.ts'
import type { Config } from '#platform/config/settings.ts'
import type { Now } from '#platform/core/clock.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { Scanner } from '#policy/filters/scan.ts'
import { type Screened, screenRequest } from '#policy/guardrails/decide/content.ts'
import { judgeEndpoint, judgeModel, judgeRegion, judgeStorage } from '#policy/guardrails/decide/judge.ts'
import { refusal, regionRefusal } from '#policy/guardrails/decide/refusal.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { Budgets, Reservation } from '#spend/budgets/budgets.ts'
import type { RoutingDeps } from '../deps.ts'
import type { Candidate } from '../plan/plan.ts'
import { billOf, type Forms } from '../pricing/bill.ts'
import { priceable } from '../pricing/priceable-targets.ts'
import { providerProtocolOf } from '../providers/protocols.ts'
import { regionOf } from '../request/region.ts'
import { shorterAnswers } from './bounds/shorter-answer.ts'
import { worstCase } from './bounds/worst-case.ts'
import { budgetsFor, reserveBudgets } from './budget-reservation.ts'
import { requirePlainNames, withoutUnknownFields } from './known-fields.ts'
import { requireRoomInLimits } from './lowered-limits.ts'
import type { Policy, PolicyDecision, PolicyQuestion, RecheckQuestion } from './policy.ts'
import { judgingAgain } from './recheck-before-send.ts'
import { withoutStorage } from './storage-policy.ts'
import type { TurnLimits } from './turn-limits.ts'

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
  async function requirePermitted(
    guardrails: readonly GuardrailRecord[],
    { caller, host, asked, limits }: RecheckQuestion,
  ): Promise<void> {
    requireRegion(guardrails, regionOf(config.regions, host))
    if (asked) {
      const { model, endpoint } = asked.target
      permittedCandidates(guardrails, [{ model, endpoints: [endpoint] }], config.zdr_vendors)
    }
    const counting = budgetsFor(caller, guardrails).filter(({ includesByok }) => !asked?.byok || includesByok)
    await requireRoomInLimits(budgets, limits, counting, guardrails)
  }
  function decideUnder(
    guardrails: readonly GuardrailRecord[],
    { caller, host, chat: given, body: givenBody, protocol, candidates, turns, signal }: PolicyQuestion,
  ): PolicyDecision | Promise<PolicyDecision> {
    const limiting = budgetsFor(caller, guardrails, turns)
    const limited = limiting.length > 0
    const { asked: known, leftOut } = limited
      ? withoutUnknownFields({ chat: given, body: givenBody })
      : { asked: { chat: given, body: givenBody }, leftOut: [] }
    const limitsOf = (asked: Forms) =>
      spendingLimitsFor({ catalogue, budgets, now }, limiting, { guardrails, turns }, { ...asked, protocol })
    if (guardrails.length === 0)
      return { candidates, guardrails, ...known, retainsNothing: false, leftOut, findings: [], ...limitsOf(known) }
    requireRegion(guardrails, regionOf(config.regions, host))
    const left = permittedCandidates(guardrails, candidates, config.zdr_vendors)
    const storage = storageVerdict(guardrails, left, config.zdr_vendors)
    const asked = storage ? withoutStorage(storage, known) : known
    const retainsNothing = storage !== undefined
    const decided = ({ bodies, findings }: Screened<Forms>): PolicyDecision =>
      // Limits are asked last: a label may be longer than what it stands for.
      ({ candidates: left, guardrails, ...bodies, retainsNothing, leftOut, findings, ...limitsOf(bodies) })
    return whenKnown(screenRequest(scanner, guardrails, asked, { requester: caller, signal }), decided)
  }
  return {
    decide(question) {
      requirePlainNames(question.body)
      return whenKnown(guardrailCache.of(question.caller), (guardrails) => decideUnder(guardrails, question))
    },
    async recheck(question) {
      await requirePermitted(await guardrailCache.of(question.caller), question)
    },
    judgeAgain: judgingAgain({
      guardrailCache,
      scanner,
      requirePermitted,
      forbidsStorage: (guardrails, { model }) => judgeStorage(guardrails, model, config.zdr_vendors) !== undefined,
    }),
  }
}

type SpendingLimits = Pick<PolicyDecision, 'limits' | 'priceable' | 'reserve' | 'settle' | 'settleEarly'>

const noLimits: SpendingLimits = {
  limits: [],
  priceable: (targets) => targets,
  reserve: () => undefined,
  settle: () => {},
  settleEarly: () => {},
}

/** The spending limits of a decision: money is reserved before the first attempt and settled with the metered cost. */
function spendingLimitsFor(
  deps: Pick<GuardDeps, 'catalogue' | 'budgets' | 'now'>,
  budgets: readonly Budget[],
  { guardrails, turns }: { guardrails: readonly GuardrailRecord[]; turns: TurnLimits | undefined },
  asked: Forms,
): SpendingLimits {
  if (budgets.length === 0) return noLimits
  const protocolFor = (endpoint: Endpoint) =>
    providerProtocolOf(endpoint, deps.catalogue.current().findProvider(endpoint.provider))
  let [most, reservation]: [PicoUsd, Reservation | undefined] = [0n, undefined]
  let sent = asked
  const early: { record: () => void }[] = []
  const countsOf = (byok: boolean) => (budget: Budget) => !byok || budget.includesByok
  return {
    limits: budgets,
    priceable(targets, isByok) {
      const counts = (endpoint: Endpoint) => budgets.some((budget) => budget.includesByok || !isByok(endpoint))
      return priceable(targets, (target) => billOf(asked, target, protocolFor(target.endpoint)), counts)
    },
    async reserve(targets, isByok) {
      const allByok = targets.every(({ endpoint }) => isByok(endpoint))
      const counting = allByok ? budgets.filter(({ includesByok }) => includesByok) : budgets
      if (counting.length === 0) return undefined
      most = worstCase(sent, targets, protocolFor)
      const shorter = turns && shorterAnswers(asked, most, (forms) => worstCase(forms, targets, protocolFor))
      const { reservation: reserved, less } = await reserveBudgets(deps, counting, guardrails, most, turns, shorter)
      reservation = reserved
      if (!less) return undefined
      ;[sent, most] = [less.asked, less.cost]
      return sent
    },
    settle({ cost, byok } = { cost: most, byok: false }) {
      const settling = reservation
      reservation = undefined
      settling?.settle(cost, countsOf(byok))
      for (const { record } of early) record()
    },
    settleEarly({ cost, byok }) {
      const settling = reservation
      reservation = undefined
      if (settling) early.push(settling.settleEarly(cost, countsOf(byok)))
    },
  }
}

/** Any candidate model may answer: if storage is forbidden for one of them, it is forbidden for the request. */
function storageVerdict(
  guardrails: readonly GuardrailRecord[],
  candidates: Candidate[],
  vendors: Config['zdr_vendors'],
) {
  for (const { model } of candidates) {
    const verdict = judgeStorage(guardrails, model, vendors)
    if (verdict) return verdict
  }
  return undefined
}

/** @throws Fault `forbidden` when a request must not come in this way. */
export function requireRegion(guardrails: readonly GuardrailRecord[], region: Region): void {
  const verdict = judgeRegion(guardrails, region)
  if (verdict) throw regionRefusal(verdict, region)
}

/** The candidates with the endpoints that may serve them. @throws Fault `forbidden` when none is left. */
export function permittedCandidates(
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
