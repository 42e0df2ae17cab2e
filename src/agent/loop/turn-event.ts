import type { Usage } from '../model/model.ts'
import type { FileChange, PlanStep, ToolKind } from '../tools/tool.ts'

/** The events of a running turn. `acp-updates.ts` translates them into the protocol. */
export type TurnEvent =
  | { type: 'text.added'; text: string }
  | { type: 'reasoning.added'; text: string }
  | { type: 'tool.called'; id: string; name: string; kind: ToolKind; title: string; paths: string[]; input: unknown }
  /** Sent after consent, and repeatedly while the call runs. `output` is the end of its output so far. */
  | { type: 'tool.working'; id: string; output?: string | undefined }
  | { type: 'tool.finished'; id: string; failed: boolean; text: string; changes?: FileChange[] }
  /** An MCP server is not available in this turn. */
  | { type: 'server.unavailable'; id: string; server: string; reason: string }
  | { type: 'plan.made'; steps: PlanStep[] }
  | { type: 'usage.counted'; usage: Usage; usedTokens: number; costUsd: number | undefined; model: string | undefined }

/** Sends an event to the client; resolves when the client can take more. */
export type Notify = (event: TurnEvent) => Promise<void>
