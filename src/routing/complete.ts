import type { TrackedRequest } from '#accounts/requests-in-flight.ts'
import type { Endpoint } from '#catalogue/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import { Fault } from '#lib/fault.ts'
import type { Generation } from '#usage/generation.ts'
import { answerFrom } from './answer.ts'
import type { Answering, CompletionCall } from './call.ts'
import type { Accesses } from './credentials.ts'
import type { RoutingDeps } from './deps.ts'
import { type Asked, filledIn } from './filled-in.ts'
import { Journal } from './journal.ts'
import { needsOf } from './needs.ts'
import { refusal } from './nothing-left.ts'
import { type Candidate, planAttempts, type Target } from './plan.ts'
import { withClock } from './plugins/clock.ts'
import { wished } from './plugins/wished.ts'
import { wishesIn } from './plugins/wishes.ts'
import type { Ruling } from './policy.ts'
import { preferencesOf } from './preferences.ts'
import { estimatePrompt } from './prompt-size.ts'
import { wireOf } from './providers/protocols.ts'
import { refusedGeneration } from './refused.ts'
import { resolveModels } from './resolve.ts'
import { lotsFor } from './sticky.ts'
import { type ClientWire, passes } from './wire.ts'

/** The life of a completion. @returns the whole answer, or undefined when it was streamed into the outlet. */
export async function complete(deps: RoutingDeps, call: CompletionCall): Promise<Buffer | object | undefined> {
  const filled = await refusing(deps, call, () => fill(deps, call))
  const { clock } = wishesIn(filled.body)
  if (!clock) return completeOnce(deps, call, filled)
  return withClock(clock, call, filled, deps.now, (asked, client, outlet) =>
    completeOnce(deps, { ...call, outlet }, asked, client),
  )
}

async function completeOnce(deps: RoutingDeps, call: CompletionCall, asked: Asked, client = call.client) {
  const followed = deps.inFlight.track(call.caller, call.outlet)
  try {
    const decided = await refusing(deps, call, () => judge(deps, call, asked, client))
    return await completeDecided(deps, call, followed, decided)
  } finally {
    followed.release()
  }
}

/** What is decided before there is a journal is told all the same where it is a refusal. */
async function refusing<T>(deps: RoutingDeps, call: CompletionCall, decide: () => Promise<T>): Promise<T> {
  try {
    return await decide()
  } catch (error) {
    const refused = refusedGeneration(deps, call, error)
    call.outlet.header('x-generation-id', refused.id)
    deps.onRefused(refused)
    throw error
  }
}

async function fill(deps: RoutingDeps, call: CompletionCall): Promise<Asked> {
  if (!deps.canMeter())
    throw new Fault('unavailable', 'Requests cannot be metered now, so none is taken. Try again later.')
  const filled = await filledIn(deps, call)
  wishesIn(filled.body)
  return filled
}

/** What is asked, and what may be done about it. @throws Fault where that is nothing. */
async function judge(deps: RoutingDeps, call: CompletionCall, filled: Asked, spoken: ClientWire) {
  const candidates = resolveModels(deps.catalogue.current(), filled.chat)
  const { chat: asked, body: given, preset, client, promptTokens } = wished(filled, spoken, candidates)
  const ruling = await deps.policy.decide({
    caller: call.caller,
    host: call.host,
    chat: asked,
    body: given,
    protocol: client.protocol,
    candidates,
  })
  return { asked, preset, candidates, ruling, client, promptTokens }
}

