import type { OddResponse } from './loose-upstreams.ts'

const a = '{"path":"a"}'
const b = '{"path":"b"}'
const end = { chat: 'tool_calls', responses: 'completed', messages: 'tool_use' }

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const ending = chunk({}, 'tool_calls')
const done = 'data: [DONE]\n\n'
const pieceChunk = (piece: object) => chunk({ tool_calls: [piece] })

/** A chat stream with a call in these pieces, one in each event. */
function chatStream(pieces: object[]): OddResponse['reply'] {
  return { body: `${pieces.map(pieceChunk).join('')}${ending}${done}` }
}

const piece = (name: string | undefined, text: string | undefined, more: object = { index: 0 }) => ({
  ...more,
  function: { ...(name !== undefined && { name }), ...(text !== undefined && { arguments: text }) },
})
const start = { index: 0, id: 'call_a', type: 'function' }

function call(name: string, pieces: object[], more: Partial<OddResponse> = {}): OddResponse {
  return { name, protocol: 'openai-chat', reply: chatStream(pieces), calls: [['read', a]], end, ...more }
}

/** A stream whose end comes after the first pieces. */
const endsEarly = (name: string, first: object[], last: object[]): OddResponse => ({
  ...call(name, []),
  reply: { body: `${first.map(pieceChunk).join('')}${ending}${last.map(pieceChunk).join('')}${done}` },
  hasTools: true,
})
const named = (name: string, form: string): OddResponse => call(form, [piece(name, a, start)], { hasTools: true })

/** Calls of chat servers that number or name their pieces differently from OpenAI. */
export const oddCalls: OddResponse[] = [
  call('a name in parts with empty arguments', [piece('re', '', start), piece('ad', ''), piece(undefined, a)], {
    hasTools: true,
  }),
  call('a name in parts without an id', [piece('re', undefined), piece('ad', undefined), piece(undefined, a)]),
  call('a name in parts without an id, with empty arguments', [piece('re', ''), piece('ad', ''), piece(undefined, a)]),
  call(
    'a name in parts without an id and a number',
    [piece('re', undefined, {}), piece('ad', undefined, {}), piece(undefined, a, {})],
    { hasTools: true },
  ),
  call('another id of the call in each piece', [
    piece('read', '', start),
    piece(undefined, a.slice(0, 4), { index: 0, id: 'call_b' }),
    piece('', a.slice(4), { index: 0, id: 'call_c' }),
  ]),
  call('an id of None in the later pieces', [
    piece('read', '', start),
    piece('', a.slice(0, 4), { index: 0, id: 'None' }),
    piece('', a.slice(4), { index: 0, id: 'None' }),
  ]),
  ...['null', 'None'].map((none) =>
    call(`a name of ${none} in the later pieces`, [
      piece('read', '', { ...start, type: 'FUNCTION' }),
      piece(none, a.slice(0, 4), { index: 0, id: '', type: 'FUNCTION' }),
      piece(none, a.slice(4), { index: 0, id: '', type: 'FUNCTION' }),
    ]),
  ),
  call('another number of the call in each piece', [
    piece('read', '', start),
    piece(undefined, a.slice(0, 4), { index: 1, id: 'call_a' }),
    piece(undefined, a.slice(4), { index: 2, id: 'call_a' }),
  ]),
  call('another number in each piece without an id', [
    piece('read', '', start),
    piece(undefined, a.slice(0, 4), { index: 1 }),
    piece(undefined, a.slice(4), { index: 2 }),
  ]),
  call('name and arguments directly in the call', [{ ...start, name: 'read', arguments: a }]),
  call('an object as arguments directly in the call', [{ index: 0, name: 'read', arguments: { path: 'a' } }]),
  call('arguments in a code block', [piece('read', '```json\n', start), piece(undefined, `${a}\n\`\`\``)]),
  call(
    'line ends within the texts of arguments',
    [piece('read', '{\n"path":"a\n', start), piece(undefined, '\tb"\n}')],
    { calls: [['read', '{\n"path":"a\\n\\tb"\n}']] },
  ),
  ...['[]', 'None', '""'].map((nothing) =>
    call(`${nothing} as arguments`, [piece('read', nothing, start)], { calls: [['read', '{}']] }),
  ),
  ...[[piece('read', a + b, start)], [piece('read', '', start), piece(undefined, a), piece(undefined, b)]].map(
    (pieces) =>
      call(`the arguments of two calls in ${pieces.length} pieces of one`, pieces, {
        calls: [
          ['read', a],
          ['read', b],
        ],
      }),
  ),
  call('a name that was joined of two', [piece('readread', a, start)], { hasTools: true }),
  endsEarly('the end before the first arguments', [piece('read', '', start)], [piece(undefined, a)]),
  endsEarly(
    'the end before the first arguments, which come in pieces',
    [piece('read', undefined, start)],
    [piece(undefined, a.slice(0, 5)), piece(undefined, a.slice(5))],
  ),
  {
    ...call('the end in every event', []),
    reply: {
      body: [piece('read', '', start), piece(undefined, a.slice(0, 5)), piece(undefined, a.slice(5))]
        .map((one) => chunk({ tool_calls: [one] }, 'tool_calls'))
        .join('')
        .concat(done),
    },
    hasTools: true,
  },
  endsEarly('the end again after the last arguments', [piece('read', a, start)], [piece(undefined, '')]),
  call('all arguments again with other white space, before the last bracket', [
    piece('read', a.slice(0, 5), start),
    piece(undefined, a.slice(5, -1)),
    piece(undefined, '{"path": "a"}'),
  ]),
  call('all arguments again with other white space, within a text', [
    piece('read', a.slice(0, -2), start),
    piece(undefined, '{"path": "a"}'),
  ]),
  call('all arguments again with other white space, after the last bracket', [
    piece('read', a, start),
    piece(undefined, '{"path": "a"}'),
  ]),
  call('name and all arguments again with other white space', [
    piece('read', a, start),
    piece('read', '{"path": "a"}', start),
  ]),
  ...['Read', '"read"', 'read()', 'read</tool_call>', 'commentary to=functions.read', '$FUNCTIONS.read'].map((name) =>
    named(name, `the name ${name} of the tool read`),
  ),
  {
    ...call('a piece of no call beside text', []),
    reply: { body: `${chunk({ content: 'Hello', tool_calls: [piece('', '')] })}${chunk({}, 'stop')}${done}` },
    calls: [],
    text: 'Hello',
    end: { chat: 'stop', responses: 'completed', messages: 'end_turn' },
  },
  {
    ...call('a list of calls as text', []),
    reply: {
      type: 'application/json',
      body: JSON.stringify({
        id: 'c',
        choices: [
          {
            message: { role: 'assistant', tool_calls: JSON.stringify([piece('read', a, start)]) },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    },
    whole: true,
  },
  {
    ...call('a signed call', []),
    reply: {
      type: 'application/json',
      body: JSON.stringify({
        id: 'c',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              tool_calls: [
                { ...start, ...piece('read', a, start), extra_content: { google: { thought_signature: 'SIG' } } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      }),
    },
    whole: true,
  },
]
