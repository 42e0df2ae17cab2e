import { z } from '#platform/json/schema.ts'
import type { Image, ToolDescription } from '../model/model.ts'
import type { Processes } from '../sandbox/processes.ts'
import type { Shell } from '../sandbox/shell.ts'
import type { Workspace } from './files/workspace.ts'

/** The interval at which a long call reports that it is in progress. Clients assume that a silent agent hangs. */
export const heartbeatMs = 15_000

export type ApprovalMode = 'manual' | 'self-drive'

/** The kind of a call that ACP shows to a person. */
export type ToolKind = 'read' | 'edit' | 'search' | 'execute' | 'think' | 'fetch' | 'other'

/** A field of a question to the user. */
export type Field = {
  name: string
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  title?: string | undefined
  description?: string | undefined
  required?: boolean | undefined
  options?: string[] | undefined
}
export type FormAnswer = { action: 'accept'; content: Record<string, unknown> } | { action: 'decline' | 'cancel' }

/** A question of an MCP server: a form, or a page that the user opens. */
export type Elicitation = { message: string } & (
  | { mode: 'form'; requestedSchema: object }
  | { mode: 'url'; url: string; elicitationId: string }
)

/** An operation that needs permission. */
export type OperationRequest = {
  /** The name of the operation, such as `shell`. */
  operation: string
  /** The question for the person. */
  title: string
  /** Defaults to `execute`. */
  kind?: ToolKind
  /** The key of a permission for the session. Defaults to the name. */
  permissionKey?: string
}

/** The resources of a tool call. Everything ends when `signal` aborts. */
export type ToolContext = {
  workspace: Workspace
  shell: Shell
  /** The background processes of the session. */
  processes: Processes
  mode: ApprovalMode
  signal: AbortSignal
  /**
   * Returns whether an operation is permitted. In `self-drive` it always is; in `manual` the person decides, once or for
   * the session.
   */
  requestPermission: (request: OperationRequest) => Promise<boolean>
  /** Returns whether the rules of the ACP client allow a call of a tool that does not call `requestPermission`. */
  askClientRules: (tool: Tool, input: Record<string, unknown>) => Promise<boolean>
  /** Reports that the call is in progress, and its output so far. */
  notifyProgress: (output?: string) => void
  ask: (message: string, fields: Field[]) => Promise<FormAnswer>
  /** Asks a question of an MCP server. @param signal withdraws it */
  elicit: (question: Elicitation, signal: AbortSignal) => Promise<FormAnswer>
  /** Runs a task in a subagent with a separate context. @returns its report. */
  delegate: (task: string) => Promise<string>
  /** Shows a plan instead of the previous one. */
  showPlan: (steps: PlanStep[]) => Promise<void>
}

/** A result that is more than text. */
export type ToolOutput = { text: string; images?: Image[]; changes?: FileChange[] }

/** A change of a file, as clients show it. `before` is null for a new file. */
export type FileChange = { path: string; before: string | null; after: string }

export type PlanStep = { text: string; status: 'pending' | 'in_progress' | 'completed' }

/**
 * A tool of the model. `run` returns text for the model, or throws an `Error` with a message for the model.
 * Tools with `runsAlone` change something and run one after another; the others run in parallel.
 */
export type Tool = {
  name: string
  spec: ToolDescription
  kind: ToolKind
  runsAlone: boolean
  /**
   * True if `run` calls `requestPermission` itself, or if the tool only asks the user a question. Otherwise the agent calls
   * `askClientRules` before `run`.
   */
  handlesPermission: boolean
  title: (input: Record<string, unknown>) => string
  /** Returns the files of a call. Needed only if the input names its files in a field other than `path`. */
  paths?: (input: Record<string, unknown>) => string[]
  run: (input: Record<string, unknown>, context: ToolContext) => Promise<string | ToolOutput>
}

/** Defines a tool whose input is validated before `run` is called. */
export function defineTool<Input extends z.ZodObject>(definition: {
  name: string
  description: string
  kind: ToolKind
  runsAlone: boolean
  handlesPermission?: boolean
  input: Input
  title: (input: z.infer<Input>) => string
  paths?: (input: z.infer<Input>) => string[]
  run: (input: z.infer<Input>, context: ToolContext) => Promise<string | ToolOutput>
}): Tool {
  const { name, input } = definition
  // Unknown fields are refused, because the model could rely on them.
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
    runsAlone: definition.runsAlone,
    handlesPermission: definition.handlesPermission ?? false,
    // Built when a turn needs it, so that the start of the agent does not build the schemas of all tools.
    get spec() {
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
