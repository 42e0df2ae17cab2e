import { quoteForShell } from '#platform/text/quote-for-shell.ts'
import type { BuiltinCall, Field, ToolInputs, ToolName } from './scenarios.ts'

type Call = { name: string; input: object }
/** Translates a call of a builtin tool to the agent's tool. Returns undefined if the agent has no equivalent tool. */
export type BuildCall = (builtinCall: BuiltinCall) => Call | undefined

/**
 * The tools that identify an agent (`Write.path` is the field `path` of the tool `Write`), and its equivalent of each
 * builtin tool. A new agent is one entry.
 */
type Toolbox = {
  identifyingTools: string[]
  calls: { [Name in ToolName]: (input: ToolInputs[Name]) => Call | undefined }
}

const builtinTools: ToolName[] = ['shell', 'read_file', 'write_file', 'list_files', 'search', 'ask_user']

/**
 * @param toolNames the names of the tools, and each of their fields as `tool.field`.
 * @returns a function that translates calls for this agent; undefined for an unknown agent.
 */
export function findCallBuilder(toolNames: ReadonlySet<string>): BuildCall | undefined {
  const hasTools = (names: string[]) => names.every((name) => toolNames.has(name))
  if (hasTools(builtinTools)) return ({ call, input }) => ({ name: call, input })
  // Qwen before Gemini: Qwen Code is a fork of Gemini CLI with the same tools and additional ones.
  const toolbox = [codex, claude, kimi, qwen, gemini, opencode, pi, cline].find(({ identifyingTools }) =>
    hasTools(identifyingTools),
  )
  return toolbox && (({ call, input }) => (toolbox.calls[call] as (input: object) => Call)(input))
}

/** Calls a tool of an MCP server by the server's name for it, to which agents add a prefix. */
export function buildMcpCall(name: string, input: object, toolNames: Iterable<string>): Call | undefined {
  const names = [...toolNames]
  const fullName = names.find((candidate) => candidate === name || candidate.endsWith(`_${name}`))
  return fullName === undefined ? undefined : { name: fullName, input }
}

const exec = (cmd: string, extraInput: object = {}): Call => ({ name: 'exec_command', input: { cmd, ...extraInput } })

const codex: Toolbox = {
  identifyingTools: ['exec_command', 'write_stdin'],
  calls: {
    shell: ({ command, unsandboxed, reason }) =>
      exec(command, unsandboxed ? { sandbox_permissions: 'require_escalated', justification: reason } : {}),
    read_file: ({ path }) => exec(`cat -- ${quoteForShell(path)}`),
    // Codex extracts the patch from the command and applies it itself.
    write_file: ({ path, content }) => exec(`apply_patch <<'EOF'\n${addFilePatch(path, content)}\nEOF`),
    list_files: () => exec('ls -a'),
    search: ({ pattern }) => exec(`grep -rnE -- ${quoteForShell(pattern)} .`),
    ask_user: ({ message, fields }) => {
      const { name, ...question } = choiceQuestion(message, fields)
      return { name: 'request_user_input', input: { questions: [{ id: name, ...question }] } }
    },
  },
}

function addFilePatch(path: string, content: string): string {
  const lines = content.replace(/\n$/, '').split('\n')
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), '*** End Patch'].join('\n')
}

const bash = (command: string): Call => ({ name: 'Bash', input: { command } })

/** Claude Code searches files with its shell. */
const claude: Toolbox = {
  identifyingTools: ['Bash', 'Read', 'Write.file_path'],
  calls: {
    shell: ({ command }) => bash(command),
    read_file: ({ path }) => ({ name: 'Read', input: { file_path: path } }),
    write_file: ({ path, content }) => ({ name: 'Write', input: { file_path: path, content } }),
    list_files: () => bash('ls -a'),
    search: ({ pattern }) => bash(`grep -rnE -- ${quoteForShell(pattern)} .`),
    ask_user: ({ message, fields }) => {
      const { name, ...question } = choiceQuestion(message, fields)
      return { name: 'AskUserQuestion', input: { questions: [{ ...question, multiSelect: false }] } }
    },
  },
}

