import type { Config } from '#platform/config/settings.ts'
import type { Region } from '#platform/core/vocabulary.ts'
import type { Scanner } from '#policy/filters/scanner.ts'
import {
  findEndpointViolation,
  findModelViolation,
  findRegionViolation,
  findStorageViolation,
} from '#policy/guardrails/decide/find-violation.ts'
import { createGroupBudgets } from '#policy/guardrails/decide/guardrail-budget.ts'
import { createRefusal, createRegionRefusal } from '#policy/guardrails/decide/refusal.ts'
import { screenRequest } from '#policy/guardrails/decide/screen-request.ts'
import type { GuardrailRecord } from '#policy/guardrails/guardrail.ts'
import type { GuardrailCache } from '#policy/guardrails/guardrail-cache.ts'
import type { EffectivePolicies } from '#policy/guardrails/workspace-policies.ts'
import type { Budget } from '#spend/budgets/budget.ts'
import type { RequestGroups } from '#spend/ledger/request-group.ts'
import type { Candidate } from '../plan/plan.ts'
import type { RequestBodies } from '../pricing/extra-usage-bound.ts'
import { regionOf } from '../request/region.ts'
import { budgetsFor } from './budget-reservation.ts'
import { refuseMiscasedNames, withoutUnknownFields } from './known-fields.ts'
import type { InFlightInput, Policy, PolicyDecision, PolicyInput } from './policy.ts'
import { createRecheckBeforeSend } from './recheck-before-send.ts'
import { requireRemainingLimits } from './remaining-limits.ts'
import { type SpendingDeps, SpendingLimits } from './spending-limits.ts'
import { withoutStorage } from './storage-policy.ts'

type GuardrailPolicyDeps = SpendingDeps & {
  guardrailCache: Pick<GuardrailCache, 'policiesOf' | 'getCached'>
  scanner: Pick<Scanner, 'scanRequest'>
  config: Pick<Config, 'zdr_vendors' | 'regions'>
}

/** Creates the policy from guardrails and limits. It removes forbidden endpoints, and refuses a request if none remains. */
export function createGuardrailPolicy(deps: GuardrailPolicyDeps): Policy {
  const { guardrailCache, budgets, scanner, config } = deps
  async function requirePermitted(
    policies: EffectivePolicies,
    { caller, host, current, groups, limits }: InFlightInput,
  ): Promise<readonly Budget[]> {
    const { guardrails } = policies
    requireRegion(guardrails, regionOf(config.regions, host))
    if (current) {
      const { model, endpoint } = current.target
      // Throws if the endpoint is no longer permitted.
      permittedCandidates(guardrails, [{ model, endpoints: [endpoint] }], config.zdr_vendors)
    }
    const countingBudgets = budgetsFor(caller, policyBudgets(policies, groups)).filter(
      ({ includesByok }) => !current?.byok || includesByok,
    )
    return requireRemainingLimits(budgets, limits, countingBudgets, guardrails)
  }
  return {
    async decide(input) {
      refuseMiscasedNames(input.body)
      const policies = guardrailCache.getCached(input.caller) ?? (await guardrailCache.policiesOf(input.caller))
      const countedRequest = prepareCountedRequest(deps, policies, input)
      return policies.guardrails.length === 0
        ? decideWithoutGuardrails(policies.guardrails, input, countedRequest)
        : await decideWithGuardrails(deps, policies.guardrails, input, countedRequest)
    },
    async recheckInFlight(check) {
      return requirePermitted(await guardrailCache.policiesOf(check.caller), check)
    },
    isCurrent: (caller, { guardrails }) => guardrailCache.getCached(caller)?.guardrails === guardrails,
    recheckBeforeSend: createRecheckBeforeSend({
      guardrailCache,
      scanner,
      requirePermitted,
      forbidsStorage: (guardrails, { model }) =>
        findStorageViolation(guardrails, model, config.zdr_vendors) !== undefined,
    }),
  }
}

/** A request as its limits count it: without fields of unknown cost. */
type CountedRequest = {
  bodies: RequestBodies
  removedFields: readonly string[]
  spendingOf: (sent: RequestBodies) => SpendingLimits
}

