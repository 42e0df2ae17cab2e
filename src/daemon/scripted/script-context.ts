import { setTimeout as sleep } from 'node:timers/promises'
import type { AgentContext, ContentBlock, McpServer } from '@agentclientprotocol/sdk'

/**
 * The options of the scripted agent: a test double that executes the commands in its prompt. It is in `src/`, because it also
 * serves demonstrations and benchmarks.
 */
export type ScriptedOptions = {
  /** How it restores a session of an earlier process: by `session/load`, by `session/resume`, or not at all. */
  restore: 'load' | 'resume' | 'never'
  /** Whether it offers the modes `manual` and `self-drive`. */
  hasModes: boolean
  /** Writes raw bytes, which the protocol library would not send. */
  writeRaw: (bytes: string) => void
  /** Ends the process. */
  crash: () => void
  writeStderr: (text: string) => void
  /** Calls the model of the service, like an agent that does not report its usage. */
  askModel?: (prompt: string) => Promise<string>
  /** The supported MCP transports in addition to stdio (`mcpCapabilities` of ACP). */
  mcpTransports?: ('http' | 'sse')[]
  /** The supported content of prompts in addition to text (`promptCapabilities` of ACP). */
  promptContent?: ('image' | 'audio' | 'embeddedContext')[]
  /** Whether it sends output after the end of a turn: the command `late`. */
  hasLateUpdates?: boolean
  /** The required sign-in method, if any. */
  signIn?: string
}

/** The context of a turn. */
export type ScriptContext = {
  session: Session
  sessionId: string
  client: AgentContext
  options: ScriptedOptions
  signal: AbortSignal
}

export type Session = {
  /** The content blocks of the last prompt. */
  promptBlocks?: ContentBlock[]
  mode: string
  isRestored: boolean
  turn?: AbortController
  costUsd: number
  usage?: Record<string, number>
  /** The MCP servers of `session/new`, `session/load` or `session/resume`. */
  servers: McpServer[]
}

export type Command = (context: ScriptContext, rest: string) => unknown

export function say({ client, sessionId }: Pick<ScriptContext, 'client' | 'sessionId'>, text: string): Promise<void> {
  return client.notify('session/update', {
    sessionId,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  })
}

/** Waits for `ms`, or until the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
