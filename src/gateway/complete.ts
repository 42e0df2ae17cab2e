import { estimatePrompt, measureTools } from '#chat/tokens/prompt-size.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import type { TrackedRequest } from '#identity/accounts/requests-in-flight.ts'
import { type Pause, runInSlices, type Steps } from '#platform/async/long-work.ts'
import type { RevocableResponse } from '#platform/net/revocable-response.ts'
import { readRequestTags } from '#spend/ledger/request-tags.ts'
import { measurePrompt } from './admission/bounds/prompt-bound.ts'
import type { PolicyDecision, PolicyInput } from './admission/policy.ts'
import type { RequestReservation } from './admission/request-reservation.ts'
import { requireLedgerDelay, waitForLedger } from './admission/wait-for-ledger.ts'
import { setDroppedFieldsHeader } from './attempt/dropped-fields-header.ts'
import { runAttempts } from './attempt/run-attempts.ts'
import type { ModelResponse } from './attempt/send-attempt.ts'
import type { CompletionCall } from './completion-call.ts'
import type { GatewayDeps } from './deps.ts'
import type { Candidate, Target } from './plan/plan.ts'
import { planCompletion } from './plan/plan-completion.ts'
import { type ContentRecorder, createContentRecorder } from './record/content-recorder.ts'
import { createRefusedGeneration } from './record/refused-generation.ts'
import { RequestRecord } from './record/request-record.ts'
import { settleRequest } from './record/settle-request.ts'
import { EndpointAccess } from './request/endpoint-access.ts'
import { applyPlugins, type RequestWithPlugins } from './request/plugins/apply-plugins.ts'
import { completeInRounds } from './request/plugins/clock.ts'
import { readPluginOptions } from './request/plugins/plugin-options.ts'
import { type PreparedRequest, prepareRequest, prepareWithoutPreset } from './request/prepared-request.ts'
import { resolveModels } from './request/resolve-models.ts'

/**
 * Runs a completion from its request to its record.
 * @returns the whole response, or undefined if it was streamed.
 * @throws Fault if the request is refused, or no endpoint answers.
 */
export async function complete(deps: GatewayDeps, call: CompletionCall): Promise<ModelResponse> {
  if (call.pause) {
    await call.pause()
    // The client can disconnect during a pause.
    if (call.response.signal.aborted) return undefined
  }
  let prepared: PreparedRequest
  let clock: { timezone: string } | undefined
  try {
    // Most requests wait for nothing here: each `await` costs half a microsecond.
    const delayMs = requireLedgerDelay(deps)
    if (delayMs > 0) await waitForLedger(deps, delayMs)
    prepared = prepareWithoutPreset(call) ?? (await prepareRequest(deps, call))
    if (call.pause) await call.pause()
    clock = call.client.task === undefined ? readPluginOptions(prepared.body).clock : undefined
  } catch (error) {
    recordRefusal(deps, call, error)
    throw error
  }
  if (!clock) return await completeOnce(deps, call, prepared, 'after_response')
  return await completeInRounds(clock, call.response, prepared, deps.now, (round, response) =>
    // The next round can need the money that this one reserved and did not spend.
    completeOnce(deps, { ...call, response }, round, 'before_response'),
  )
}

/**
 * Decides, plans, reserves, sends and settles one request.
 * @param settlement whether a whole response is returned before the request is settled, or after it.
 */
async function completeOnce(
  deps: GatewayDeps,
  call: CompletionCall,
  prepared: PreparedRequest,
  settlement: 'before_response' | 'after_response',
): Promise<ModelResponse> {
  const trackedRequest = deps.inFlight.track(call.caller, call.response)
  const { response } = trackedRequest
  let recording: Recording | undefined
  let reservation: RequestReservation | undefined
  let modelResponse: ModelResponse
  try {
    const candidates = resolveModels(deps.catalogue.current(), prepared.chat, call.client.task)
    const withPlugins = applyPlugins(prepared, candidates)
    if (call.pause) await call.pause()
    const decision = await deps.policy.decide(toPolicyInput(call, withPlugins, candidates, response))
    const decidedRequest = { ...withPlugins, candidates, decision }
    const { client, skippedPresetFields } = withPlugins
    recording = startRecording(deps, call, decidedRequest)
    const { record, content } = recording
    const accessLookup = deps.credentials.getCached(call.caller) ?? (await deps.credentials.of(call.caller))
    const access = new EndpointAccess(deps.catalogue.current(), accessLookup, call.caller.workspaceId)
    reservation = decision.spending.createReservation(access)
    recheckWhenRulesChange(deps, trackedRequest, { call, decision, record, access, reservation })
    if (call.pause) await measureWithPauses(measureTools(decision.chat), call.pause)
    const targets = chooseTargets(deps, call, decidedRequest, record, access)
    if (call.pause) await measureWithPauses(measurePrompt(decision.body), call.pause)
    if (decision.spending.budgets.length > 0) await reservation.reserve(targets)
    const admittedRequest = {
      call,
      client,
      response,
      skippedPresetFields,
      decision,
      record,
      content,
      access,
      reservation,
    }
    modelResponse = await runAttempts(deps, admittedRequest, targets)
    return modelResponse
  } catch (error) {
    const cause = response.revocationFault ?? error
    if (recording) recording.record.noteCause(cause)
    else recordRefusal(deps, call, cause)
    throw cause
  } finally {
    trackedRequest.release()
    if (recording) {
      // A revoked stream ends with an error event, without an exception.
      if (response.revocationFault) recording.record.noteCause(response.revocationFault)
      const requestToSettle = { ...recording, reservation }
      // The response is sent before the next tick, so the client does not wait for the settlement.
      if (modelResponse !== undefined && settlement === 'after_response')
        process.nextTick(settleRequest, deps, requestToSettle)
      else settleRequest(deps, requestToSettle)
    }
  }
}

