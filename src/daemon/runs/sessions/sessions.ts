import { Refusal } from '#interns/contract/refusal.ts'
import type { Agent } from '../../acp/agent.ts'
import type { AgentSession } from '../../acp/agent-session.ts'
import { RpcError } from '../../acp/rpc-message.ts'
import type { DaemonLog } from '../../log.ts'
import { type DaemonStore, StoreError } from '../../store/store.ts'
import type { AgentHost } from '../agent-host.ts'
import { newSession, type OpenedSession, type Session } from './session.ts'

type SessionsDeps = {
  host: Pick<AgentHost, 'use'>
  store: DaemonStore
  log: DaemonLog
  workspace: string
  maxIdleSessions: number
}

/** The error code of the protocol for an unknown resource, such as a session. */
const notFoundCode = -32002
/** The error messages of agents that do not use the code, such as "no rollout found for thread id". */
const notFoundMessages = [
  /\b(session|conversation|thread|rollout)\b.*\b(not found|unknown|does not exist|no longer exists)/is,
  /\b(unknown|no such|not find( the)?|invalid) (session|conversation|thread|rollout)\b/i,
  /\bno (\w+ )?(session|conversation|thread|rollout)s? (was )?found\b/i,
]

/** The sessions of a daemon that have a run, or are open with the agent. */
export class Sessions {
  readonly #deps: SessionsDeps
  /** The sessions by id, in the order of their last run. */
  readonly #sessions = new Map<string, Session>()

  constructor(deps: SessionsDeps) {
    this.#deps = deps
  }

  /** Finds a session, or creates a session that `add` must add. */
  find(id: string): Session {
    return this.#sessions.get(id) ?? newSession(id)
  }

  /** Adds a session when a run starts. */
  add(session: Session): void {
    this.#sessions.set(session.id, session)
  }

  /** Opens the session with the agent, which is started if necessary. @throws Refusal. */
  async open(session: Session): Promise<OpenedSession> {
    try {
      return await this.#open(session)
    } catch (error) {
      throw toRefusal(error)
    }
  }

  /** Notes that a session has no run any more, and closes the sessions that were idle longest. */
  noteRunEnd(session: Session): void {
    // The next run has started meanwhile.
    if (session.run) return
    this.#sessions.delete(session.id)
    if (!session.openedWith) return
    this.#sessions.set(session.id, session)
    // A closed session would lose its conversation.
    if (!session.openedWith.agent.canRestoreSessions) return
    for (const oldest of this.#sessions.values()) {
      if (this.#sessions.size <= this.#deps.maxIdleSessions) return
      // A session whose agent still works on a cancelled turn is not idle: its next run must wait for the end of that turn.
      if (!oldest.run && !oldest.isTurnOpen) this.#close(oldest)
    }
  }

  /** Forgets the agent sessions of an agent that has ended. */
  forgetAgent(agent: Agent): void {
    for (const session of this.#sessions.values()) {
      if (session.openedWith?.agent !== agent) continue
      session.openedWith = undefined
      if (!session.run) this.#sessions.delete(session.id)
    }
  }

  async #open(session: Session): Promise<OpenedSession> {
    const { host, store } = this.#deps
    const agent = await host.use()
    if (session.openedWith?.agent === agent) return session.openedWith
    const stored = store.session(session.id)
    const agentSession =
      (stored && (await this.#restore(agent, session, stored.agentSessionId))) ?? (await this.#create(agent, session))
    session.openedWith = { agent, agentSession }
    session.model = agentSession.model ?? session.model
    session.costUsd ??= stored?.costUsd ?? undefined
    return session.openedWith
  }

  /** @returns undefined if the conversation is lost, so that a new session must be created. */
  async #restore(agent: Agent, session: Session, agentSessionId: string): Promise<AgentSession | undefined> {
    if (!agent.canRestoreSessions)
      return this.#markLost(session, 'the agent cannot restore a session of an earlier agent process')
    try {
      return await agent.restoreSession(agentSessionId, this.#deps.workspace)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      if (error.code === notFoundCode || notFoundMessages.some((pattern) => pattern.test(error.message)))
        return this.#markLost(session, error.message)
      throw new Refusal('intern_rejected', `The agent did not restore the session: ${error.message}`)
    }
  }

  #markLost(session: Session, reason: string): undefined {
    session.lossReason = reason
    this.#deps.log('session.lost', { session: session.id, why: reason })
  }

  async #create(agent: Agent, session: Session): Promise<AgentSession> {
    const { store, log, workspace } = this.#deps
    const agentSession = await agent.newSession(workspace)
    const { unsupportedServers } = agent
    store.saveSession(session.id, agentSession.id)
    session.unsupportedServers = unsupportedServers
    if (unsupportedServers.length > 0) log('mcp.withheld', { session: session.id, servers: unsupportedServers })
    session.costUsd = undefined
    return agentSession
  }

  #close(session: Session): void {
    this.#sessions.delete(session.id)
    if (session.openedWith) session.openedWith.agent.closeSession(session.openedWith.agentSession.id)
  }
}

/** Converts the failure to open a session: the agent refused, has ended, or the disk is full. */
function toRefusal(error: unknown): unknown {
  if (error instanceof Refusal || !(error instanceof Error)) return error
  if (error instanceof StoreError) return new Refusal('turn_failed', error.message)
  return new Refusal('intern_rejected', `The agent did not accept the turn: ${error.message}`)
}
