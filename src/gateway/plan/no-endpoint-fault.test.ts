import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNoEndpointFault } from './no-endpoint-fault.ts'
import type { ExcludedTarget } from './plan.ts'

const deps = {
  circuits: { restriction: () => undefined },
  catalogue: { current: () => ({ findProvider: () => undefined }) },
  now: () => 0,
} as unknown as Parameters<typeof createNoEndpointFault>[0]
const context = { access: { circuitNameOf: () => 'e' }, attempts: {}, chat: {} } as unknown as Parameters<
  typeof createNoEndpointFault
>[1]
const excludedBy = (id: string, reason: ExcludedTarget['reason']) =>
  ({ target: { endpoint: { id, contextLength: 8192 } }, reason }) as ExcludedTarget

test('a model without endpoints differs from one whose endpoints cannot serve', () => {
  const none = createNoEndpointFault(deps, context, [])
  assert.deepEqual([none.kind, none.message], ['not_found', 'This model has no endpoint.'])
  const unfit = createNoEndpointFault(deps, context, [
    excludedBy('p/m', 'quantization'),
    excludedBy('q/m', 'too_expensive'),
  ])
  assert.deepEqual(
    [unfit.kind, unfit.message],
    [
      'not_found',
      'No endpoint can serve this request: for each, its quantization is not in provider.quantizations, or it costs more than provider.max_price.',
    ],
  )
})

test('a prompt longer than a context is invalid, whatever excludes other endpoints', () => {
  const messages = [{ role: 'user', content: 'word '.repeat(9000) }]
  const request = { ...context, chat: { messages } } as unknown as typeof context
  const excluded = [excludedBy('p/m', 'context_too_small'), excludedBy('q/m', 'too_expensive')]
  const { kind, message, details } = createNoEndpointFault(deps, request, excluded)
  assert.deepEqual(
    [kind, details.type, details.metadata?.max_context_length],
    ['invalid', 'invalid_request_error', 8192],
  )
  assert.match(message, /^The maximum context length is 8192 tokens\. The prompt has about 11250 tokens\./)
})

test('a missing address variable is named, and no key is suggested', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a catalogue has it
  const provider = { credentialVariables: ['P_API_KEY'], baseUrl: 'https://${P_HOST}.example/v1' }
  const catalogue = { current: () => ({ findProvider: () => provider }) } as unknown as Parameters<
    typeof createNoEndpointFault
  >[0]['catalogue']
  const one = { target: { endpoint: { id: 'p/m', provider: 'p', baseUrl: null } }, reason: 'unconfigured' }
  assert.equal(
    createNoEndpointFault({ ...deps, catalogue }, context, [one as unknown as ExcludedTarget]).message,
    'No provider of this model is configured. Set P_API_KEY and P_HOST (for p) in the environment of the service.',
  )
})

test('a missing credential is named with its variables and providers', () => {
  const variables: Record<string, string[]> = { p: ['P_API_KEY'], q: ['Q_KEY', 'Q_TOKEN'] }
  const findProvider = (slug: string) => ({ credentialVariables: variables[slug] })
  const catalogue = { current: () => ({ findProvider }) } as unknown as Parameters<
    typeof createNoEndpointFault
  >[0]['catalogue']
  const without = (provider: string) =>
    ({ target: { endpoint: { id: `${provider}/m`, provider } }, reason: 'unconfigured' }) as ExcludedTarget
  const { kind, message, details } = createNoEndpointFault({ ...deps, catalogue }, context, [
    without('p'),
    without('q'),
  ])
  assert.deepEqual([kind, details.headers], ['unavailable', { 'x-should-retry': 'false' }])
  assert.equal(
    message,
    'No provider of this model has a key. Set P_API_KEY (for p) or Q_KEY or Q_TOKEN (for q) in the environment of the service, or add your own key (POST /byok).',
  )
})
