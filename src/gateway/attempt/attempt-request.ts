import { outputLimitOf } from '#chat/tokens/output-limit.ts'
import { type Pause, runInSlices } from '#platform/async/long-work.ts'
import { LazyUsageBound } from '../admission/bounds/lazy-usage-bound.ts'
import type { Target } from '../plan/plan.ts'
import type { BodiesWithProtocol, RequestBodies } from '../pricing/extra-usage-bound.ts'
import { encodeBody, encodeBodyInSteps } from '../protocol/encoded-body.ts'
import type { EncodedRequest, ProviderProtocol } from '../protocol/provider-protocol.ts'
import { type Aliases, withOriginalNames } from '../protocol/repairs/aliases.ts'
import { withCustomCalls } from '../protocol/repairs/custom-tools.ts'
import { withOutputTool } from '../protocol/repairs/output-tool.ts'
import { collectToolNames } from '../protocol/tool-calls/tool-arguments.ts'
import type { AttemptRecord } from '../record/attempt-record.ts'
import type { TriedEndpoint } from '../record/tried-endpoint.ts'
import type { Catalogue, ProviderLookup } from '../request/catalogue-lookup.ts'
import type { AdmittedRequest } from './admitted-request.ts'
import type { CredentialOwner } from './failure/failure.ts'
import { OneUse } from './one-use.ts'
import type { BackgroundReadSlots } from './response/background-read-slots.ts'
import { encodeForTarget, type TargetEncoding } from './target-encoding.ts'
import type { Timeouts } from './upstream/timeouts.ts'
import type { UpstreamRequest } from './upstream/upstream.ts'
import { buildUpstreamRequest } from './upstream-request.ts'

/** One request to one endpoint, ready to be sent. */
export type AttemptRequest = {
  /** The id of the response in this service. */
  responseId: string
  /** How many choices the client requested. */
  choiceCount: number
  /**
   * The maximum tokens of the response, set by the client or else by the catalogue. Tool arguments that are truncated at this
   * limit are not an error.
   */
  outputLimit: number | undefined
  /** The names of the tools that the upstream gets. Undefined if it gets none. */
  toolNames: ReadonlySet<string> | undefined
  target: Target
  providerProtocol: ProviderProtocol
  /**
   * Adapts the reader of another protocol, in case the server answers in it. The adapted reader reverses the changes of the
   * request: names and types of tools, and a tool in place of a response format. Undefined if the request changed none.
   */
  adaptProtocol?: ((protocol: ProviderProtocol) => ProviderProtocol) | undefined
  /** The original names of tools that the upstream knows by another name. */
  aliases?: Aliases | undefined
  /** Creates the reader of a response that is too long to be parsed at once. */
  bodyReader?: EncodedRequest['createBodyReader'] | undefined
  /** Can be long, and a response can take minutes, so its memory is freed when it was sent. */
  upstreamRequest: OneUse<UpstreamRequest>
  credential: string | undefined
  credentialOwner: CredentialOwner
  stream: boolean
  timeouts: Timeouts
  /** How long a stream is held back for its first content. */
  contentHoldMs: number
  /** How the response is read after its client disconnected; undefined to cancel it. */
  backgroundRead?: { slots: BackgroundReadSlots; isNeeded: () => boolean }
}

export type EncodingDeps = {
  catalogue: Catalogue<ProviderLookup>
  /** For streams. */
  timeouts: Timeouts
  /** For responses that are not streamed. */
  unstreamedTimeouts: Timeouts
  /** How long a stream is held back for its first content. */
  contentHoldMs: number
  backgroundReadSlots: BackgroundReadSlots
}

/** A request encoded for one endpoint, and how its response is handled. */
export type EncodedAttempt = {
  attemptRequest: AttemptRequest
  /** Whether the client gets the bytes of the response, because both sides use the same protocol. */
  passesResponse: boolean
  /** Fields that the provider protocol cannot express. */
  droppedFields: readonly string[]
  triedEndpoint: TriedEndpoint
  attemptRecord: AttemptRecord
}

/**
 * Encodes a request for one endpoint.
 * @param bodies the request in both formats. For a retry without signed reasoning, both formats are without it.
 * @throws Fault `unavailable` if the catalogue no longer has its provider.
 */
