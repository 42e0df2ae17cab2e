import type { AgentContext, ContentBlock, McpServer } from '@agentclientprotocol/sdk'

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
  /** Whether it sends output after the end of a turn: the command `late`. */
  sendsLate?: boolean
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

export type Command = (play: ScriptContext, rest: string) => unknown

export function say({ client, sessionId }: Pick<ScriptContext, 'client' | 'sessionId'>, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  })
}

export function pause(ms: number, signal: AbortSignal): Promise<void> {
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
