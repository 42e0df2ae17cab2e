import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Door } from './tool-calls/clients.ts'

/** A server's answer, and how every client must understand it: name and arguments of each call, text, and end. */
export type OddAnswer = {
  name: string
  protocol: Protocol
  reply: { body: string; type?: string }
  calls?: string[][]
  text?: string
  end: Record<Door, string>
  /** The client protocol that gets the bytes of the server unchanged. */
  not?: Door
  /** The client asks for a whole answer. */
  whole?: true
}

const a = '{"path":"a"}'
const b = '{"path":"b"}'
const called = { chat: 'tool_calls', responses: 'completed', messages: 'tool_use' }
const stopped = { chat: 'stop', responses: 'completed', messages: 'end_turn' }

const sse = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
const done = 'data: [DONE]\n\n'
const choice = (more: object) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, ...more }] })
const delta = (delta: object, finish_reason: string | null = null) => choice({ delta, finish_reason })
const call = { id: 'call_a', type: 'function', function: { name: 'read', arguments: a } }
const hello = sse([delta({ role: 'assistant', content: 'Hel' }), delta({ content: 'lo' }), delta({}, 'stop')]) + done

const response = { id: 'r', status: 'completed', output: [], usage: { input_tokens: 1, output_tokens: 1 } }
const parts = (functionCalls: object[], more: object = {}) => ({
  candidates: [{ content: { parts: functionCalls.map((functionCall) => ({ functionCall })) }, ...more }],
})

const message = { role: 'assistant', content: 'Hi', tool_calls: [call] }
const calling = { name: 'read', arguments: '{"path":' }
export const oddAnswers: OddAnswer[] = [
  {
    name: 'a stream of one event with the whole message',
    protocol: 'openai-chat',
    reply: { body: sse([choice({ message, finish_reason: 'tool_calls' })]) + done },
    calls: [['read', a]],
    text: 'Hi',
    end: called,
  },
  {
    name: 'calls in the field before tool_calls',
    protocol: 'openai-chat',
    reply: {
      body:
        sse([
          delta({ function_call: calling }),
          delta({ function_call: { arguments: '"a"}' } }),
          delta({}, 'function_call'),
        ]) + done,
    },
    calls: [['read', a]],
    end: called,
    not: 'chat',
  },
  {
    name: 'the end mark without a finish reason',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ content: 'Hi' })]) + done },
    text: 'Hi',
    end: stopped,
  },
  {
    name: 'the end mark after a call without a finish reason',
    protocol: 'openai-chat',
    reply: { body: sse([delta({ tool_calls: [{ index: 0, ...call }] }, '')]) + done },
    calls: [['read', a]],
    end: called,
  },
  ...['application/json', 'text/plain', 'application/octet-stream'].map(
    (type): OddAnswer => ({
      name: `a stream of type ${type}`,
      protocol: 'openai-chat',
      reply: { body: `\ufeff: hello\n\n${hello}`, type },
      text: 'Hello',
      end: stopped,
    }),
  ),
  {
    name: 'a stream of type text/plain for a whole answer',
    protocol: 'openai-chat',
    reply: { body: hello, type: 'text/plain' },
    text: 'Hello',
    end: stopped,
    whole: true,
  },
  {
    name: 'a text that only the end of its part has',
    protocol: 'openai-responses',
    reply: {
      body: sse([
        { type: 'response.created', response },
        {
          type: 'response.content_part.done',
          output_index: 0,
          content_index: 0,
          part: { type: 'output_text', text: 'Hi' },
        },
        { type: 'response.completed', response },
      ]),
    },
    text: 'Hi',
    end: stopped,
    not: 'responses',
  },
  {
    name: 'two calls with the same id',
    protocol: 'google-gemini',
    reply: {
      body: sse([
        parts([{ id: 'x', name: 'read', args: { path: 'a' } }]),
        parts([{ id: 'x', name: 'read', args: { path: 'b' } }], { finishReason: 'STOP' }),
      ]),
    },
    calls: [
      ['read', a],
      ['read', b],
    ],
    end: called,
  },
]

/** Bodies of refusals, and the words that clients must see. */
export const oddErrors: [body: unknown, words: string][] = [
  [{ error: 'model is loading' }, 'model is loading'],
  [{ detail: { error: { message: 'no such deployment' } } }, 'no such deployment'],
  [{ detail: [{ loc: ['body', 'n'], msg: 'must be 1' }] }, 'n: must be 1.'],
  [{ errors: [{ code: 7003, message: 'no route' }], success: false }, 'no route'],
  [{ error: { error: { message: 'twice wrapped' } } }, 'twice wrapped'],
  [[{ error: { message: 'in a list' } }], 'in a list'],
  [{ object: 'error', message: 'at the top' }, 'at the top'],
]
