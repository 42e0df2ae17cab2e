/**
 * The authors of models with the spellings of providers. All spellings on one line are the same author. Rows of
 * unknown authors are not merged.
 */
const spellings: Record<string, readonly string[]> = {
  ai21: ['ai21-labs'],
  'aion-labs': [],
  alibaba: [],
  allenai: [],
  amazon: [],
  'anthracite-org': [],
  anthropic: [],
  'arcee-ai': ['arcee_ai', 'arcee'],
  baidu: [],
  'black-forest-labs': ['bfl'],
  bytedance: [],
  'bytedance-seed': [],
  cognitivecomputations: [],
  cohere: [],
  core42: [],
  deepcogito: [],
  deepseek: ['deepseek-ai'],
  elevenlabs: [],
  essentialai: [],
  'eva-unit-01': [],
  google: [],
  gryphe: [],
  'huihui-ai': [],
  'ibm-granite': [],
  inception: [],
  inclusionai: [],
  inflection: [],
  intfloat: [],
  kwaipilot: [],
  liquid: ['liquidai'],
  meituan: [],
  'meta-llama': ['meta'],
  microsoft: [],
  minimax: ['minimaxai'],
  mistralai: ['mistral', 'mistral-ai'],
  moonshotai: ['moonshot'],
  morph: [],
  'nex-agi': [],
  nousresearch: [],
  nvidia: [],
  openai: [],
  perceptron: [],
  perplexity: [],
  poolside: [],
  'prime-intellect': ['primeintellect'],
  qwen: [],
  rekaai: [],
  relace: [],
  sakana: [],
  sao10k: [],
  sarvamai: ['sarvam'],
  speakleash: [],
  stepfun: ['stepfun-ai'],
  steelskull: [],
  tencent: [],
  thedrummer: [],
  thudm: [],
  undi95: [],
  upstage: [],
  voyage: [],
  writer: [],
  'x-ai': ['xai'],
  xiaomi: ['xiaomimimo'],
  'z-ai': ['zai', 'zai-org', 'zhipuai'],
}

const authorBySpelling = new Map(
  Object.entries(spellings).flatMap(([author, others]) => [author, ...others].map((name) => [name, author] as const)),
)

const qwenName = /^(qwen|qwq|qvq)/i

/**
 * Providers that serve their own models, and the names of these models. Their other models have other authors.
 */
const firstParties: Record<string, readonly [author: string, ownModels: RegExp]> = {
  alibaba: ['qwen', qwenName],
  'alibaba-cn': ['qwen', qwenName],
  anthropic: ['anthropic', /^claude-/],
  cohere: ['cohere', /^(command|c4ai|north)-/],
  deepseek: ['deepseek', /^deepseek-/],
  google: ['google', /^(gemini|gemma)-/],
  inception: ['inception', /^mercury/],
  llama: ['meta-llama', /^llama-/],
  minimax: ['minimax', /^minimax-/],
  'minimax-cn': ['minimax', /^minimax-/],
  mistral: ['mistralai', /tral/],
  moonshotai: ['moonshotai', /^kimi-/],
  'moonshotai-cn': ['moonshotai', /^kimi-/],
  nova: ['amazon', /^nova-/],
  openai: ['openai', /^(gpt|o\d|text-embedding|chatgpt)/],
  perplexity: ['perplexity', /^sonar/],
  sakana: ['sakana', /^fugu/],
  sarvam: ['sarvamai', /^sarvam-/],
  stepfun: ['stepfun', /^step-/],
  upstage: ['upstage', /^solar-/],
  xai: ['x-ai', /^grok-/],
  xiaomi: ['xiaomi', /^mimo-/],
  zai: ['z-ai', /^glm-/],
  zhipuai: ['z-ai', /^glm-/],
}

/** Returns the author of a spelling. Alibaba's Qwen models have the author `qwen`, as in other catalogues. */
export function findAuthor(spelling: string, modelName: string): string | undefined {
  const author = authorBySpelling.get(spelling.toLowerCase())
  return author === 'alibaba' && qwenName.test(modelName) ? 'qwen' : author
}

/** Returns the author of a model that is served by its author. */
export function findFirstPartyAuthor(provider: string, modelName: string): string | undefined {
  const [author, ownModels] = firstParties[provider] ?? []
  return ownModels?.test(modelName.toLowerCase()) ? author : undefined
}

export const isFirstParty = (provider: string, author: string) => firstParties[provider]?.[0] === author
