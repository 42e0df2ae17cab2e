import { z } from '#platform/json/schema.ts'
import type { Image, ToolDescription } from '../model/model.ts'
import type { Processes } from '../sandbox/processes.ts'
import type { Shell } from '../sandbox/shell.ts'
import type { Workspace } from './workspace.ts'

export type ApprovalMode = 'manual' | 'self-drive'

/** The kind of a call that ACP shows to a person. */
export type ToolKind = 'read' | 'edit' | 'search' | 'execute' | 'think' | 'fetch' | 'other'

/** A question with fields, and what came back. */
export type Field = {
  name: string
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  title?: string | undefined
  description?: string | undefined
  required?: boolean | undefined
  options?: string[] | undefined
}
export type FormAnswer = { action: 'accept'; content: Record<string, unknown> } | { action: 'decline' | 'cancel' }

/** The resources of a tool. All of it ends when `signal` aborts. */
export type ToolContext = {
  workspace: Workspace
  shell: Shell
  /** The commands that the session has running. */
  processes: Processes
  mode: ApprovalMode
  signal: AbortSignal
  /**
   * May this be done? In `self-drive` always yes; in `manual` the person decides, once or for the session. `as` says what
   * exactly is allowed for the session, where the operation's name does not.
   */
  permitted: (operation: string, title: string, kind?: ToolKind, as?: string) => Promise<boolean>
  /** Whether the client's rules let a tool be used that needs no consent. */
  judged: (tool: Tool, input: Record<string, unknown>) => Promise<boolean>
  /** Reports that the call is in progress, and its output so far. */
  working: (output?: string) => void
  ask: (message: string, fields: Field[]) => Promise<FormAnswer>
  /** Runs a task in a helper with a separate context. @returns its report. */
  delegate: (task: string) => Promise<string>
  /** Shows a plan in the place of the one before. */
  plan: (steps: PlanStep[]) => Promise<void>
}

/** A result that is more than text. */
export type ToolOutput = { text: string; images?: Image[]; changes?: FileChange[] }

/** A change of a file, as clients show it. `before` is null for a new file. */
export type FileChange = { path: string; before: string | null; after: string }

export type PlanStep = { text: string; status: 'pending' | 'in_progress' | 'completed' }

/**
 * A tool's result is text for the model; it throws an `Error` whose message says what was wrong.
 * `alone` tools change something, so they run one after another; the others run beside each other.
 */
export type Tool = {
  name: string
  description: ToolDescription
  kind: ToolKind
  alone: boolean
  /** It asks for leave by itself, or is a question; every other tool is judged before it runs. */
  asksItself: boolean
  title: (input: Record<string, unknown>) => string
  /** The files that a call is about, where its input does not name them under `path`. */
  paths?: (input: Record<string, unknown>) => string[]
  run: (input: Record<string, unknown>, context: ToolContext) => Promise<string | ToolOutput>
}

/** Ties a tool's input to its schema: what the model wrote is checked before `run` sees it. */
export function tool<Input extends z.ZodObject>(definition: {
  name: string
  description: string
  kind: ToolKind
  alone: boolean
  asksItself?: boolean
  input: Input
  title: (input: z.infer<Input>) => string
  paths?: (input: z.infer<Input>) => string[]
  run: (input: z.infer<Input>, context: ToolContext) => Promise<string | ToolOutput>
}): Tool {
  const { name, input } = definition
  // Unknown fields are refused: the call may depend on them.
  const strict = input.strict()
  const parse = (value: unknown) => {
    const parsed = strict.safeParse(value)
    if (parsed.success) return parsed.data as z.infer<Input>
    const fields = Object.keys(input.shape).join(', ')
    throw new Error(`The arguments of ${name} are wrong; it takes ${fields}. ${z.prettifyError(parsed.error)}`)
  }
  return {
    name,
    kind: definition.kind,
    alone: definition.alone,
    asksItself: definition.asksItself ?? false,
    get description() {
      const { $schema: _, ...parameters } = z.toJSONSchema(input, { io: 'input' })
      return { name, description: definition.description, parameters }
    },
    title: (value) => {
      const parsed = input.safeParse(value)
      return parsed.success ? definition.title(parsed.data) : name
    },
    paths: (value) => {
      const parsed = input.safeParse(value)
      return parsed.success ? (definition.paths?.(parsed.data) ?? []) : []
    },
    run: async (value, context) => definition.run(parse(value), context),
  }
}
