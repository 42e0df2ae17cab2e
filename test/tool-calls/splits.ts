import type { SimulatedProtocol } from '#test/harness/upstream/provider-facts.ts'

/** A call as the model expected it. An empty id is one that the upstream does not give. */
export type ExpectedCall = { id: string; name: string; args: string }

/** Numbers from which every choice is made. */
type Next = () => number

type Piece = { at: number; event: object }
/** The events of each call, in their order, and what comes before and after all calls. */
type Script = { start: object[]; calls: object[][]; text: object; end: object[] }

const oneOf = (next: Next, count: number) => next() % count === 0

/** The arguments in one to four pieces, some of them empty. */
function cut(args: string, next: Next): string[] {
  const places = Array.from({ length: next() % 4 }, () => next() % (args.length + 1)).sort((a, b) => a - b)
  return [0, ...places].map((from, at) => args.slice(from, places[at] ?? args.length))
}

const event = (type: string, more: object) => ({ type, ...more })

function chatScript(calls: ExpectedCall[], next: Next): Script {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, finish_reason }],
  })
  const hasIds = calls.every(({ id }) => id)
  const numbering = hasIds ? next() % 3 : 0
  const repeats = oneOf(next, 3)
  const repeatsWhole = oneOf(next, 4)
  return {
    start: [chunk({ role: 'assistant', content: oneOf(next, 2) ? '' : null })],
    text: oneOf(next, 2) ? chunk({ content: '\n' }) : chunk({ reasoning_content: 'Hm' }),
    calls: calls.map(({ id, name, args }, at) => {
      const pieces = cut(args, next)
      const index = [at, 0, undefined][numbering]
      const withName = next() % pieces.length
      const withId = numbering === 0 ? next() % pieces.length : -1
      const chunks = pieces.map((text, part) => {
        const hasId = id && (numbering > 0 || part === withId || repeats)
        const called = { ...((part === withName || repeats) && { name }), arguments: text }
        return chunk({
          tool_calls: [{ ...(index !== undefined && { index }), ...(hasId && { id }), function: called }],
        })
      })
      const whole = { ...(index !== undefined && { index }), id, type: 'function', function: { name, arguments: args } }
      return id && repeatsWhole ? [...chunks, chunk({ tool_calls: [whole] })] : chunks
    }),
    end: [chunk({}, 'tool_calls')],
  }
}

function responsesScript(calls: ExpectedCall[], next: Next): Script {
  const item = ({ id, name }: ExpectedCall, at: number, args: string | undefined) => ({
    ...{ type: 'function_call', id: `fc_${at}`, status: 'completed' },
    ...(id && { call_id: id }),
    ...{ name, arguments: args },
  })
  const isSilent = oneOf(next, 6)
  const isUnnumbered = oneOf(next, 4)
  const scripts = calls.map((call, at) => {
    const { args } = call
    const place = { ...(!isUnnumbered && { output_index: at }), item_id: `fc_${at}` }
    const added = event('response.output_item.added', {
      ...(!isUnnumbered && { output_index: at }),
      item: item(call, at, oneOf(next, 4) ? args : ''),
    })
    const deltas = oneOf(next, 3)
      ? []
      : cut(args, next).map((delta) => event('response.function_call_arguments.delta', { ...place, delta }))
    const done = event('response.function_call_arguments.done', { ...place, arguments: args })
    const last = event('response.output_item.done', {
      ...(!isUnnumbered && { output_index: at }),
      item: item(call, at, args),
    })
    return [added, ...deltas, ...(oneOf(next, 4) ? [] : [done]), ...(oneOf(next, 4) ? [] : [last])]
  })
  const output = calls.map((call, at) => item(call, at, call.args))
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const completed = { id: 'r', model: 'm', status: 'completed', output, usage }
  return {
    start: [event('response.created', { response: { id: 'r', model: 'm', status: 'in_progress', output: [] } })],
    text: event('response.in_progress', { response: { id: 'r', model: 'm', status: 'in_progress', output: [] } }),
    calls: isSilent ? scripts.map(() => []) : scripts,
    end: [event('response.completed', { response: completed })],
  }
}

