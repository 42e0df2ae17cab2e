import type { Endpoint } from '#catalogue/index/model.ts'
import type { ChatRequest } from '#chat/chat-request.ts'
import type { TrackedRequest } from '#identity/accounts/requests-in-flight.ts'
import { tellingFailure, whenKnown } from '#platform/async/when-known.ts'
import type { RevocableResponse } from '#platform/net/revocable-response.ts'
import { admit } from './admission/admit.ts'
import type { PolicyDecision } from './admission/policy.ts'
import type { Accesses } from './attempt/credentials.ts'
import { nameDroppedFields } from './attempt/dropped-fields-header.ts'
import { answerFrom } from './attempt/run-attempts.ts'
import type { CompletionCall, CompletionContext } from './completion-call.ts'
import type { RoutingDeps } from './deps.ts'
import type { Candidate, Target } from './plan/plan.ts'
import { planCompletion } from './plan/plan-completion.ts'
import type { ClientProtocol } from './protocol/protocol.ts'
import { contentToKeep, type KeptContent } from './record/content-recorder.ts'
import { refusedGeneration } from './record/refused-generation.ts'
import { RequestRecord } from './record/request-record.ts'
import { atOnce, onceAnswered, type SettleWhen, settle } from './record/settle.ts'
import { applyPlugins } from './request/plugins/apply-plugins.ts'
import { withClock } from './request/plugins/clock.ts'
import { pluginOptions } from './request/plugins/plugin-options.ts'
import type { PreparedRequest } from './request/prepared-request.ts'
import { estimatePrompt } from './request/prompt-size.ts'
import { resolveModels } from './request/resolve-models.ts'

type Answer = Buffer | object | undefined

/**
 * Runs a completion from policy to settlement. @returns the whole answer, or undefined if it was streamed.
 * @throws Fault if it is refused; synchronously if no asynchronous step comes before.
 */
export function complete(deps: RoutingDeps, call: CompletionCall): Answer | Promise<Answer> {
  const prepared = recordingRefusal(deps, call, () => whenKnown(admit(deps, call), withClockOption))
  return whenKnown(prepared, ({ filled, clock }) => {
    if (!clock) return completeOnce(deps, call, filled, call.client, onceAnswered)
    // Settled at once, because the next round can need the money that this one reserved and did not spend.
    return withClock(clock, call, filled, deps.now, (asked, client, response) =>
      completeOnce(deps, { ...call, response }, asked, client, atOnce),
    )
  })
}

const withClockOption = (filled: PreparedRequest) => ({ filled, clock: pluginOptions(filled.body).clock })

function completeOnce(
  deps: RoutingDeps,
  call: CompletionCall,
  asked: PreparedRequest,
  client: ClientProtocol,
  settleWhen: SettleWhen,
): Answer | Promise<Answer> {
  const tracked = deps.inFlight.track(call.caller, call.response)
  const opening = tellingFailure(() => {
    const deciding = decideRequest(deps, call, asked, client, tracked.response)
    return whenKnown(deciding, (decided) => ({ decided, opened: openRecord(deps, call, decided) }))
  }, tracked.release)
  return whenKnown(opening, ({ decided, opened }) => completeDecided(deps, call, tracked, decided, opened, settleWhen))
}

/** Records a refusal that comes before the request has a record of its own. */
function recordingRefusal<Result>(
  deps: RoutingDeps,
  call: CompletionCall,
  decide: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return tellingFailure(decide, (error) => {
    const generation = refusedGeneration(deps, call, error)
    call.response.header('x-generation-id', generation.id)
    deps.onRefused(generation)
  })
}

/** The request as the policy allows it. @throws Fault when it is forbidden. */
function decideRequest(
  deps: RoutingDeps,
  call: CompletionCall,
  filled: PreparedRequest,
  spoken: ClientProtocol,
  response: RevocableResponse,
): Decided | Promise<Decided> {
  return recordingRefusal(deps, call, () => {
    const candidates = resolveModels(deps.catalogue.current(), filled.chat)
    const { chat: asked, body, preset, client, promptTokens } = applyPlugins(filled, spoken, candidates)
    const { caller, host, turns } = call
    const { protocol } = client
    const question = { caller, host, chat: asked, body, protocol, candidates, turns, signal: response.signal }
    const deciding = failAsRevoked(response, deps.policy.decide(question))
    return whenKnown(deciding, (decision) => ({ asked, preset, candidates, decision, client, promptTokens }))
  })
}

/** Reports why a response was revoked, instead of a failure that this caused. */
function failAsRevoked<Result>(
  response: RevocableResponse,
  result: Result | Promise<Result>,
): Result | Promise<Result> {
  if (!(result instanceof Promise)) return result
  return result.catch((error: unknown) => {
    throw response.revoked ?? error
  })
}

type Decided = Pick<PreparedRequest, 'preset'> & {
  asked: ChatRequest
  candidates: Candidate[]
  decision: PolicyDecision
  client: ClientProtocol
  promptTokens: number | undefined
}
type Opened = { requestRecord: RequestRecord; content: KeptContent | undefined }

