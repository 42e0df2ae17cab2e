import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ReasoningSeparator } from '#gateway/providers/openai-chat/normalization/tagged-reasoning.ts'
import { SseReader } from '#platform/net/sse.ts'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'
import { parseRequest } from '../harness/upstream/scripted-upstream.ts'
import { type Door, doors } from '../tool-calls/clients.ts'

/** The text that a server sends, and what its client gets. */
type Tagged = { sent: string; reasoning: string; text: string }

const tagged: Tagged[] = [
  { sent: '<think>\nHm\n</think>\n\nHello', reasoning: 'Hm', text: 'Hello' },
  { sent: '\n<thinking>Hm <b> </thin</thinking> Hello', reasoning: 'Hm <b> </thin', text: 'Hello' },
  { sent: '<thought>Hm</thought>Hello </thought> <think>', reasoning: 'Hm', text: 'Hello </thought> <think>' },
  { sent: '<think>\n\n</think>\n\nHello', reasoning: '', text: 'Hello' },
  { sent: '<reasoning>Hm</reasoning>Hello', reasoning: 'Hm', text: 'Hello' },
  { sent: '<think>Hm', reasoning: 'Hm', text: '' },
  { sent: '<think>Hm </thi', reasoning: 'Hm </thi', text: '' },
  { sent: 'Hello <think>Hm</think>', reasoning: '', text: 'Hello <think>Hm</think>' },
  { sent: '<thinker>Hello', reasoning: '', text: '<thinker>Hello' },
  { sent: '<thi', reasoning: '', text: '<thi' },
  { sent: ' \n', reasoning: '', text: ' \n' },
  { sent: '  <div>Hello', reasoning: '', text: '  <div>Hello' },
  { sent: `${' '.repeat(70)}<think>Hm</think>`, reasoning: '', text: `${' '.repeat(70)}<think>Hm</think>` },
]

const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason }],
})
const sse = (events: object[], end = 'data: [DONE]\n\n') =>
  events.map((event) => `data: ${JSON.stringify(event).replaceAll('<', '\\u003c')}\n\n`).join('') + end
const pieces = (text: string, size: number) => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []

/** How servers send a text. */
const forms: Record<string, (text: string) => string> = {
  'one character at a time': (text) =>
    sse([...pieces(text, 1).map((content) => chunk({ role: 'assistant', content })), chunk({}, 'stop')]),
  'in pieces without a finish reason': (text) => sse(pieces(text, 7).map((content) => chunk({ content }))),
  'at once': (text) => sse([chunk({ content: text }, 'stop')]),
}

function understand(door: Door, text: string): { reasoning: string; text: string } {
  const events = new SseReader()
    .push(Buffer.from(text))
    .flatMap(({ data }) => (data[0] === '{' ? [JSON.parse(data)] : []))
  const join = (read: (event: any) => string | undefined) => events.map((event) => read(event) ?? '').join('')
  const typed = (type: string) => join((event) => (event.type === type ? event.delta : ''))
  if (door === 'chat') {
    assert.doesNotMatch(text, /tagged_reasoning/)
    return {
      reasoning: join(({ choices }) => choices?.[0]?.delta.reasoning),
      text: join(({ choices }) => choices?.[0]?.delta.content),
    }
  }
  if (door === 'responses')
    return { reasoning: typed('response.reasoning_summary_text.delta'), text: typed('response.output_text.delta') }
  return { reasoning: join(({ delta }) => delta?.thinking), text: join(({ delta }) => delta?.text) }
}

function understandWhole(door: Door, body: any): { reasoning: string; text: string } {
  if (door === 'chat') {
    const { content, reasoning = '', tagged_reasoning: rest } = body.choices[0].message
    assert.equal(rest, undefined)
    return { reasoning, text: content }
  }
  const parts = door === 'responses' ? body.output.flatMap((item: any) => item.summary ?? item.content) : body.content
  const join = (read: (part: any) => string) => parts.map(read).join('')
  if (door === 'messages')
    return { reasoning: join((part) => part.thinking ?? ''), text: join((part) => part.text ?? '') }
  return {
    reasoning: join((part) => (part.type === 'summary_text' ? part.text : '')),
    text: join((part) => (part.type === 'output_text' ? part.text : '')),
  }
}