const kimi: Toolbox = {
  identifyingTools: ['Bash', 'Read', 'Write', 'Glob', 'Grep'],
  calls: {
    shell: ({ command }) => bash(command),
    read_file: ({ path }) => ({ name: 'Read', input: { path } }),
    write_file: ({ path, content }) => ({ name: 'Write', input: { path, content } }),
    list_files: ({ pattern = '*' }) => ({ name: 'Glob', input: { pattern } }),
    search: ({ pattern }) => ({ name: 'Grep', input: { pattern } }),
    ask_user: ({ message, fields }) => {
      const { name, ...question } = choiceQuestion(message, fields)
      return { name: 'AskUserQuestion', input: { questions: [question] } }
    },
  },
}

const run = (command: string): Call => ({
  name: 'run_shell_command',
  input: { command, description: 'Runs it.', is_background: false },
})

const qwen: Toolbox = {
  identifyingTools: ['run_shell_command', 'read_file', 'write_file', 'grep_search', 'ask_user_question'],
  calls: {
    shell: ({ command }) => run(command),
    read_file: ({ path }) => ({ name: 'read_file', input: { file_path: path } }),
    write_file: ({ path, content }) => ({ name: 'write_file', input: { file_path: path, content } }),
    list_files: ({ pattern = '*' }) => ({ name: 'glob', input: { pattern } }),
    search: ({ pattern }) => ({ name: 'grep_search', input: { pattern } }),
    ask_user: ({ message, fields }) => {
      const { name, ...question } = choiceQuestion(message, fields)
      return { name: 'ask_user_question', input: { questions: [{ ...question, multiSelect: false }] } }
    },
  },
}

/** Gemini CLI's questions can only be answered in its own terminal. */
const gemini: Toolbox = {
  identifyingTools: ['run_shell_command', 'read_file', 'write_file', 'list_directory'],
  calls: {
    ...qwen.calls,
    list_files: () => ({ name: 'list_directory', input: { dir_path: '.' } }),
    ask_user: () => undefined,
  },
}

/** OpenCode cannot ask questions over the protocol. */
const opencode: Toolbox = {
  identifyingTools: ['bash', 'read', 'write', 'glob', 'grep'],
  calls: {
    shell: ({ command }) => ({ name: 'bash', input: { command, description: 'Runs it.' } }),
    read_file: ({ path }) => ({ name: 'read', input: { filePath: path } }),
    write_file: ({ path, content }) => ({ name: 'write', input: { filePath: path, content } }),
    list_files: ({ pattern = '*' }) => ({ name: 'glob', input: { pattern } }),
    search: ({ pattern }) => ({ name: 'grep', input: { pattern } }),
    ask_user: () => undefined,
  },
}

/** Pi has no tools for lists, searches and questions. */
const pi: Toolbox = {
  identifyingTools: ['bash', 'read.path', 'write.path'],
  calls: {
    shell: ({ command }) => ({ name: 'bash', input: { command } }),
    read_file: ({ path }) => ({ name: 'read', input: { path } }),
    write_file: ({ path, content }) => ({ name: 'write', input: { path, content } }),
    list_files: () => ({ name: 'bash', input: { command: 'ls -a' } }),
    search: ({ pattern }) => ({ name: 'bash', input: { command: `grep -rnE -- ${quoteForShell(pattern)} .` } }),
    ask_user: () => undefined,
  },
}

const runCommands = (command: string): Call => ({ name: 'run_commands', input: { commands: [command] } })

/** Cline's tools take several commands, files or searches in one call. */
const cline: Toolbox = {
  identifyingTools: ['run_commands', 'read_files', 'editor'],
  calls: {
    shell: ({ command }) => runCommands(command),
    read_file: ({ path }) => ({ name: 'read_files', input: { files: [{ path }] } }),
    write_file: ({ path, content }) => ({ name: 'editor', input: { path, new_text: content } }),
    list_files: () => runCommands('ls -a'),
    search: ({ pattern }) => ({ name: 'search_codebase', input: { queries: [pattern] } }),
    ask_user: () => undefined,
  },
}

/** Claude Code accepts no longer header of a question. */
const maxHeaderLength = 12

/** Returns the first field with choices, for agents that can only ask for a choice. */
function choiceQuestion(question: string, fields: Field[]) {
  const { name, options = ['yes', 'no'] } = fields.find((field) => field.options) ?? { name: 'answer' }
  const describedOptions = options.map((label) => ({ label, description: `It is ${label}.` }))
  return { name, header: name.slice(0, maxHeaderLength), question, options: describedOptions }
}