export function encodeAttempt(
  deps: EncodingDeps,
  admitted: AdmittedRequest,
  attemptRecord: AttemptRecord,
  bodies: RequestBodies,
): EncodedAttempt {
  const encoding = encodeForTarget(deps, admitted, attemptRecord.target, bodies)
  return buildAttempt(deps, admitted, attemptRecord, encoding, encodeBody(encoding.encoded))
}

/** Like `encodeAttempt`, but pauses while it encodes a long body, so that other requests continue. */
export async function encodeLongAttempt(
  deps: EncodingDeps,
  admitted: AdmittedRequest,
  attemptRecord: AttemptRecord,
  bodies: RequestBodies,
  pause: Pause,
): Promise<EncodedAttempt> {
  await pause()
  const encoding = encodeForTarget(deps, admitted, attemptRecord.target, bodies)
  await pause()
  const body = await runInSlices(encodeBodyInSteps(encoding.encoded), pause)
  return buildAttempt(deps, admitted, attemptRecord, encoding, body)
}

function buildAttempt(
  deps: EncodingDeps,
  admitted: AdmittedRequest,
  attemptRecord: AttemptRecord,
  encoding: TargetEncoding,
  body: UpstreamRequest['body'],
): EncodedAttempt {
  const { target, access, providerProtocol, encoded, passesBody, upstreamStreams } = encoding
  const { client, record, reservation, skippedPresetFields = [] } = admitted
  const { request } = reservation
  const stream = request.chat.stream === true
  const { aliases, outputTool, customTools, dropped = [] } = encoded
  // A passed body lacks only the preset's fields that the client's protocol does not have. A translated body lacks the client's
  // fields that chats do not have.
  const unsentFields = passesBody ? skippedPresetFields : (client.listUntranslatedFields?.(request.body) ?? [])
  const droppedFields = unsentFields.length > 0 ? [...unsentFields, ...dropped] : dropped
  const hasAliases = aliases !== undefined && aliases.size > 0
  const isAdapted = hasAliases || customTools !== undefined || outputTool !== undefined
  const adaptProtocol = isAdapted ? (protocol: ProviderProtocol) => adaptResponses(protocol, encoded) : undefined
  const triedEndpoint = toTriedEndpoint(encoding, { ...request, protocol: client.protocol })
  return {
    droppedFields,
    attemptRequest: {
      responseId: record.id,
      choiceCount: request.chat.n ?? 1,
      outputLimit: outputLimitOf(request.chat) ?? target.endpoint.maxCompletionTokens ?? undefined,
      toolNames: collectToolNames(request.chat, aliases),
      target,
      providerProtocol: adaptProtocol ? adaptProtocol(providerProtocol) : providerProtocol,
      adaptProtocol,
      aliases: hasAliases ? aliases : undefined,
      upstreamRequest: new OneUse(buildUpstreamRequest(admitted, encoding, body)),
      bodyReader: encoded.createBodyReader,
      credential: access.secret,
      credentialOwner: access.byok ? 'workspace' : 'service',
      stream,
      timeouts: upstreamStreams ? deps.timeouts : deps.unstreamedTimeouts,
      contentHoldMs: deps.contentHoldMs,
      backgroundRead: {
        slots: deps.backgroundReadSlots,
        isNeeded: () => !admitted.response.revocationFault && attemptRecord.needsUsage(triedEndpoint),
      },
    },
    triedEndpoint,
    attemptRecord,
    passesResponse: passesBody && !client.rewritesResponses && !isAdapted && upstreamStreams === stream,
  }
}

function toTriedEndpoint(
  { target, access, providerProtocol, upstreamStreams }: TargetEncoding,
  bodies: BodiesWithProtocol,
): TriedEndpoint {
  return {
    target,
    byok: access.byok,
    bound: new LazyUsageBound(bodies, target, providerProtocol),
    // The catalogue's `stops_on_disconnect` is about streams only.
    stopsOnDisconnect: upstreamStreams && target.endpoint.compatibility?.stopsOnDisconnect === true,
  }
}

/** The protocol whose readers reverse the changes of tools in the request. */
function adaptResponses(
  protocol: ProviderProtocol,
  { aliases, customTools, outputTool }: EncodedRequest,
): ProviderProtocol {
  const withNames = aliases && aliases.size > 0 ? withOriginalNames(protocol, aliases) : protocol
  const withTypes = customTools ? withCustomCalls(withNames, customTools) : withNames
  return outputTool === undefined ? withTypes : withOutputTool(withTypes, outputTool)
}