test('a stream with more choices than a request can have is not split in all of them', () => {
  const separator = new ReasoningSeparator(128)
  const choices = Array.from({ length: 200 }, (_, index) => ({ index, delta: { content: '<think>Hm' } }))
  const data = JSON.stringify({ choices })
  const separated = JSON.parse(separator.filter({ event: undefined, data, raw: Buffer.from(data) }).data)
  const isSplit = separated.choices.map(({ delta }: any) => delta.tagged_reasoning === 'Hm')
  assert.deepEqual([isSplit.filter(Boolean).length, isSplit[127], isSplit[128]], [128, true, false])
})

test('a choice that starts after others have ended, or without a tag, is split', () => {
  const separator = new ReasoningSeparator(3)
  const send = (index: number, delta: object) => {
    const data = JSON.stringify({ choices: [{ index, delta }] })
    return JSON.parse(separator.filter({ event: undefined, data, raw: Buffer.from(data) }).data).choices[0].delta
  }
  assert.equal(send(0, { content: 'Hello' }).content, 'Hello')
  assert.equal(send(1, { reasoning_content: 'Hm' }).reasoning_content, 'Hm')
  assert.equal(send(1, { content: '<think>' }).content, '<think>')
  assert.deepEqual(send(2, { content: '<think>Hm</think>Hi' }), { content: 'Hi', tagged_reasoning: 'Hm' })
  assert.equal(separator.isDone, true)
})

describe('reasoning between tags in the text of chat servers', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithUpstream(
      (received) => {
        const { name, streamed } = parseRequest(received)
        const [, at, form] = name.split('-')
        const { sent } = tagged[Number(at)]!
        const message = { role: 'assistant', content: sent }
        const whole = { id: 'c', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }
        if (!streamed) return { status: 200, type: 'application/json', body: JSON.stringify(whole) }
        return { status: 200, type: 'text/event-stream', body: Object.values(forms)[Number(form)]!(sent) }
      },
      tagged.flatMap((_, at) => Object.keys(forms).map((_name, form) => `m-${at}-${form}`)),
      { chatServers: ['plain'], compatibility: { 'openai-chat': { reasoning_tags: true } } },
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = (door: Door, name: string, stream: boolean) =>
    recorded.service.ask('POST', doors[door].path, { body: { ...doors[door].body, model: name, stream } })

  for (const [at, { sent, reasoning, text }] of tagged.entries())
    for (const door of Object.keys(doors) as Door[]) {
      for (const [form, name] of Object.keys(forms).entries())
        test(`${door}, ${name}: ${JSON.stringify(sent.slice(0, 40))}`, async () => {
          const reply = await ask(door, `openai-chat/m-${at}-${form}`, true)
          assert.deepEqual(understand(door, reply.text), { reasoning, text }, reply.text)
        })
      test(`${door}, whole: ${JSON.stringify(sent.slice(0, 40))}`, async () => {
        const reply = await ask(door, `openai-chat/m-${at}-0`, false)
        assert.deepEqual(understandWhole(door, reply.body), { reasoning, text }, reply.text)
      })
    }

  test('the text of a server without the setting is passed on unchanged', async () => {
    const [{ sent }] = tagged as [Tagged]
    const whole = await ask('chat', 'plain/m-0-0', false)
    const stream = await ask('chat', 'plain/m-0-0', true)
    assert.equal(whole.body.choices[0].message.content, sent)
    assert.equal(understand('chat', stream.text).text, sent)
  })

  test('the model gets its reasoning back between tags, from clients of all protocols', async () => {
    const model = 'openai-chat/m-0-0'
    const first = await ask('messages', model, false)
    const turns = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: first.body.content },
      { role: 'user', content: 'And?' },
    ]
    await recorded.service.ask('POST', '/messages', { body: { model, max_tokens: 9, messages: turns } })
    assert.equal(recorded.upstream.requests.at(-1)!.body.messages[1].content, '<think>\nHm\n</think>\n\nHello')
    const { message } = (await ask('chat', model, false)).body.choices[0]
    const messages = [{ role: 'user', content: 'Hi' }, message, { role: 'user', content: 'And?' }]
    await recorded.service.ask('POST', '/chat/completions', { body: { model, messages } })
    const [, sent] = recorded.upstream.requests.at(-1)!.body.messages
    assert.deepEqual(sent, { role: 'assistant', content: '<think>\nHm\n</think>\n\nHello' })
  })
})
