import {
  type AgentContext,
  type ContentBlock,
  type McpServer,
  type PermissionOptionKind,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'

/** The way in which a scripted agent restores old sessions, and its further abilities. */
export type ScriptedOptions = {
  restore: 'load' | 'resume' | 'never'
  /** Whether it offers the modes `manual` and `self-drive`. */
  modes: boolean
  /** Writes bytes as they are: what the protocol's library would never send. */
  raw: (bytes: string) => void
  /** Ends the process. */
  crash: () => void
  complain: (text: string) => void
  /** Asks the model of the service a question, as an agent does that never tells what it took. */
  askModel?: (prompt: string) => Promise<string>
  /** The kinds of servers of tools that it reaches besides commands. */
  reaches?: string[]
  /** The way to sign in without which it opens no session. */
  signIn?: string
}

/** A turn on the stage. */
export type ScriptContext = {
  session: Session
  sessionId: string
  client: AgentContext
  options: ScriptedOptions
  signal: AbortSignal
}

export type Session = {
  /** The last prompt as it came. */
  blocks?: ContentBlock[]
  mode: string
  restored: boolean
  turn?: AbortController
  costUsd: number
  usage?: Record<string, number>
  /** The servers of tools that it was offered. */
  servers: McpServer[]
}

type Command = (play: ScriptContext, rest: string) => unknown

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

const beatMs = 20

/** The first words of a line. An unknown word does nothing. */
export const commands: Record<string, Command> = {
  say,
  think: ({ client, sessionId }, text) =>
    client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } },
    }),
  /** Says, as JSON, which servers of tools it was offered. */
  servers: (play) => say(play, JSON.stringify(play.session.servers)),
  /** `stream 100 20`: a hundred words, one each 20 ms. */
  stream: async (play, rest) => {
    const [count = 1, everyMs = 0] = rest.split(' ').map(Number)
    for (let index = 0; index < count && !play.signal.aborted; index++) {
      await say(play, `word${index} `)
      if (everyMs) await pause(everyMs, play.signal)
    }
  },
  /**
   * The same with the time as words, in milliseconds since the epoch: for measuring how long they are on their way. Turns
   * keep to their own pace, but talk on the beat: agents that woke for each word would leave no processor to measure.
   */
  clock: async ({ options, sessionId, signal }, rest) => {
    const [count = 1, everyMs = 0] = rest.split(' ').map(Number)
    const begunAt = performance.now()
    for (let index = 1; index <= count && !signal.aborted; index++) {
      const text = `${(performance.timeOrigin + performance.now()).toFixed(2)} `
      const params = { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } }
      options.raw(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params })}\n`)
      const due = Math.ceil((begunAt + index * everyMs) / beatMs) * beatMs
      await pause(Math.max(0, due - performance.now()), signal)
    }
  },
  wait: ({ signal }, ms) => pause(Number(ms), signal),
  mode: (play) => say(play, `[${play.session.mode}]`),
  memory: (play) => say(play, play.session.restored ? '[restored]' : '[open]'),
  tool: ({ client, sessionId }, rest) => {
    const [title = '', command] = rest.split(/ (.*)/s)
    const update = { toolCallId: `call-${title}`, title, rawInput: command && { command } }
    return client.notify('session/update', { sessionId, update: { sessionUpdate: 'tool_call', ...update } })
  },
  /** A call from its beginning to its end: `work edit a.txt {"after": "text"}`. */
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
  /** `plan read, write`: a step each, the first of them begun. */
  plan: ({ client, sessionId }, rest) => {
    const entries = rest.split(', ').map((content, at) => ({
      ...{ content, priority: 'high' as const, status: at === 0 ? ('in_progress' as const) : ('pending' as const) },
    }))
    return client.notify('session/update', { sessionId, update: { sessionUpdate: 'plan', entries } })
  },
  permission: (play, rest) => askPermission(play, rest).then((said) => say(play, `[${said}]`)),
  /** Two questions at once. */
  permissions: async (play, rest) => {
    const both = [askPermission(play, `first ${rest}`), askPermission(play, `second ${rest}`)]
    await say(play, `[${(await Promise.all(both)).join(', ')}]`)
  },
  /** Asks, works on, and asks no more. */
  withdraw: async (play, rest) => {
    const withdrawn = AbortSignal.timeout(Number(rest))
    const said = askPermission(play, 'shell allow_once', withdrawn).catch(() => 'withdrawn')
    await say(play, `[${await said}]`)
  },
  /** Goes on writing while a question waits: `talk 1000 permission shell allow_once`. */
  talk: async (play, rest) => {
    const [bytes = '', line = ''] = rest.split(/ (.*)/s)
    const asked = askPermission(play, line.replace(/^permission /, ''))
    for (let left = Number(bytes); left > 0; left -= 1000) await say(play, 'x'.repeat(Math.min(left, 1000)))
    await say(play, `[${await asked}]`)
  },
  /** Asks to write a file, with the content as the protocol has it: `edit run.sh {"before": "a", "after": "b"}`. */
  edit: async (play, rest) => {
    const [path = '', json = '{}'] = rest.split(/ (.*)/s)
    const { before = null, after = '', repeat = 1 } = JSON.parse(json)
    const content = [{ type: 'diff', path, oldText: before, newText: after.repeat(repeat) }]
    const toolCall = { toolCallId: `call-${path}`, title: 'Edit files', kind: 'edit', content, locations: [{ path }] }
    await say(
      play,
      `[${await request(play, { toolCall, options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }] })}]`,
    )
  },
  /** A question in the way of qwen: `quiz [{"question": "Where?", "options": [{"label": "Here"}]}]`. */
  quiz: async (play, rest) => {
    const _meta = { qwenInteractionKind: 'user_question', qwenQuestions: JSON.parse(rest) }
    const options = [
      { optionId: 'proceed_once', name: 'Submit', kind: 'allow_once' },
      { optionId: 'cancel', name: 'Cancel', kind: 'reject_once' },
    ]
    const toolCall = { toolCallId: 'quiz', title: 'Ask user 1 question', kind: 'think', _meta }
    await say(play, await request(play, { toolCall, options }))
  },
  /** Says what the prompt holds besides its script. */
  blocks: async (play) => say(play, JSON.stringify(play.session.blocks?.slice(1))),
  model_says: async (play, prompt) => say(play, (await play.options.askModel?.(prompt)) ?? 'no model'),
  /** Asks so many times at once, whatever becomes of it. */
  models_say: async (play, count) => {
    const asking = Array.from({ length: Number(count) }, (_, at) => play.options.askModel?.(`${at}`))
    await Promise.allSettled(asking)
  },
  ask: async (play, schema) => {
    const { client, sessionId, signal } = play
    const asked = { mode: 'form' as const, sessionId, message: 'What now?', requestedSchema: JSON.parse(schema) }
    const answer = await client.request('elicitation/create', asked, { cancellationSignal: signal })
    await say(play, JSON.stringify(answer))
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
  refuse: (_play, message) => fail(message),
  fail: (_play, message) => fail(message),
  fail_with_details: (_play, details) => fail('Internal error', { details }),
  overload: ({ session }, message) => fail(message, { retryable: true, usage: session.usage }),
  /** Hears no cancellation. */
  hang: () => new Promise(() => {}),
  crash: async ({ options }, words) => {
    options.complain(words)
    options.crash()
    await new Promise(() => {})
  },
  flood: async (play, megabytes) => {
    for (let left = Number(megabytes) * 1024; left > 0 && !play.signal.aborted; left--)
      await say(play, 'x'.repeat(1024))
  },
  raw: ({ options }, line) => options.raw(`${line}\n`),
  huge: ({ options }, megabytes) =>
    options.raw(`{"jsonrpc":"2.0","method":"${'x'.repeat(Number(megabytes) * 1024 * 1024)}`),
  complain: ({ options }, kilobytes) => options.complain('e'.repeat(Number(kilobytes) * 1024)),
  unknown: ({ sessionId, options }) => {
    const update = { sessionUpdate: 'of_the_future', anything: [1, 2, 3] }
    options.raw(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })}\n`)
    options.raw(`${JSON.stringify({ jsonrpc: '2.0', method: 'of/the/future', params: {} })}\n`)
    options.raw(`chatter that is no message\n`)
  },
}

export function say({ client, sessionId }: Pick<ScriptContext, 'client' | 'sessionId'>, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  })
}

async function askPermission(play: ScriptContext, rest: string, withdrawn?: AbortSignal): Promise<string> {
  const [title = '', ...kinds] = rest.split(' ')
  const options = kinds.map((kind, index) => ({
    optionId: `${kind}-${index}`,
    name: kind,
    kind: kind as PermissionOptionKind,
  }))
  const asked = { sessionId: play.sessionId, toolCall: { toolCallId: `call-${title}`, title }, options }
  const how = withdrawn ? { cancellationSignal: withdrawn, stopWaitingOnCancel: true } : {}
  const { outcome }: RequestPermissionResponse = await play.client.request('session/request_permission', asked, how)
  return outcome.outcome === 'selected' ? outcome.optionId : 'cancelled'
}

/** Asks for a permission that the types of the protocol have not all of. @returns what came of it, as JSON. */
async function request({ client, sessionId }: ScriptContext, params: object): Promise<string> {
  return JSON.stringify(await client.request('session/request_permission', { sessionId, ...params } as never))
}

function fail(message: string, data?: unknown): never {
  throw new RequestError(-32603, message, data)
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
