import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fastify } from 'fastify'
import { estimatePrompt } from '#chat/tokens/prompt-size.ts'
import { worstCaseCost } from '#gateway/admission/bounds/worst-case.ts'
import { refuseMiscasedNames, withoutUnknownFields } from '#gateway/admission/known-fields.ts'
import { findClientProtocol } from '#gateway/clients/client-protocols.ts'
import { applyPreset } from '#gateway/presets/apply-preset.ts'
import type { PresetVersion } from '#gateway/presets/preset.ts'
import type { ClientProtocol } from '#gateway/protocol/client-protocol.ts'
import type { Body } from '#gateway/protocol/request-body.ts'
import { protocols } from '#gateway/providers/protocols.ts'
import { compressPrompt } from '#gateway/request/plugins/compress-prompt.ts'
import { findNeeds } from '#gateway/request/request-needs.ts'
import { runWithoutPauses } from '#platform/async/long-work.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import { parseWith } from '#platform/http/compilers.ts'
import { jsonReader } from '#platform/http/request/json-body.ts'
import { filterBodies } from '#policy/filters/filter-bodies.ts'
import { compileFilters } from '#policy/filters/filter-rule.ts'
import { chatBodies } from '../../growing-bodies/chat-bodies.ts'
import { requireLinear, sizeRatio } from '../../growing-bodies/linear-work.ts'
import { messagesBodies } from '../../growing-bodies/messages-bodies.ts'
import type { GrowingBody } from '../../growing-bodies/pieces.ts'
import { responsesBodies } from '../../growing-bodies/responses-bodies.ts'
import { endpointFor } from '../../harness/upstream/endpoints/encode-request.ts'

/** A quarter of what the service accepts: enough for square work to stand out, and cheap. */
const largestBody = 1024 * 1024

const reader = jsonReader(fastify())
const read = (text: string) => runWithoutPauses(reader.readLong(text)).value
const rules = compileFilters([
  {
    id: 'g',
    name: 'g',
    policy: {
      content_filter_builtins: [{ slug: 'email', action: 'redact', label: '[EMAIL]' }],
      content_filters: [{ pattern: 'x\\d+', action: 'redact' }],
    },
  },
])
const endpoint = endpointFor('gemini-3-pro')
const target = { endpoint, credential: 'secret', stream: false }
const shortContext = [{ endpoints: [endpointFor('m', { contextLength: 2000 })] }] as never

/** All steps of a request before it is sent, for providers of every protocol. */
function translate(client: ClientProtocol, text: string): void {
  const body = read(text) as Body
  const parsed = client.isCertainlyValid?.(body) || parseWith(client.operation.request, body).success
  assert.ok(parsed, 'the body is invalid')
  refuseMiscasedNames(body)
  const preset = { system_prompt: 'Be brief.', config: { tools: body.tools } } as unknown as PresetVersion
  client.toChat(applyPreset(preset, body, client.preset))
  const chat = client.toChat(body)
  findNeeds(chat, 1000, true)
  estimatePrompt(chat)
  withoutUnknownFields({ chat, body })
  worstCaseCost(
    { chat, body, protocol: client.protocol },
    [{ endpoint } as never],
    () => protocols[client.protocol as Protocol],
  )
  for (const protocol of Object.values(protocols)) protocol.encode(chat, target)
  protocols[client.protocol as Protocol].passThrough?.(body, target)
  compressPrompt(body, client.conversation, chat, shortContext)
}

function filter(client: ClientProtocol, text: string): void {
  const body = read(text) as Body
  assert.equal(filterBodies(rules, { chat: client.toChat(body), body }).outcome, 'filtered')
}

for (const [protocol, bodies] of [
  ['openai-chat', chatBodies],
  ['openai-responses', responsesBodies],
  ['anthropic-messages', messagesBodies],
] as const)
  describe(`processor time grows in proportion to a body of ${protocol}`, () => {
    const client = findClientProtocol(protocol)!
    for (const [name, make] of Object.entries(bodies))
      test(name, () => {
        const texts = growing(make, client)
        requireLinear('translation', texts, (text) => translate(client, text))
        requireLinear('filters', texts, (text) => filter(client, text))
      })
  })

/** A body of almost `largestBody`, and one of a fraction of its size. */
function growing(make: GrowingBody, client: ClientProtocol): { small: string; large: string } {
  const written = (count: number) => JSON.stringify({ model: 'm', ...make(Math.floor(count)) })
  const most = largestCount(written, client)
  return { small: written(most / sizeRatio), large: written(most) }
}

/** The number of pieces with which a body is still accepted, to within 20 %. */
function largestCount(written: (count: number) => string, client: ClientProtocol): number {
  const sample = written(1000)
  let most = (1000 * largestBody) / sample.length
  while (!isAccepted(written(most), client)) most *= 0.8
  return most
}

function isAccepted(text: string, client: ClientProtocol): boolean {
  if (text.length > largestBody) return false
  try {
    translate(client, text)
    return true
  } catch {
    return false
  }
}
