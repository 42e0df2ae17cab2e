import {
  type AgentApp,
  type AgentContext,
  agent,
  type PermissionOptionKind,
  RequestError,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk'
import { newUuid } from '#lib/id.ts'

/** How a scripted agent takes up old sessions, and what it can do besides. */
export type ScriptedOptions = {
  restore: 'load' | 'resume' | 'never'
  /** Whether it offers the modes `manual` and `self-drive`. */
  modes: boolean
  /** Writes bytes as they are: what the protocol's library would never send. */
  raw: (bytes: string) => void
  /** Ends the process. */
  crash: () => void
  complain: (text: string) => void
}

type Play = { session: Session; sessionId: string; client: AgentContext; options: ScriptedOptions; signal: AbortSignal }
type Session = {
  mode: string
  restored: boolean
  turn?: AbortController
  costUsd: number
  usage?: Record<string, number>
}
type Command = (play: Play, rest: string) => unknown

/**
 * An agent that does what its prompt says, one command a line, for tests, demonstrations and benchmarks. What it is
 * answered it says: `permission shell allow_once` says `[allow_once-0]` when that was chosen. `quit` ends the turn as
 * cancelled, though nobody cancelled it.
 */
export function scriptedAgent(options: ScriptedOptions): AgentApp {
  const sessions = new Map<string, Session>()
  const find = (id: string) => sessions.get(id) ?? open(id)
  const open = (id: string) => {
    const session: Session = { mode: 'self-drive', restored: false, costUsd: 0 }
    sessions.set(id, session)
    return session
  }
  return agent({ name: 'scripted' })
    .onRequest('initialize', () => ({
      protocolVersion: 1,
      agentInfo: { name: 'scripted', version: '1' },
      agentCapabilities: {
        loadSession: options.restore === 'load',
        sessionCapabilities: { close: {}, ...(options.restore === 'resume' && { resume: {} }) },
      },
    }))
    .onRequest('session/new', () => {
      // Of no other agent either: a daemon's sessions outlive the agent that named them.
      const sessionId = `scripted-${newUuid()}`
      open(sessionId)
      return { sessionId, ...describe(options) }
    })
    .onRequest('session/load', async ({ params: { sessionId }, client }) => {
      restore(sessionId)
      await say({ client, sessionId }, 'a word from the past')
      return describe(options)
    })
    .onRequest('session/resume', ({ params: { sessionId } }) => {
      restore(sessionId)
      return describe(options)
    })
    .onRequest('session/close', ({ params }) => void sessions.delete(params.sessionId))
    .onRequest('session/set_mode', ({ params }) => {
      find(params.sessionId).mode = params.modeId
      return {}
    })
    .onRequest('session/prompt', ({ params: { sessionId, prompt }, client }) => {
      const script = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
      return perform(script, { sessionId, session: find(sessionId), client, options })
    })
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.turn?.abort())

  function restore(sessionId: string): void {
    if (!sessionId.startsWith('scripted-')) throw RequestError.resourceNotFound(sessionId)
    open(sessionId).restored = true
  }
}

async function perform(script: string, stage: Omit<Play, 'signal'>) {
  const { session } = stage
  session.turn = new AbortController()
  const { signal } = session.turn
  delete session.usage
  for (const line of script.split('\n')) {
    const [word = '', rest = ''] = line.split(/ (.*)/s)
    await commands[word]?.({ ...stage, signal }, rest)
    if (signal.aborted || word === 'quit') return { stopReason: 'cancelled' as const, ...usageOf(session) }
  }
  return { stopReason: 'end_turn' as const, ...usageOf(session) }
}

const usageOf = ({ usage }: Session) => (usage ? { usage } : {})

const describe = ({ modes }: ScriptedOptions) => ({
  ...(modes
    ? {
        modes: {
          currentModeId: 'self-drive',
          availableModes: ['manual', 'self-drive'].map((id) => ({ id, name: id })),
        },
      }
    : {}),
  configOptions: modelOption('scripted/one'),
})

const modelOption = (model: string) => [
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

/** What a line can begin with. An unknown word does nothing. */
const commands: Record<string, Command> = {
  say,
  think: ({ client, sessionId }, text) =>
    client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } },
    }),
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

function say({ client, sessionId }: Pick<Play, 'client' | 'sessionId'>, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  })
}

async function askPermission(play: Play, rest: string, withdrawn?: AbortSignal): Promise<string> {
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
