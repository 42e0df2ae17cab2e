import type { Provider } from '#catalogue/model.ts'
import { Fault } from '#lib/fault.ts'
import type { Circuits } from './circuit.ts'
import type { Exclusion, Plan, Target } from './plan.ts'

const said: Record<Exclusion, string> = {
  provider_ignored: 'its provider is in provider.ignore',
  provider_not_listed: 'its provider is not in provider.only or provider.order',
  data_policy: 'it does not have the data policy the request asks for',
  quantization: 'its quantization is not in provider.quantizations',
  unsupported_parameter: 'it does not support a parameter of the request',
  unsupported_input: 'it does not take the kind of input the request has',
  context_too_small: 'the prompt is longer than its context',
  too_expensive: 'it costs more than provider.max_price',
  unconfigured: 'no credential is configured for its provider',
  unavailable_now: 'it failed or limited its rate a moment ago',
}

/** What the operator can do about a provider without a credential. */
function remedy(provider: Provider | undefined, slug: string): string {
  const variables = provider?.credentialVariables ?? []
  return `${slug} needs ${variables.join(' or ')} in the environment of the service, or a key of your own (POST /byok)`
}

/** Says why no endpoint may be asked: what the caller can change is theirs (404), what passes by itself is not (503). */
export function nothingLeft(
  { excluded }: Plan,
  circuitOf: (target: Target) => string,
  circuits: Pick<Circuits, 'waitMs'>,
  findProvider: (slug: string) => Provider | undefined,
): Fault {
  const waiting = excluded.filter(({ reason }) => reason === 'unavailable_now')
  const reasons = [...new Set(excluded.map(({ reason }) => reason))]
  const metadata = {
    excluded: excluded.slice(0, 20).map(({ target, reason }) => ({ endpoint: target.endpoint.id, reason })),
  }
  if (waiting.length > 0) {
    const waitMs = circuits.waitMs(waiting.map(({ target }) => circuitOf(target))) ?? 1000
    return new Fault(
      'unavailable',
      'No endpoint is available now: each failed or limited its rate a moment ago. Try again later.',
      {
        retryAfterSeconds: waitMs / 1000,
        metadata,
      },
    )
  }
  if (reasons.length === 1 && reasons[0] === 'unconfigured') {
    const providers = new Set(excluded.map(({ target }) => target.endpoint.provider))
    return new Fault(
      'unavailable',
      `No provider of this model is configured: ${[...providers].map((slug) => remedy(findProvider(slug), slug)).join(', ')}.`,
      { metadata, headers: { 'x-should-retry': 'false' } },
    )
  }
  const why = reasons.map((reason) => said[reason]).join(', or ')
  return new Fault(
    'not_found',
    excluded.length > 0 ? `No endpoint can serve this request: of each, ${why}.` : 'This model has no endpoint.',
    { metadata },
  )
}
