/** Facts about agents of other vendors as interns: the prompts for each, and what each does not support. */
export const behaviours = [
  'start',
  'self-drive',
  'allow once',
  'reject',
  'question',
  'diff in permission',
  'usage',
  'MCP tool',
  'file in',
  'abort',
  'restart',
  'agent killed',
  'daemon killed',
  'deadline',
  'allow always',
] as const
export type Behaviour = (typeof behaviours)[number]

/** Why a behaviour is not there, by the agent's own fault. */
type Lack = { why: string }

export type AgentFacts = {
  /** As docs/agents.md names it; null for the builtin agent. */
  agent: string | null
  package: string | null
  version: string | null
  /** A second package, which connects it to the protocol. */
  adapter?: string
  /** A prompt whose command needs a permission, and what it prints. */
  command: (word: string) => string
  allowed: (word: string) => RegExp
  /** How its turn continues after a rejection. */
  refused: RegExp
  /** A tool of an MCP server, and its result. */
  useTool: string
  used: RegExp
  lacks: Partial<Record<Behaviour, Lack>>
}

const writes = (word: string) => `run: echo ${word} > ${word} && cat ${word}`
const usual = {
  command: writes,
  allowed: (word: string) => new RegExp(word),
  useTool: 'use add {"a": 20, "b": 22}',
  used: /42/,
  lacks: {},
}

export const agentFacts: AgentFacts[] = [
  { ...usual, agent: null, package: null, version: null, refused: /did not allow/ },
  {
    ...usual,
    agent: 'codex',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    // It asks for what leaves its own sandbox only.
    command: () => 'escalate',
    allowed: () => /It says: /,
    refused: /^$/,
  },
  { ...usual, agent: 'kimi', package: '@moonshot-ai/kimi-code', version: '2.1.0', refused: /rejected/ },
  {
    ...usual,
    agent: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    refused: /^$/,
    lacks: { question: { why: 'it does not send questions over the protocol' } },
  },
  {
    ...usual,
    agent: 'qwen',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    refused: /^$/,
    useTool: 'use tool_call {"name": "mcp__tools__add", "arguments": {"a": 20, "b": 22}}',
  },
  {
    ...usual,
    agent: 'claude',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.100.0',
    // It asks each time for a command that redirects its output to a file.
    command: (word: string) => `run: node -p '"${word}"'`,
    refused: /User refused permission/,
  },
  {
    ...usual,
    agent: 'gemini',
    package: '@google/gemini-cli',
    version: '0.61.0',
    // It refuses a tool result that is JSON, such as a number.
    useTool: 'use grow {}',
    used: /grown/,
    refused: /./,
    lacks: { question: { why: 'it asks questions only in its own terminal' } },
  },
  {
    ...usual,
    agent: 'pi',
    package: '@earendil-works/pi-coding-agent',
    version: '1.6.0',
    adapter: 'pi-acp@0.0.34',
    refused: /refused/,
    lacks: {
      question: { why: 'it does not send questions over the protocol' },
      'MCP tool': { why: 'its adapter does not pass MCP servers on' },
      'allow always': { why: 'its adapter only asks for a yes or no' },
    },
  },
  {
    ...usual,
    agent: 'cline',
    package: 'cline',
    version: '3.0.65',
    refused: /rejected/,
    lacks: {
      question: { why: 'it does not send questions over the protocol' },
      'MCP tool': { why: 'it ignores the MCP servers of the session' },
      'allow always': { why: 'it offers “always” and asks again' },
    },
  },
]

/** The table of docs/agents.md: a row for each agent, with the behaviours that it lacks. */
export function agentsTable(): string {
  const rows = agentFacts.map(({ agent, version, lacks }) => {
    const reasons = behaviours.flatMap((behaviour) => {
      const lack = lacks[behaviour]
      return lack ? [`*${behaviour}*: ${lack.why}`] : []
    })
    return `| ${agent ?? 'builtin'} | ${agent === null ? '' : version} | ${reasons.join('; ') || 'nothing'} |`
  })
  return ['| agent | version | what is missing |', '| --- | --- | --- |', ...rows].join('\n')
}
