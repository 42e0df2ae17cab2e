import type { Usage } from '../model/model.ts'
import type { FileChange, PlanStep, ToolKind } from '../tools/tool.ts'

/** An event of a turn of the builtin agent. `updates/acp-updates.ts` translates it to a `session/update` of ACP. */
export type AgentEvent =
  | { type: 'text.added'; text: string }
  | { type: 'reasoning.added'; text: string }
  | { type: 'tool.called'; id: string; name: string; kind: ToolKind; title: string; paths: string[]; input: unknown }
  /** Sent once the call is permitted, then repeatedly while it runs. `output` is the end of its output so far. */
  | { type: 'tool.working'; id: string; output?: string | undefined }
  | { type: 'tool.finished'; id: string; failed: boolean; text: string; changes?: FileChange[] }
  /** An MCP server is not available in this turn. Clients show this as a failed tool call with the generated id `callId`. */
  | { type: 'server.unavailable'; callId: string; server: string; reason: string }
  | { type: 'plan.made'; steps: PlanStep[] }
  /** `usage` is that of one model call. `contextTokens` is the number of tokens in the context window after the call. */
  | {
      type: 'usage.counted'
      usage: Usage
      contextTokens: number
      costUsd: number | undefined
      model: string | undefined
    }

/** Sends an event to the client; resolves when the client can take more. */
export type Notify = (event: AgentEvent) => Promise<void>
