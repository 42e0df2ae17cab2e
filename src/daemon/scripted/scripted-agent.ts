import { type AgentApp, agent, type McpServer, RequestError, type StopReason } from '@agentclientprotocol/sdk'
import { newUuid } from '#platform/core/id.ts'
import { type ScriptContext, type ScriptedOptions, type Session, say } from './script-context.ts'
import { commands, modelOption } from './scripted-commands.ts'

/**
 * Creates an agent that executes the commands in its prompt, one per line, for tests, demonstrations and benchmarks. The agent
 * prints the answers to its questions: `permission shell allow_once` prints `[allow_once-0]` if that option was chosen. `quit`
 * ends the turn as cancelled without a cancellation, `decline` as a refusal, `stop max_tokens` with that stop reason.
 */
export function createScriptedAgent(options: ScriptedOptions): AgentApp {
  const sessions = new Map<string, Session>()
  let isSignedIn = options.signIn === undefined
  const { mcpTransports = [], promptContent = [] } = options
  const find = (id: string) => sessions.get(id) ?? open(id)
  const open = (id: string, servers: McpServer[] = []) => {
    const session: Session = { mode: 'self-drive', isRestored: false, costUsd: 0, servers }
    sessions.set(id, session)
    return session
  }
  return agent({ name: 'scripted' })
    .onRequest('initialize', () => ({
      protocolVersion: 1,
      agentInfo: { name: 'scripted', version: '1' },
      ...(options.hasLateUpdates !== true && { _meta: { signalbox: { sendsNothingLate: true } } }),
      ...(options.signIn !== undefined && { authMethods: [{ id: options.signIn, name: 'Use an API key' }] }),
      agentCapabilities: {
        loadSession: options.restore === 'load',
        promptCapabilities: {
          image: promptContent.includes('image'),
          audio: promptContent.includes('audio'),
          embeddedContext: promptContent.includes('embeddedContext'),
        },
        mcpCapabilities: { http: mcpTransports.includes('http'), sse: mcpTransports.includes('sse') },
        sessionCapabilities: { close: {}, ...(options.restore === 'resume' && { resume: {} }) },
      },
    }))
    .onRequest('authenticate', ({ params }) => {
      isSignedIn ||= params.methodId === options.signIn
      return {}
    })
    .onRequest('session/new', ({ params }) => {
      if (!isSignedIn) throw RequestError.authRequired()
      // Unique over all agents: a daemon's sessions outlive the agent that created them.
      const sessionId = `scripted-${newUuid()}`
      open(sessionId, params.mcpServers)
      return { sessionId, ...describeSession(options) }
    })
    .onRequest('session/load', async ({ params: { sessionId, mcpServers }, client }) => {
      restore(sessionId, mcpServers)
      await say({ client, sessionId }, 'a word from the past')
      return describeSession(options)
    })
    .onRequest('session/resume', ({ params: { sessionId, mcpServers } }) => {
      restore(sessionId, mcpServers)
      return describeSession(options)
    })
    .onRequest('session/close', ({ params }) => void sessions.delete(params.sessionId))
    .onRequest('session/set_mode', ({ params }) => {
      find(params.sessionId).mode = params.modeId
      return {}
    })
    .onRequest('session/prompt', ({ params: { sessionId, prompt }, client }) => {
      const script = prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
      const session = find(sessionId)
      session.promptBlocks = prompt
      return runScript(script, { sessionId, session, client, options })
    })
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.turn?.abort())

  function restore(sessionId: string, servers: McpServer[] | undefined): void {
    if (!sessionId.startsWith('scripted-')) throw RequestError.resourceNotFound(sessionId)
    open(sessionId, servers).isRestored = true
  }
}

async function runScript(script: string, context: Omit<ScriptContext, 'signal'>) {
  const { session } = context
  session.turn = new AbortController()
  const { signal } = session.turn
  delete session.usage
  for (const line of script.split('\n')) {
    const [word = '', rest = ''] = line.split(/ (.*)/s)
    await commands[word]?.({ ...context, signal }, rest)
    if (word === 'stop') return { stopReason: rest as StopReason }
    if (word === 'decline') return { stopReason: 'refusal' as const, ...usageOf(session) }
    if (signal.aborted || word === 'quit') return { stopReason: 'cancelled' as const, ...usageOf(session) }
  }
  return { stopReason: 'end_turn' as const, ...usageOf(session) }
}

const usageOf = ({ usage }: Session) => (usage ? { usage } : {})

const describeSession = ({ hasModes }: ScriptedOptions) => ({
  ...(hasModes
    ? {
        modes: {
          currentModeId: 'self-drive',
          availableModes: ['manual', 'self-drive'].map((id) => ({ id, name: id })),
        },
      }
    : {}),
  configOptions: modelOption('scripted/one'),
})