/** Measures a part of a long body in slices. The size is cached for the function that needs it next. */
async function measureWithPauses(steps: Steps<unknown>, pause: Pause): Promise<void> {
  await pause()
  await runInSlices(steps, pause)
}

/** A request after plugins and policy. */
type DecidedRequest = RequestWithPlugins & { candidates: Candidate[]; decision: PolicyDecision }

/** The request as the policy reads it. */
function toPolicyInput(
  { caller, host, sessionId, turns }: CompletionCall,
  { chat, body, client }: RequestWithPlugins,
  candidates: Candidate[],
  { signal }: RevocableResponse,
): PolicyInput {
  const groups = { sessionId, tags: readRequestTags(chat.metadata) }
  return { caller, host, groups, chat, body, protocol: client.protocol, candidates, turns, signal }
}

/** The record of a request, and the recorder of its content if that is stored. */
type Recording = { record: RequestRecord; content: ContentRecorder | undefined }

/** Opens the record of the request. From here on it is metered exactly once. */
function startRecording(
  deps: GatewayDeps,
  call: CompletionCall,
  { chat, preset, candidates, decision }: DecidedRequest,
): Recording {
  const record = new RequestRecord(
    deps,
    {
      requestId: call.requestId,
      caller: call.caller,
      ...decision.spending.groups,
      app: call.app,
      traceParent: call.traceParent,
      protocol: call.client.protocol,
      streamed: chat.stream === true,
      requestedModel: chat.model ?? chat.models?.[0] ?? '',
      candidateModels: candidates.map(({ model }) => model.id),
      preset,
      region: deps.regionOf(call.host),
      contentFindings: decision.findings,
    },
    () => estimatePrompt(chat),
  )
  call.response.header('x-generation-id', record.id)
  setDroppedFieldsHeader(call.response, decision.removedFields)
  return { record, content: createContentRecorder(deps.contents, call.caller, record.id, decision) }
}

/** Plans the attempts and notes the plan in the record. @throws Fault if no endpoint can serve the request. */
function chooseTargets(
  deps: GatewayDeps,
  { caller, sessionId }: CompletionCall,
  { client, promptTokens, candidates, decision }: DecidedRequest,
  record: RequestRecord,
  access: EndpointAccess,
): Target[] {
  const { chat, candidates: permitted, spending } = decision
  const plan = planCompletion(
    deps,
    { caller, sessionId, chat, client, access, promptTokens, attempts: record.attempts },
    permitted,
  )
  const targets = spending.excludeUnpriced(plan.targets, access)
  record.attempts.notePlan({ candidates, permitted, plan, targets })
  return targets
}

type RecheckedRequest = {
  call: CompletionCall
  decision: PolicyDecision
  record: RequestRecord
  access: EndpointAccess
  reservation: RequestReservation
}

/** From here on, a changed key, guardrail or limit can end the request and its current attempt. */
function recheckWhenRulesChange(
  { policy }: GatewayDeps,
  trackedRequest: TrackedRequest,
  { call, decision, record, access, reservation }: RecheckedRequest,
): void {
  trackedRequest.recheckWith(async (caller: Caller) => {
    const target = record.attempts.currentTarget
    const current = target && { target, byok: access.isByok(target.endpoint) }
    const { budgets: limits, groups } = decision.spending
    reservation.addLaterLimits(await policy.recheckInFlight({ caller, host: call.host, current, groups, limits }))
  })
}

/** Records a request that is refused before it has an open record. */
function recordRefusal(deps: GatewayDeps, call: CompletionCall, error: unknown): void {
  const generation = createRefusedGeneration(deps, call, error)
  call.response.header('x-generation-id', generation.id)
  deps.onRefused(generation)
}
