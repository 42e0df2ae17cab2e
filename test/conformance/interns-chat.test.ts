import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import OpenAI from 'openai'
import OpenAI6 from 'openai-v6'
import { daemonOf, type InternChatService, startInternChatService } from '#test/harness/interns/intern-chat.ts'
import { until } from '#test/harness/until.ts'

type Call = { id: string; type: 'function'; function: { name: string; arguments: string } }
type Turn = { content: string; sessionId?: string | undefined; answers?: Call }
type Heard = { text: string; finish: string | undefined; sessionId: string | undefined; call: Call | undefined }

/** One turn through an official client, as its users would write it. Throws what the client throws. */
type Speak = (service: InternChatService, turn: Turn, signal?: AbortSignal) => Promise<Heard>

function throughOpenAi(Client: typeof OpenAI): Speak {
  return async ({ url, apiKey, id }, { content, sessionId, answers }, signal) => {
    const client = new Client({ apiKey, baseURL: `${url}/interns/${id}` })
    const messages: OpenAI.ChatCompletionMessageParam[] = answers
      ? [
          { role: 'assistant', content: null, tool_calls: [answers] },
          { role: 'tool', tool_call_id: answers.id, content },
        ]
      : [{ role: 'user', content }]
    const own = { approval_mode: 'manual', ...(sessionId && { session_id: sessionId }) }
    const body = { model: 'any', stream: true as const, messages, ...own }
    const turn: Heard = { text: '', finish: undefined, sessionId: undefined, call: undefined }
    for await (const chunk of await client.chat.completions.create(body, { signal })) {
      const choice = chunk.choices[0]
      turn.text += choice?.delta.content ?? ''
      turn.finish = choice?.finish_reason ?? turn.finish
      turn.call = (choice?.delta.tool_calls?.[0] as Call | undefined) ?? turn.call
      turn.sessionId = (chunk as { session_id?: string }).session_id ?? turn.sessionId
    }
    return turn
  }
}

const throughOpenRouter: Speak = async ({ url, apiKey, id: internId }, { content, sessionId, answers }, signal) => {
  const { interns } = new OpenRouter({ apiKey, serverURL: url, retryConfig: { strategy: 'none' } })
  const messages = answers
    ? [
        { role: 'assistant' as const, content: null, toolCalls: [answers] },
        { role: 'tool' as const, toolCallId: answers.id, content },
      ]
    : [{ role: 'user' as const, content }]
  const request = { stream: true as const, approvalMode: 'manual' as const, messages, ...(sessionId && { sessionId }) }
  const options = signal ? { fetchOptions: { signal } } : {}
  const { result } = await interns.chat({ internId, internChatCompletionRequest: request }, options)
  assert.ok(Symbol.asyncIterator in result)
  const turn: Heard = { text: '', finish: undefined, sessionId: undefined, call: undefined }
  for await (const chunk of result) {
    const choice = chunk.choices[0]
    turn.text += choice?.delta.content ?? ''
    turn.finish = choice?.finishReason ?? turn.finish
    turn.call = (choice?.delta.toolCalls?.[0] as Call | undefined) ?? turn.call
    turn.sessionId = chunk.sessionId ?? turn.sessionId
  }
  return turn
}

const clients: [string, Speak, 'spec' | 'openrouter'][] = [
  ['openai v7', throughOpenAi(OpenAI), 'spec'],
  ['openai v6', throughOpenAi(OpenAI6 as unknown as typeof OpenAI), 'spec'],
  ['@openrouter/sdk', throughOpenRouter, 'openrouter'],
]

const form = JSON.stringify({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
})
const permission = 'permission shell allow_once allow_always reject_once'

for (const [name, speak, dialect] of clients) {
  describe(`${name}, talking to an intern`, () => {
    let service: InternChatService
    before(async () => {
      service = await startInternChatService({ settings: { dialect } })
    })
    after(() => service[Symbol.asyncDispose]())

    const say = (content: string, sessionId?: string) => speak(service, { content, sessionId })
    const answer = ({ sessionId, call }: Heard, content: string) =>
      speak(service, { content, sessionId, answers: call! })

    test('a plain prompt', async () => {
      const { text, finish, sessionId } = await say('think so\nsay hello')
      assert.deepEqual([text, finish], ['hello', 'stop'])
      assert.match(sessionId ?? '', /^[\w-]{36}$/)
    })

    for (const [word, result] of [
      ['allow_once', 'allow_once-0'],
      ['allow_always', 'allow_always-1'],
      ['reject_once', 'reject_once-2'],
      ['cancel', 'cancelled'],
    ] as const) {
      test(`a permission, answered by ${word}`, async () => {
        const response = await say(`say before\n${permission}\nsay after`)
        assert.deepEqual([response.text, response.finish], ['before', 'tool_calls'])
        const prefix = dialect === 'spec' ? 'service' : 'openrouter'
        assert.equal(response.call?.function.name, `${prefix}.provide_input`)
        const { text, finish } = await answer(response, word)
        assert.deepEqual([text, finish], [`[${result}]after`, 'stop'])
      })
    }

    test('a permission with an unknown option: error, and the question stays open', async () => {
      const response = await say(permission)
      await assert.rejects(answer(response, 'reject_always'), /"reject_always" was not offered/)
      assert.equal((await answer(response, 'allow_once')).text, '[allow_once-0]')
    })

    test('a question, accepted', async () => {
      const response = await say(`ask ${form}`)
      const { kind, fields } = JSON.parse(response.call!.function.arguments)
      assert.equal(kind, 'elicitation')
      assert.deepEqual(fields, [
        { name: 'city', type: 'string', required: true },
        { name: 'days', type: 'integer', required: false },
      ])
      const accepted = { action: 'accept', content: { city: 'Oslo', days: 3 } }
      assert.deepEqual(JSON.parse((await answer(response, JSON.stringify(accepted))).text), accepted)
    })

    test('a question, declined', async () => {
      const { text, finish } = await answer(await say(`ask ${form}`), '{"action":"decline"}')
      assert.deepEqual([text, finish], ['{"action":"decline"}', 'stop'])
    })

    test('a question with an invalid answer: error, and the question stays open', async () => {
      const response = await say(`ask ${form}`)
      await assert.rejects(answer(response, 'Oslo'), /is a JSON object with "action"/)
      await assert.rejects(answer(response, '{"action":"accept","content":{"days":3}}'), /city is required/)
      assert.equal((await answer(response, '{"action":"cancel"}')).finish, 'stop')
    })

    test('a session continues', async () => {
      const { sessionId } = await say('say one')
      const second = await say('say two', sessionId)
      assert.deepEqual([second.text, second.sessionId], ['two', sessionId])
    })

    test('an abort in mid-stream ends the run', async () => {
      const runs = async () => (await daemonOf(service, service.id).health()).runs
      const disconnect = new AbortController()
      const talking = speak(service, { content: 'stream 10000 20' }, disconnect.signal).catch(() => 'aborted')
      await until(async () => (await runs()) === 1)
      disconnect.abort()
      await talking
      await until(async () => (await runs()) === 0, 1000)
    })

    test('a refusal that is final is not tried again, and its words arrive', async () => {
      await assert.rejects(say('refuse there is no such model'), /there is no such model/)
    })
  })
}