/** The request has an id now, and is accounted for. */
function openRecord(deps: RoutingDeps, call: CompletionCall, decided: Decided): Opened {
  const { asked, preset, candidates, decision } = decided
  const requestRecord = new RequestRecord(
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
      contentFindings: decision.findings,
    },
    () => estimatePrompt(asked),
  )
  call.response.header('x-generation-id', requestRecord.id)
  const content = contentToKeep(deps.contents, call.caller, requestRecord.id, decision)
  nameDroppedFields(call, decision.leftOut)
  return { requestRecord, content }
}

/** Releases what is tracked when it is over. */
async function completeDecided(
  deps: RoutingDeps,
  call: CompletionCall,
  tracked: TrackedRequest,
  decided: Decided,
  opened: Opened,
  settleWhen: SettleWhen,
) {
  const { candidates, decision } = decided
  const { requestRecord, content } = opened
  let isAnswered = false
  try {
    const found = deps.credentials.of(call.caller)
    const accesses = found instanceof Promise ? await found : found
    const isByok = byokIn(deps, accesses)
    const context = contextOf(deps, call, tracked, decided, opened, accesses, isByok)
    const plan = planCompletion(deps, context, decision.candidates)
    const targets = decision.priceable(plan.targets, isByok)
    requestRecord.planned({ candidates, permitted: decision.candidates, plan, targets })
    const reserving = decision.reserve(targets, isByok)
    if (reserving) shorten(context, await reserving)
    const answer = await answerFrom(deps, context, targets)
    isAnswered = answer !== undefined
    return answer
  } catch (error) {
    requestRecord.because(error)
    throw error
  } finally {
    tracked.release()
    if (tracked.response.revoked) requestRecord.because(tracked.response.revoked)
    if (isAnswered) settleWhen(() => settle(deps, decision, requestRecord, content))
    else settle(deps, decision, requestRecord, content)
  }
}

/** Builds the context of the attempts. From here on, changed rules apply to the request and its current endpoint. */
function contextOf(
  deps: RoutingDeps,
  call: CompletionCall,
  tracked: TrackedRequest,
  { decision, client, promptTokens }: Decided,
  { requestRecord, content }: Opened,
  accesses: Accesses,
  isByok: (endpoint: Endpoint) => boolean,
): CompletionContext {
  const circuitOf = circuitNames(isByok, call.caller.workspaceId)
  const payAndReserve: CompletionContext['payAndReserve'] = async (lost, left) => {
    decision.settleEarly(lost)
    shorten(context, await decision.reserve(left, isByok))
  }
  const judgeAgain: CompletionContext['judgeAgain'] = (next) =>
    deps.policy.judgeAgain({
      caller: call.caller,
      host: call.host,
      decision,
      sent: context,
      target: next,
      isByok,
      signal: response.signal,
    })
  let target: Target | undefined
  const asking = (next: Target) => {
    target = next
  }
  const recheck: TrackedRequest['recheck'] = (caller) => {
    const tried = target && { target, byok: isByok(target.endpoint) }
    return deps.policy.recheck({ caller, host: call.host, asked: tried, limits: decision.limits })
  }
  tracked.recheck = recheck
  const { response } = tracked
  const { chat, body } = decision
  const context: CompletionContext = {
    // Every field is listed, because a spread followed by additions builds the object several times.
    caller: call.caller,
    source: call.source,
    headers: call.headers,
    requestId: call.requestId,
    sessionId: call.sessionId,
    app: call.app,
    traceParent: call.traceParent,
    host: call.host,
    client,
    promptTokens,
    response,
    chat,
    body,
    limited: decision.limits.length > 0,
    heldBack: decision.leftOut,
    requestRecord,
    content,
    accesses,
    circuitOf,
    asking,
    judgeAgain,
    payAndReserve,
  }
  return context
}

/** Uses the request with the lowered token limit, if the budget requires one. */
function shorten(context: CompletionContext, shorter: Pick<CompletionContext, 'chat' | 'body'> | undefined): void {
  if (shorter) [context.chat, context.body] = [shorter.chat, shorter.body]
}

/** A workspace's own credential has its own circuit: its failures must not shut the endpoint to other workspaces. */
function circuitNames(isByok: (endpoint: Endpoint) => boolean, workspaceId: string): CompletionContext['circuitOf'] {
  return (endpoint) => (isByok(endpoint) ? `${endpoint.id} ${workspaceId}` : endpoint.id)
}

/** Selects the endpoints that use the workspace's own credential. */
function byokIn(deps: RoutingDeps, accesses: Accesses): (endpoint: Endpoint) => boolean {
  const catalogue = deps.catalogue.current()
  return (endpoint) => {
    const provider = catalogue.findProvider(endpoint.provider)
    return provider !== undefined && accesses.find(provider, endpoint)?.byok === true
  }
}