async function completeDecided(
  deps: RoutingDeps,
  call: CompletionCall,
  followed: TrackedRequest,
  { asked, preset, candidates, ruling, client, promptTokens }: Awaited<ReturnType<typeof judge>>,
) {
  const journal = new Journal(
    deps,
    {
      requestId: call.requestId,
      caller: call.caller,
      sessionId: call.sessionId,
      app: call.app,
      traceParent: call.traceParent,
      protocol: call.client.protocol,
      streamed: asked.stream === true,
      requestedModel: asked.model ?? asked.models?.[0] ?? '',
      candidateModels: candidates.map(({ model }) => model.id),
      preset,
      region: deps.regionOf(call.host),
      contentFindings: ruling.findings,
    },
    () => estimatePrompt(asked),
  )
  call.outlet.header('x-generation-id', journal.id)
  if (ruling.leftOut.length > 0) call.outlet.header('x-fields-left-out', listed(ruling.leftOut))
  try {
    const accesses = await deps.credentials.of(call.caller)
    const isByok = byokIn(deps, accesses)
    const circuitOf = circuitNames(isByok, call.caller.workspaceId)
    const payAndReserve: Answering['payAndReserve'] = async (lost, left) => {
      ruling.settle(lost)
      await ruling.reserve(left, isByok)
    }
    let target: Target | undefined
    const asking = (next: Target) => {
      target = next
    }
    const recheck: TrackedRequest['recheck'] = (caller) => {
      const tried = target && { target, byok: isByok(target.endpoint) }
      return deps.policy.recheck({ caller, host: call.host, asked: tried, limits: ruling.limits })
    }
    followed.recheck = recheck
    const { outlet } = followed
    const { chat, body } = ruling
    const answering: Answering = {
      ...call,
      client,
      promptTokens,
      outlet,
      chat,
      body,
      limited: ruling.limits.length > 0,
      journal,
      accesses,
      circuitOf,
      asking,
      payAndReserve,
    }
    const targets = ruling.priceable(targetsFor(deps, answering, ruling.candidates), isByok)
    await ruling.reserve(targets, isByok)
    return await answerFrom(deps, answering, targets)
  } catch (error) {
    journal.because(error)
    throw error
  } finally {
    if (followed.outlet.revoked) journal.because(followed.outlet.revoked)
    settle(deps, ruling, journal)
  }
}

/** Names come from anybody: no more of them than a header should hold. */
function listed(names: readonly string[]): string {
  return names
    .slice(0, 20)
    .map((name) => encodeURIComponent(name.slice(0, 64).toWellFormed()))
    .join(', ')
}

/** Whatever fails here: the client keeps its answer, and nothing stays set aside for ever. */
function settle(deps: RoutingDeps, ruling: Ruling, journal: Journal): void {
  let generation: Generation | undefined
  try {
    generation = journal.close()
    deps.meter(generation)
  } catch (error) {
    deps.onUnaccounted(error as Error)
  }
  ruling.settle(generation && journal.owed(generation))
}

/** What a workspace's own credential meets with is its own affair: it must not shut an endpoint to all others. */
function circuitNames(isByok: (endpoint: Endpoint) => boolean, workspaceId: string): Answering['circuitOf'] {
  return (endpoint) => (isByok(endpoint) ? `${endpoint.id} ${workspaceId}` : endpoint.id)
}

/** Which endpoints are asked with the workspace's own credential. */
function byokIn(deps: RoutingDeps, accesses: Accesses): (endpoint: Endpoint) => boolean {
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const provider = catalogue.findProvider(endpoint.provider)
    return provider !== undefined && accesses.find(provider, endpoint)?.byok === true
  }
}

/** Where a client's own words are not passed on, a tool that a provider runs goes to those who know it. */
function toolsKnown(deps: RoutingDeps, { tools }: ChatRequest, client: ClientWire): (endpoint: Endpoint) => boolean {
  const own = tools?.filter((tool) => !tool.function) ?? []
  if (own.length === 0) return () => true
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const wire = wireOf(endpoint, catalogue.findProvider(endpoint.provider))
    return !wire || passes(wire, client.protocol) || (wire.knowsTool !== undefined && own.every(wire.knowsTool))
  }
}

/** The endpoints to ask, in order. @throws Fault that says why there is none. */
function targetsFor(deps: RoutingDeps, answering: Answering, candidates: Candidate[]): Target[] {
  const { chat, client, accesses, circuitOf, promptTokens } = answering
  const catalogue = deps.catalogue.current()
  const plan = planAttempts({
    candidates,
    preferences: preferencesOf(chat.provider, chat.route),
    needs: promptTokens === undefined ? needsOf(chat) : { ...needsOf(chat), promptTokens },
    standing: (endpoint) => deps.circuits.standing(circuitOf(endpoint)),
    speeds: deps.speeds,
    knowsTools: toolsKnown(deps, chat, client),
    configured: (endpoint) => {
      const provider = catalogue.findProvider(endpoint.provider)
      return provider !== undefined && accesses.find(provider, endpoint) !== undefined
    },
    lot: lotsFor(answering),
  })
  if (plan.targets.length > 0) return plan.targets
  throw refusal(deps, answering, plan.excluded)
}
