/**
 * The authors of models, and how providers spell them. Only names that are certainly one author stand on one line; a
 * name that is not here is nobody we know, and its rows are merged with nobody's.
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

const bySpelling = new Map(
  Object.entries(spellings).flatMap(([author, others]) => [author, ...others].map((name) => [name, author] as const)),
)

/**
 * Providers that make some of the models they serve, and the names of these models. Their other models are not theirs.
 */
const firstParties: Record<string, readonly [author: string, own: RegExp]> = {
  alibaba: ['qwen', /^(qwen|qwq|qvq)/],
  'alibaba-cn': ['qwen', /^(qwen|qwq|qvq)/],
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

/** The author a name stands for, in whatever spelling. Alibaba's own Qwen models are by `qwen`, as everybody has it. */
export function authorNamed(spelling: string, modelName: string): string | undefined {
  const author = bySpelling.get(spelling.toLowerCase())
  return author === 'alibaba' && /^(qwen|qwq|qvq)/i.test(modelName) ? 'qwen' : author
}

/** The author of a model that its own maker serves. */
export function firstPartyAuthor(provider: string, modelName: string): string | undefined {
  const [author, own] = firstParties[provider] ?? []
  return own?.test(modelName.toLowerCase()) ? author : undefined
}

export const isFirstParty = (provider: string, author: string) => firstParties[provider]?.[0] === author
