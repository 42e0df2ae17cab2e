import { randomUUID } from 'node:crypto'
import { type AgentApp, type AgentContext, agent, RequestError } from '@agentclientprotocol/sdk'
import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import type { InternResponse } from '#interns/registry/intern.ts'
import { UserFacingError } from '#platform/core/fault.ts'
import { version } from '#platform/core/version.ts'
import { createConversation, type PromptContent } from '../chat/conversation.ts'
import { waitUntilRunning } from '../chat/wait-until-running.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { readHistory, readSessions } from './history.ts'
import { toPromptContent } from './prompt-content.ts'
import { displayedError, runTurn } from './turn.ts'

type AgentDeps = { client: ApiClient; intern: string }

type BridgedSession = { mode: ApprovalMode; modes: ApprovalMode[]; turn?: AbortController | undefined }

const modeNames: Record<ApprovalMode, { name: string; description: string }> = {
  manual: { name: 'Manual', description: 'Asks before it acts.' },
  'self-drive': { name: 'Self-drive', description: 'Acts without asking.' },
}

/**
 * Serves an intern as an agent of the Agent Client Protocol. Sessions have the same ids as those of the intern. The intern
 * works in its own workspace: the folder and the MCP servers of the editor are ignored.
 */
export function internAgent({ client, intern }: AgentDeps): AgentApp {
  const sessions = new Map<string, BridgedSession>()
  let supportsForms = false

  const requireSession = (id: string) => {
    const session = sessions.get(id)
    if (!session) throw RequestError.resourceNotFound(id)
    return session
  }
  const requireIdle = (session: BridgedSession | undefined) => {
    if (session?.turn) throw RequestError.invalidRequest(undefined, 'The session is busy with another prompt.')
  }
  /** An intern with the approval mode `manual` does not offer `self-drive`. */
  async function openSession(id: string) {
    await waitUntilRunning(client, intern)
    const { approval_mode: internMode } = await client.request<InternResponse>('GET', internPath(intern))
    const modes: ApprovalMode[] = internMode === 'manual' ? ['manual'] : ['manual', 'self-drive']
    sessions.set(id, { mode: 'manual', modes })
    return {
      modes: { currentModeId: 'manual', availableModes: modes.map((mode) => ({ id: mode, ...modeNames[mode] })) },
    }
  }
  /** @param editor receives the transcript; undefined if it has the transcript already. */
  async function restoreSession(id: string, editor?: AgentContext) {
    // A session that is opened again would lose its turn, which could then not be cancelled.
    requireIdle(sessions.get(id))
    const history = await readHistory({ client, intern }, id)
    const opened = await openSession(id)
    if (editor) {
      for (const update of history) await editor.notify('session/update', { sessionId: id, update })
    }
    return opened
  }
  async function runPrompt(sessionId: string, content: PromptContent, editor: AgentContext, cancelSignal: AbortSignal) {
    const session = requireSession(sessionId)
    requireIdle(session)
    session.turn = new AbortController()
    const signal = AbortSignal.any([session.turn.signal, cancelSignal])
    const chat = createConversation(client, intern, { mode: session.mode, session: sessionId })
    try {
      return await runTurn({ client, intern, editor, sessionId, supportsForms, chat, signal }, content)
    } finally {
      session.turn = undefined
    }
  }

  return agent({ name: 'signalbox' })
    .onConnect(({ signal }) => {
      signal.addEventListener('abort', () => sessions.forEach(({ turn }) => void turn?.abort()))
    })
    .onRequest('initialize', ({ params }) => {
      supportsForms = Boolean(params.clientCapabilities?.elicitation?.form)
      return {
        protocolVersion: 1,
        agentInfo: { name: 'signalbox', title: `Signalbox: ${intern}`, version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true, image: true, audio: true },
          sessionCapabilities: { list: {}, resume: {}, close: {} },
        },
        authMethods: [],
      }
    })
    .onRequest('session/new', () =>
      withProtocolErrors(async () => {
        const sessionId = randomUUID()
        return { sessionId, ...(await openSession(sessionId)) }
      }),
    )
    .onRequest('session/load', ({ params, client: editor }) =>
      withProtocolErrors(() => restoreSession(params.sessionId, editor)),
    )
    .onRequest('session/resume', ({ params }) => withProtocolErrors(() => restoreSession(params.sessionId)))
    .onRequest('session/list', ({ params }) =>
      withProtocolErrors(() => readSessions({ client, intern }, params.cursor, params.cwd ?? process.cwd())),
    )
    .onRequest('session/close', ({ params }) => {
      requireSession(params.sessionId).turn?.abort()
      sessions.delete(params.sessionId)
      return {}
    })
    .onRequest('session/set_mode', ({ params }) => {
      const session = requireSession(params.sessionId)
      const mode = session.modes.find((available) => available === params.modeId)
      if (!mode) {
        throw RequestError.invalidParams(
          undefined,
          `The mode must be ${session.modes.join(' or ')}, not "${params.modeId}".`,
        )
      }
      session.mode = mode
      return {}
    })
    .onRequest('session/prompt', ({ params, client: editor, signal }) =>
      withProtocolErrors(() => runPrompt(params.sessionId, toPromptContent(params.prompt), editor, signal)),
    )
    .onNotification('session/cancel', ({ params }) => sessions.get(params.sessionId)?.turn?.abort())
}

/** Converts an error for the user into an error of the protocol, which the editor displays. */
async function withProtocolErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof UserFacingError ? displayedError(error.message) : error
  }
}
