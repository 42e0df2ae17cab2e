import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as official from '@openrouter/sdk/models'
import { refineStatus } from '#gateway/attempt/failure/refined-status.ts'
import type { Protocol } from '#platform/core/vocabulary.ts'
import type { SimulatedProtocol } from '../../harness/upstream/provider-facts.ts'
import { type Loss, losses, lossOf } from '../../recordings/losses.ts'
import { eventsOf, nothing, type Plain } from '../../recordings/plain.ts'
import { simplifyChat } from '../../recordings/plain-chat.ts'
import { plainGenerated } from '../../recordings/plain-gemini.ts'
import { plainMessage } from '../../recordings/plain-messages.ts'
import { plainResponse } from '../../recordings/plain-responses.ts'
import { isStreamed, noRecordings, type Recording, readRecordings } from '../../recordings/recordings.ts'
import { type Player, startPlayer } from '../../recordings/service.ts'

type Reading = (response: string, streamed: boolean) => Plain

const readings: Partial<Record<Protocol, Reading>> & Record<SimulatedProtocol, Reading> = {
  'openai-chat': simplifyChat,
  'openai-responses': plainResponse,
  'anthropic-messages': plainMessage,
  'google-gemini': plainGenerated,
}

/** The request of a client of each protocol, and its path. */
const clients: Partial<Record<Protocol, { path: string; body: object }>> = {
  'openai-chat': { path: '/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }] } },
  'openai-responses': { path: '/responses', body: { input: 'Hi' } },
  'anthropic-messages': {
    path: '/messages',
    body: { max_tokens: 1000, messages: [{ role: 'user', content: 'Hi' }] },
  },
}

/** Checks only that an error is reported: its text is the service's own, with the provider's beside it. */
function differing(result: Plain, reply: Plain): (keyof Plain)[] {
  const partValue = (plain: Plain, part: keyof Plain) => (part === 'error' ? plain.error !== '' : plain[part])
  const parts = Object.keys(reply) as (keyof Plain)[]
  return parts.filter((part) => JSON.stringify(partValue(result, part)) !== JSON.stringify(partValue(reply, part)))
}

/** An event without its names and counts; of chats the tool calls, because other fields are added there. */
function contentOf(event: any): object[] {
  if (event.choices) return event.choices.flatMap(({ delta }: any) => delta?.tool_calls ?? [])
  if (event.object === 'chat.completion.chunk') return []
  const { usage: _usage, response, message, ...content } = event
  const { output, status } = response ?? {}
  return [{ ...content, output, status, content: message?.content }]
}

/** The tools that a chat recording calls. Without declarations, a name can continue after its first piece. */
function declaredTools({ protocol, answer }: Recording): object {
  const names = new Set([...answer.matchAll(/"name":\s*"([\w-]+)"/g)].map(([, name]) => name))
  if (protocol !== 'openai-chat' || names.size === 0) return {}
  return { tools: [...names].map((name) => ({ type: 'function', function: { name } })) }
}

const short = (value: unknown) => JSON.stringify(value).slice(0, 150)

describe('recorded responses of real providers', { skip: noRecordings }, () => {
  const recordings = noRecordings ? [] : readRecordings()
  const met = new Set<Loss>()
  let player: Player
  before(async () => {
    player = await startPlayer(recordings)
  })
  after(() => player[Symbol.asyncDispose]())

  async function plainResponse(recording: Recording, client: Protocol, stream: boolean): Promise<Plain> {
    const { path, body } = clients[client]!
    const model = player.modelFor(recording)
    const reply = await player.service.ask('POST', path, { body: { ...body, model, stream } })
    if (reply.status !== 200) return { ...nothing(), error: reply.text }
    return readings[client]!(reply.text, stream)
  }

  for (const client of Object.keys(clients) as Protocol[]) {
    for (const stream of [false, true]) {
      test(`${client}, ${stream ? 'streamed' : 'whole'}: a response equals the recording`, async () => {
        const lost: string[] = []
        for (const recording of recordings.filter(({ status }) => status === 200)) {
          const reply = readings[recording.protocol]!(recording.answer, isStreamed(recording))
          const result = await plainResponse(recording, client, stream)
          for (const part of differing(result, reply)) {
            const loss = lossOf({ recording, client, stream, part, result, reply })
            if (loss) met.add(loss)
            else
              lost.push(
                `${recording.protocol} ${recording.name} ${part}: ${short(result[part])} for ${short(reply[part])}`,
              )
          }
        }
        assert.ok(lost.length === 0, lost.join('\n'))
      })
    }
  }

  for (const client of Object.keys(clients) as Protocol[])
    test(`${client}: streams of its protocol are unchanged, except names and usage`, async () => {
      const changed: string[] = []
      for (const recording of recordings.filter(({ status, protocol }) => status === 200 && protocol === client)) {
        // An error within a stream has the form of the gateway: test/providers/provider-error-details.test.ts.
        if (!isStreamed(recording) || recording.answer.includes('"error":')) continue
        const { path, body } = clients[client]!
        const { text } = await player.service.ask('POST', path, {
          body: { ...body, ...declaredTools(recording), model: player.modelFor(recording), stream: true },
        })
        const [received, sent] = [text, recording.answer].map((stream) => eventsOf(stream).flatMap(contentOf))
        if (JSON.stringify(received) !== JSON.stringify(sent)) changed.push(recording.name)
      }
      assert.deepEqual(changed, [])
    })

  test('each known loss occurs in a recording', () => {
    assert.deepEqual(
      losses.filter((loss) => !met.has(loss)).map(({ why }) => why),
      [],
    )
  })

  /** The texts that a refusal must contain: the provider's reason and its code. */
  function requiredTexts({ answer }: Recording): string[] {
    const { message, code, type } = JSON.parse(answer).error
    return [message, code ?? type]
  }

  for (const client of Object.keys(clients) as Protocol[])
    test(`${client}: a refusal of a provider has the client's envelope and the reason`, async () => {
      const lost: string[] = []
      for (const recording of recordings.filter(({ status }) => status >= 400))
        for (const stream of [false, true]) {
          const { path, body } = clients[client]!
          const model = player.modelFor(recording)
          const reply = await player.service.ask('POST', path, { body: { ...body, model, stream } })
          const { type, error } = reply.body
          const isOwn = client === 'anthropic-messages' ? type === 'error' && error.type : error.code === reply.status
          const [reason, code] = requiredTexts(recording)
          if (reply.status !== refineStatus(recording.status, code, reason!) || !isOwn)
            lost.push(`${recording.name}: ${reply.text}`)
          const partValue = [error.message, ...Object.values(error.metadata ?? error.details)]
          for (const word of requiredTexts(recording))
            if (!partValue.includes(word)) lost.push(`${recording.name}: no ${word} in ${reply.text}`)
        }
      assert.ok(lost.length === 0, lost.join('\n'))
    })

  /** The checks of the official client for each response, and each event. */
  const schemas = {
    'openai-chat': [official.ChatResult$inboundSchema, official.ChatStreamChunk$inboundSchema],
    'openai-responses': [official.OpenResponsesResult$inboundSchema, official.StreamEvents$inboundSchema],
  } as const

  for (const protocol of ['openai-chat', 'openai-responses'] as const)
    test(`${protocol}: @openrouter/sdk reads the unchanged bytes and the model`, async () => {
      const refused: string[] = []
      for (const recording of recordings.filter((one) => one.protocol === protocol && one.status === 200)) {
        const stream = isStreamed(recording)
        const { path, body } = clients[protocol]!
        const model = player.modelFor(recording)
        const reply = await player.service.ask('POST', path, { body: { ...body, model, stream } })
        const schema = schemas[protocol][stream ? 1 : 0]
        if (reply.status !== 200) continue
        for (const part of stream ? eventsOf(reply.text) : [reply.body]) {
          const issues = schema.safeParse(part).error?.issues ?? []
          refused.push(...issues.map(({ path: at, message }) => `${recording.name}: ${at.join('.')} ${message}`))
          const partValue = part.response ?? part
          if (
            partValue.model !== undefined &&
            (partValue.model !== model || partValue.provider !== `Recorded ${protocol}`)
          )
            refused.push(`${recording.name}: ${partValue.model} of ${partValue.provider}`)
        }
      }
      assert.ok(refused.length === 0, refused.join('\n'))
    })
})
