import { RequestError } from '@agentclientprotocol/sdk'
import { type Command, pause, say } from './script-context.ts'
import { questionCommands } from './scripted-questions.ts'

export const modelOption = (model: string) => [
  {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select' as const,
    currentValue: model,
    options: [{ value: model, name: model }],
  },
]

const tickMs = 20

/** The first words of a line. An unknown word does nothing. */
export const commands: Record<string, Command> = {
  say,
  think: ({ client, sessionId }, text) =>
    client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } },
    }),
  /** Prints the MCP servers of the session as JSON. */
  servers: (context) => say(context, JSON.stringify(context.session.servers)),
  /** `stream 100 20`: a hundred words, one each 20 ms. */
  stream: async (context, rest) => {
    const [count = 1, everyMs = 0] = rest.split(' ').map(Number)
    for (let index = 0; index < count && !context.signal.aborted; index++) {
      await say(context, `word${index} `)
      if (everyMs) await pause(everyMs, context.signal)
    }
  },
  /**
   * Like `stream`, with the time in milliseconds since the epoch as words, to measure their latency. All agents write at
   * multiples of 20 ms: separate wake-ups for each word would use the whole processor.
   */
  clock: async ({ options, sessionId, signal }, rest) => {
    const [count = 1, everyMs = 0] = rest.split(' ').map(Number)
    const startedAt = performance.now()
    for (let index = 1; index <= count && !signal.aborted; index++) {
      const text = `${(performance.timeOrigin + performance.now()).toFixed(2)} `
      const params = { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } }
      options.writeRaw(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`)
      const dueAt = Math.ceil((startedAt + index * everyMs) / tickMs) * tickMs
      await pause(Math.max(0, dueAt - performance.now()), signal)
    }
  },
  /** `late 20 words`: prints the words after 20 ms, which can be after the end of the turn. */
  late: (context, rest) => {
    const [ms = '', text = ''] = rest.split(/ (.*)/s)
    setTimeout(() => void say(context, text), Number(ms))
  },
  /** `late_result 20 build`: completes the call of `tool build` after 20 ms. */
  late_result: ({ client, sessionId }, rest) => {
    const [ms = '', title = ''] = rest.split(' ')
    const update = {
      sessionUpdate: 'tool_call_update' as const,
      toolCallId: `call-${title}`,
      status: 'completed' as const,
    }
    setTimeout(() => void client.notify('session/update', { sessionId, update }), Number(ms))
  },
  wait: ({ signal }, ms) => pause(Number(ms), signal),
  mode: (context) => say(context, `[${context.session.mode}]`),
  memory: (context) => say(context, context.session.isRestored ? '[restored]' : '[open]'),
  tool: ({ client, sessionId }, rest) => {
    const [title = '', command] = rest.split(/ (.*)/s)
    const update = { toolCallId: `call-${title}`, title, rawInput: command && { command } }
    return client.notify('session/update', { sessionId, update: { sessionUpdate: 'tool_call', ...update } })
  },
  /** A complete tool call: `work edit a.txt {"after": "text"}`. */
  work: async ({ client, sessionId }, rest) => {
    const [kind = '', path = '', json = '{}'] = rest.split(/ (\S+) (.*)/s)
    const { before = null, after = '' } = JSON.parse(json)
    const call = { toolCallId: `work-${path}`, title: `Work on ${path}`, kind: kind as 'edit', rawInput: { path } }
    const update = (more: object) => client.notify('session/update', { sessionId, update: more as never })
    await update({ sessionUpdate: 'tool_call', ...call, status: 'in_progress', locations: [{ path }] })
    const content = [{ type: 'diff', path, oldText: before, newText: after }]
    await update({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, content })
    const rawOutput = { output: 'done' }
    await update({ sessionUpdate: 'tool_call_update', toolCallId: call.toolCallId, status: 'completed', rawOutput })
  },
  /** `plan read, write`: one step each, the first one in progress. */
  plan: ({ client, sessionId }, rest) => {
    const entries = rest.split(', ').map((content, at) => ({
      content,
      priority: 'high' as const,
      status: at === 0 ? ('in_progress' as const) : ('pending' as const),
    }))
    return client.notify('session/update', { sessionId, update: { sessionUpdate: 'plan', entries } })
  },
  /** Prints the blocks of the prompt after its script. */
  blocks: async (context) => say(context, JSON.stringify(context.session.promptBlocks?.slice(1))),
  model_says: async (context, prompt) => say(context, (await context.options.askModel?.(prompt)) ?? 'no model'),
  /** Sends so many concurrent model requests, and ignores failures. */
  models_say: async (context, count) => {
    const requests = Array.from({ length: Number(count) }, (_, at) => context.options.askModel?.(`${at}`))
    await Promise.allSettled(requests)
  },
  usage: ({ session }, rest) => {
    const [inputTokens = 0, outputTokens = 0] = rest.split(' ').map(Number)
    session.usage = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
  },
  cost: ({ client, sessionId, session }, usd) => {
    session.costUsd += Number(usd)
    const cost = { amount: session.costUsd, currency: 'USD' }
    return client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'usage_update', used: 1, size: 1000, cost },
    })
  },
  model: ({ client, sessionId }, name) =>
    client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'config_option_update', configOptions: modelOption(name) },
    }),
  ...questionCommands,
  refuse: (_context, message) => fail(message),
  fail: (_context, message) => fail(message),
  fail_with_details: (_context, details) => fail('Internal error', { details }),
  overload: ({ session }, message) => fail(message, { retryable: true, usage: session.usage }),
  /** Ignores cancellation. */
  hang: () => new Promise(() => {}),
  crash: async ({ options }, words) => {
    options.writeStderr(words)
    options.crash()
    await new Promise(() => {})
  },
  /** Ends the agent after its turn: `crash_later 20`. */
  crash_later: ({ options }, ms) => void setTimeout(options.crash, Number(ms)),
  flood: async (context, megabytes) => {
    for (let remaining = Number(megabytes) * 1024; remaining > 0 && !context.signal.aborted; remaining--)
      await say(context, 'x'.repeat(1024))
  },
  raw: ({ options }, line) => options.writeRaw(`${line}\n`),
  huge: ({ options }, megabytes) =>
    options.writeRaw(`{"jsonrpc":"2.0","method":"${'x'.repeat(Number(megabytes) * 1024 * 1024)}`),
  complain: ({ options }, kilobytes) => options.writeStderr('e'.repeat(Number(kilobytes) * 1024)),
  unknown: ({ sessionId, options }) => {
    const update = { sessionUpdate: 'of_the_future', anything: [1, 2, 3] }
    options.writeRaw(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`)
    options.writeRaw(`${JSON.stringify({ jsonrpc: '2.0', method: 'of/the/future', params: {} })}\n`)
    options.writeRaw(`a log line, not a message\n`)
  },
}

function fail(message: string, data?: unknown): never {
  throw new RequestError(-32603, message, data)
}
