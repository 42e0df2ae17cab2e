import { readToolCall, type ToolCall } from '../../acp/tool-calls/tool-call.ts'

const limits = { calls: 200, characters: 16 * 1024 * 1024 }

/** Creates a cache of the latest tool calls of a run, by id. A later permission request can omit their details. */
export function createToolCallCache() {
  const calls = new Map<string, { tool: ToolCall; size: number }>()
  let size = 0
  const forget = (id: string) => {
    size -= calls.get(id)?.size ?? 0
    calls.delete(id)
  }
  return {
    get: (id: string): ToolCall | undefined => calls.get(id)?.tool,
    /** Adds a call, or an update of a call. @returns the whole call. */
    add: (id: string, update: unknown): ToolCall => {
      const tool = readToolCall(update, calls.get(id)?.tool)
      forget(id)
      calls.set(id, { tool, size: sizeOf(tool) })
      size += sizeOf(tool)
      for (const oldest of calls.keys()) {
        if (calls.size <= limits.calls && size <= limits.characters) break
        forget(oldest)
      }
      return tool
    },
  }
}

function sizeOf({ changes = [], paths = [], ...texts }: ToolCall): number {
  const lengths = [...Object.values(texts), ...paths].map((text) => text.length)
  const changeLengths = changes.map(({ before, after, path }) => (before?.length ?? 0) + after.length + path.length)
  return [...lengths, ...changeLengths].reduce((sum, length) => sum + length, 0)
}