function prepareCountedRequest(
  deps: SpendingDeps,
  policies: EffectivePolicies,
  { caller, chat, body, protocol, groups, turns }: PolicyInput,
): CountedRequest {
  const { guardrails } = policies
  const budgets = budgetsFor(caller, policyBudgets(policies, groups), turns)
  const { bodies, removed } =
    budgets.length > 0 ? withoutUnknownFields({ chat, body }) : { bodies: { chat, body }, removed: [] }
  const spendingOf = (sent: RequestBodies) =>
    new SpendingLimits(deps, { groups, budgets, guardrails, turns }, { ...sent, protocol })
  return { bodies, removedFields: removed, spendingOf }
}

/** The limits of the policies that count a request of these groups, in the order of checks. */
function policyBudgets({ budgets, groupLimits }: EffectivePolicies, groups: RequestGroups): readonly Budget[] {
  return groupLimits.length === 0 ? budgets : [...budgets, ...createGroupBudgets(groupLimits, groups)]
}

/** @param guardrails the empty list, whose identity shows later whether guardrails have changed. */
function decideWithoutGuardrails(
  guardrails: readonly GuardrailRecord[],
  { candidates }: PolicyInput,
  { bodies, removedFields, spendingOf }: CountedRequest,
): PolicyDecision {
  return {
    candidates,
    guardrails,
    chat: bodies.chat,
    body: bodies.body,
    isStorageForbidden: false,
    removedFields,
    findings: [],
    spending: spendingOf(bodies),
  }
}

async function decideWithGuardrails(
  deps: GuardrailPolicyDeps,
  guardrails: readonly GuardrailRecord[],
  { caller, host, candidates, signal }: PolicyInput,
  { bodies, removedFields, spendingOf }: CountedRequest,
): Promise<PolicyDecision> {
  const { config, scanner } = deps
  requireRegion(guardrails, regionOf(config.regions, host))
  const remaining = permittedCandidates(guardrails, candidates, config.zdr_vendors)
  const storage = storageVerdict(guardrails, remaining, config.zdr_vendors)
  const bodiesToScreen = storage ? withoutStorage(storage, bodies) : bodies
  const screening = await screenRequest(scanner, guardrails, bodiesToScreen, { requester: caller, signal })
  return {
    candidates: remaining,
    guardrails,
    ...screening.bodies,
    isStorageForbidden: storage !== undefined,
    removedFields,
    findings: screening.findings,
    // After the content filters, because a placeholder can be longer than the text that it replaces.
    spending: spendingOf(screening.bodies),
  }
}

/** Any candidate can answer, so a storage ban for one model applies to the whole request. */
function storageVerdict(
  guardrails: readonly GuardrailRecord[],
  candidates: Candidate[],
  vendors: Config['zdr_vendors'],
) {
  for (const { model } of candidates) {
    const verdict = findStorageViolation(guardrails, model, vendors)
    if (verdict) return verdict
  }
  return undefined
}

/** @throws Fault `forbidden` if a guardrail does not allow requests through this region. */
export function requireRegion(guardrails: readonly GuardrailRecord[], region: Region): void {
  const verdict = findRegionViolation(guardrails, region)
  if (verdict) throw createRegionRefusal(verdict, region)
}

/** The candidates with their permitted endpoints. @throws Fault `forbidden` if none remains. */
export function permittedCandidates(
  guardrails: readonly GuardrailRecord[],
  candidates: Candidate[],
  vendors: Config['zdr_vendors'],
): Candidate[] {
  let firstRefusal: Error | undefined
  const permitted = candidates.flatMap((candidate) => {
    const { model } = candidate
    const modelVerdict = findModelViolation(guardrails, model)
    if (modelVerdict) {
      firstRefusal ??= createRefusal(modelVerdict, `the model ${model.id} is not allowed`)
      return []
    }
    const endpoints = candidate.endpoints.filter((endpoint) => {
      const verdict = findEndpointViolation(guardrails, model, endpoint, vendors)
      if (verdict)
        firstRefusal ??= createRefusal(verdict, `no provider of ${model.id} is allowed: ${endpoint.provider} is not`)
      return !verdict
    })
    return endpoints.length > 0 ? [{ ...candidate, endpoints }] : []
  })
  if (permitted.length === 0 && firstRefusal) throw firstRefusal
  return permitted
}
