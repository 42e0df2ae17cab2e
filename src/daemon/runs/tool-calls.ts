import type { ToolCall } from '../acp/tool-call.ts'

/** What is kept of the tool calls of a turn, for details that a later permission request leaves out. */
const most = { calls: 200, characters: 16 * 1024 * 1024 }

/** The tool calls of a turn by their ids, as far as they were told. Of too many the oldest are forgotten. */
export function rememberToolCalls() {
  const calls = new Map<string, { tool: ToolCall; size: number }>()
  let size = 0
  const forget = (id: string) => {
    size -= calls.get(id)?.size ?? 0
    calls.delete(id)
  }
  return {
    get: (id: string): ToolCall | undefined => calls.get(id)?.tool,
    add: (id: string, said: ToolCall) => {
      const tool = { ...calls.get(id)?.tool, ...said }
      forget(id)
      calls.set(id, { tool, size: sizeOf(tool) })
      size += sizeOf(tool)
      for (const oldest of calls.keys()) {
        if (calls.size <= most.calls && size <= most.characters) return
        forget(oldest)
      }
    },
  }
}

function sizeOf({ changes = [], paths = [], ...texts }: ToolCall): number {
  const lengths = [...Object.values(texts), ...paths].map((text) => text.length)
  const written = changes.map(({ before, after, path }) => (before?.length ?? 0) + after.length + path.length)
  return [...lengths, ...written].reduce((sum, length) => sum + length, 0)
}
