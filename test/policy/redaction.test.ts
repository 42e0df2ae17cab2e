import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { serviceOnlyFields } from '#chat/fields/service-only-fields.ts'
import { upstreamProtocols } from '../harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithRecordings } from '../harness/upstream/recorded-providers.ts'

/** A conversation with secrets in every place where a text may stand; `mail` and `code` are the secrets. */
const chatBody = (model: string, stream: boolean, mail: string, code: string) => ({
  model,
  stream,
  messages: [
    { role: 'system', content: `Never write to ${mail}. 🚂` },
    { role: 'user', content: `Grüße an ${mail}, 日本 ${code}!` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'call_1',
          type: 'function',
          function: { name: 'send', arguments: JSON.stringify({ to: mail, note: { of: [`é ${code}`] } }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: 'call_1', content: `sent to ${mail}` },
    {
      role: 'user',
      content: [
        { type: 'text', text: `and to ${mail}` },
        { type: 'text', text: `👩‍🚒${code}👩‍🚒` },
      ],
    },
  ],
  tools: [{ type: 'function', function: { name: 'send', parameters: { type: 'object', properties: {} } } }],
})

const responsesBody = (model: string, stream: boolean, mail: string, code: string) => ({
  model,
  stream,
  instructions: `Never write to ${mail}. 🚂`,
  input: [
    { role: 'user', content: [{ type: 'input_text', text: `Grüße an ${mail}, 日本 ${code}!` }] },
    { type: 'function_call', call_id: 'call_1', name: 'send', arguments: JSON.stringify({ to: mail, of: [code] }) },
    { type: 'function_call_output', call_id: 'call_1', output: `sent to ${mail}` },
    { role: 'user', content: `and ${mail} 👩‍🚒${code}` },
  ],
})

const messagesBody = (model: string, stream: boolean, mail: string, code: string) => ({
  model,
  stream,
  max_tokens: 100,
  system: [{ type: 'text', text: `Never write to ${mail}. 🚂` }],
  messages: [
    { role: 'user', content: `Grüße an ${mail}, 日本 ${code}!` },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'send', input: { to: mail, of: [code] } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: `sent to ${mail}` }] },
        { type: 'text', text: `and ${mail} 👩‍🚒${code}` },
      ],
    },
  ],
})

/** A secret in each custom field of this service that accepts text. */
const ownValues: Record<string, unknown> = {
  models: ['ada@example.com/model'],
  provider: { x: 'ada@example.com' },
  route: 'fallback',
  plugins: [{ id: 'ada@example.com', enabled: false }],
  transforms: [],
  trace: { x: 'ada@example.com' },
  debug: { x: 'ada@example.com' },
  usage: { x: 'ada@example.com' },
  stop_server_tools_when: [{ type: 'max_cost', max_cost_in_dollars: 1 }],
}

const clients = [
  ['/chat/completions', chatBody],
  ['/responses', responsesBody],
  ['/messages', messagesBody],
] as const

describe('redactions of a filter', () => {
  let recorded: RecordedProviders
  let filteredKey = ''
  before(async () => {
    recorded = await startWithRecordings()
    const { service } = recorded
    const { body: guardrail } = await service.manage('POST', '/guardrails', {
      name: 'redacts',
      content_filter_builtins: [{ slug: 'email', action: 'redact' }],
      content_filters: [{ pattern: 'falcon-\\d+', action: 'redact', label: '[CODE]' }],
    })
    const { body: key } = await service.manage('POST', '/keys', { name: 'watched' })
    filteredKey = key.key
    await service.manage('POST', `/guardrails/${guardrail.data.id}/assignments/keys`, { key_hashes: [key.data.hash] })
  })
  after(() => recorded[Symbol.asyncDispose]())

  async function sent(path: string, body: object, key?: string): Promise<string> {
    const { service, upstream } = recorded
    const { status, text } = await service.ask('POST', path, { body, ...(key && { key }) })
    assert.equal(status, 200, text)
    return upstream.requests.at(-1)!.text
  }

  for (const protocol of upstreamProtocols) {
    for (const [path, bodyOf] of clients) {
      for (const stream of [false, true]) {
        test(`reaches ${protocol} from ${path}${stream ? ' as a stream' : ''} with the label instead`, async () => {
          const model = `${protocol}/text`
          const redacted = await sent(path, bodyOf(model, stream, 'ada@example.com', 'falcon-42'), filteredKey)
          const written = await sent(path, bodyOf(model, stream, '[EMAIL]', '[CODE]'))
          assert.equal(redacted, written)
          assert.doesNotMatch(redacted, /ada|falcon/)
          assert.equal(redacted.split('[EMAIL]').length, 6)
        })
      }
    }
  }

  for (const protocol of upstreamProtocols) {
    for (const [path, bodyOf] of clients) {
      test(`omits only the fields that ${protocol} does not get from ${path}`, async () => {
        const model = `${protocol}/text`
        const body = bodyOf(model, false, '', '')
        const own = Object.fromEntries(
          [...serviceOnlyFields].map((name) => [name, ownValues[name] ?? 'ada@example.com']),
        )
        delete own.preset
        const text = await sent(path, { ...body, ...own }, filteredKey)
        assert.equal(text, await sent(path, body))
        const passed = { stream_options: { x: 'ada@example.com' } }
        assert.doesNotMatch(await sent(path, { ...body, ...passed, stream: true }, filteredKey), /ada@/)
      })
    }
  }
})
