import { answeredWhole } from './answered-whole.ts'
import { bodyForUpstream, placeOf } from './ask.ts'
import type { CompletionCall } from './call.ts'
import type { RoutingDeps } from './deps.ts'
import { failureOfStatus, faultOf } from './failure.ts'
import { filledIn } from './filled-in.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { Target } from './plan.ts'
import { generousPrompt } from './prompt-size.ts'
import { wireOf } from './providers/protocols.ts'
import { resolveModels } from './resolve.ts'
import type { Body } from './wire.ts'

export type Count = { tokens: number; estimated: boolean }

type Counting = Pick<CompletionCall, 'caller' | 'client' | 'body' | 'headers' | 'host' | 'requestId'>

/**
 * How many tokens a request would have: as an upstream of the client's protocol counts them, else as they are estimated
 * here. What guardrails forbid to send is not sent to be counted either.
 */
export async function countTokens(deps: RoutingDeps, call: Counting): Promise<Count> {
  const { chat: asked, body: given } = await filledIn(deps, call as CompletionCall)
  const candidates = resolveModels(deps.catalogue.current(), asked)
  const { caller, client, host } = call
  const { protocol } = client
  const ruling = await deps.policy.decide({ caller, host, chat: asked, body: given, protocol, candidates })
  const [first] = ruling.candidates
  for (const endpoint of first?.endpoints ?? []) {
    const limited = ruling.limits.length > 0
    const tokens = await countAt(deps, call, { body: ruling.body, limited }, { model: first!.model, endpoint })
    if (tokens !== undefined) return { tokens, estimated: false }
  }
  return { tokens: generousPrompt(ruling.chat), estimated: true }
}

/** Undefined where the endpoint cannot count, or does not answer. @throws Fault for what it refuses to read. */
async function countAt(
  deps: RoutingDeps,
  { caller, client, headers: asked }: Counting,
  { body, limited }: { body: Body; limited: boolean },
  target: Target,
): Promise<number | undefined> {
  const { endpoint } = target
  const provider = deps.catalogue.current().findProvider(endpoint.provider)
  const wire = wireOf(endpoint, provider)
  if (!provider || !wire?.countTokens || wire.protocol !== client.protocol) return undefined
  const access = (await deps.credentials.of(caller)).find(provider, endpoint)
  if (!access) return undefined
  const wireTarget = { endpoint, credential: access.secret, stream: false }
  const { path, headers, body: sent } = wire.countTokens.request(bodyForUpstream(body, client), wireTarget)
  const answer = await answeredWhole(deps, {
    ...placeOf(wire.origin ?? access.baseUrl, path),
    headers: {
      'content-type': 'application/json',
      'accept-encoding': 'identity',
      ...headers,
      ...client.headersFor?.(asked, body, limited),
    },
    body: sent,
  })
  if (!answer) return undefined
  if (answer.status < 300) return wire.countTokens.read(answer.body)
  const said = maskSecrets(wire.errorMessage(answer.body) ?? '', access.secret)
  const failure = failureOfStatus(answer.status, said || undefined)
  // One that does not know this operation is no reason to refuse the request.
  if (failure.endpointsFault || answer.status === 404) return undefined
  throw faultOf(failure, target)
}