function messagesScript(calls: ExpectedCall[], next: Next): Script {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] }
  const usage = { input_tokens: 1, output_tokens: 1 }
  const stops = !oneOf(next, 5)
  return {
    start: [event('message_start', { message: { ...message, usage } })],
    text: event('ping', {}),
    calls: calls.map(({ id, name, args }, index) => {
      const isWhole = oneOf(next, 4)
      const block = { type: 'tool_use', ...(id && { id }), name, input: isWhole ? JSON.parse(args) : {} }
      const pieces = isWhole ? (oneOf(next, 2) ? [''] : []) : args === '{}' && oneOf(next, 2) ? [''] : cut(args, next)
      return [
        event('content_block_start', { index, content_block: block }),
        ...pieces.map((partial_json) =>
          event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
        ),
        ...(stops ? [event('content_block_stop', { index })] : []),
      ]
    }),
    end: [
      event('message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } }),
      event('message_stop', {}),
    ],
  }
}

function geminiScript(calls: ExpectedCall[], next: Next): Script {
  const generated = (parts: object[], more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    ...{ modelVersion: 'm', responseId: 'g' },
  })
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const repeats = oneOf(next, 3)
  return {
    start: [],
    text: generated([{ text: '', thought: true }]),
    calls: calls.map(({ id, name, args }) => {
      const input = JSON.parse(args)
      const isBare = Object.keys(input).length === 0 && oneOf(next, 2)
      const part = {
        functionCall: { ...(id ? { id } : oneOf(next, 2) && { id: '' }), name, ...(!isBare && { args: input }) },
      }
      return id && repeats ? [generated([part]), generated([part])] : [generated([part])]
    }),
    end: [{ ...generated([{ text: '' }], { finishReason: 'STOP' }), usageMetadata }],
  }
}

const scripts: Record<SimulatedProtocol, (calls: ExpectedCall[], next: Next) => Script> = {
  'openai-chat': chatScript,
  'openai-responses': responsesScript,
  'anthropic-messages': messagesScript,
  'google-gemini': geminiScript,
}

/** The calls in turns: each starts before the next one, and other events come in between. */
function interleaved({ calls, text }: Script, next: Next): object[] {
  const isInTurns = oneOf(next, 2)
  const rest: Piece[][] = calls.map((events, at) => events.map((one) => ({ at, event: one })))
  const events: object[] = []
  let started = 0
  while (rest.some((pieces) => pieces.length > 0)) {
    const open = rest.slice(0, started).filter((pieces) => pieces.length > 0)
    const startsNext = started < rest.length && (open.length === 0 || (isInTurns && oneOf(next, 2)))
    const pieces = startsNext ? rest[started++]! : open[next() % open.length]!
    const piece = pieces.shift()
    if (piece) events.push(piece.event)
    if (oneOf(next, 5)) events.push(text)
  }
  return events
}

/** Some servers send pieces of several calls in one chunk. */
function merged(events: any[], next: Next): object[] {
  const chunks: any[] = []
  for (const one of events) {
    const calls = chunks.at(-1)?.choices?.[0].delta.tool_calls
    const more = one.choices?.[0].delta.tool_calls
    if (calls && more && oneOf(next, 4)) calls.push(...more)
    else chunks.push(one)
  }
  return chunks
}

/** A stream of these calls, of which every property that the protocol leaves open is chosen. */
export function streamOf(protocol: SimulatedProtocol, calls: ExpectedCall[], next: Next): string {
  const script = scripts[protocol](calls, next)
  const events = [...script.start, ...merged(interleaved(script, next), next), ...script.end]
  const end = protocol === 'openai-chat' ? 'data: [DONE]\n\n' : ''
  return events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('') + end
}

/** A whole response with these calls. */
export function wholeOf(protocol: SimulatedProtocol, calls: ExpectedCall[], next: Next): object {
  switch (protocol) {
    case 'openai-chat': {
      const tool_calls = calls.map(({ id, name, args }) => ({
        ...(id && { id }),
        ...(oneOf(next, 2) && { type: 'function' }),
        function: { name, arguments: args === '{}' && oneOf(next, 2) ? '' : oneOf(next, 4) ? JSON.parse(args) : args },
      }))
      const message = { role: 'assistant', content: null, tool_calls }
      return {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      }
    }
    case 'openai-responses':
      return (responsesScript(calls, next).end[0] as { response: object }).response
    case 'anthropic-messages': {
      const content = calls.map(({ id, name, args }) => ({
        type: 'tool_use',
        ...(id && { id }),
        name,
        input: oneOf(next, 4) ? args : JSON.parse(args),
      }))
      return {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content,
        stop_reason: 'tool_use',
        usage: { input_tokens: 1, output_tokens: 1 },
      }
    }
    case 'google-gemini': {
      const parts = calls.map(({ id, name, args }) => ({
        functionCall: { ...(id && { id }), name, args: JSON.parse(args) },
      }))
      return {
        candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
        modelVersion: 'm',
        responseId: 'g',
      }
    }
  }
}
