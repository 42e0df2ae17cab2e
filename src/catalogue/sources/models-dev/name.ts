import { findAuthor } from './authors.ts'

/** The parts of a provider's name for a model. */
export type ParsedName = {
  author: string | undefined
  /** Whether the name has a prefix that is neither a known author nor a host. */
  hasUnknownPrefix: boolean
  /** The model's name in lower case, without its author, host, variant and quantization. */
  slug: string
  /** The slug without date and punctuation, by which two spellings of one name are equal. */
  key: string
  /** `free`, `thinking`, …: a separate row. */
  variant: string | undefined
  quantization: string | undefined
  /** The date at the end of the name, such as `2025-08-07`, which is not part of the key. */
  date: string | undefined
}

const quantizations: readonly (readonly [RegExp, string])[] = [
  [/-(?:nv|mx)?fp4$/, 'fp4'],
  [/-fp8(?:-dynamic)?$/, 'fp8'],
  [/-(?:gptq-|awq-)?int4$/, 'int4'],
  [/-int8$/, 'int8'],
  [/-bf16$/, 'bf16'],
  [/-fp16$/, 'fp16'],
  // The vocabulary of quantizations has no integer with 6 bits.
  [/-6bit$/, 'unknown'],
]

/** Suffixes that describe the serving of a model: a confidential enclave, Vertex's model-as-a-service and default version. */
const servingSuffix = /-(?:tee|maas|default)$/

/** Brands that hosts prepend to the names of models. */
const hostBrandPrefix = /^(?:databricks|snowflake|umans)-/

const dateSuffix = /-(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])$/

/** Path segments that are not the author of a model: hosts, accounts that repackage models, and words of a host's paths. */
const nonAuthorSegments = new Set(
  'accounts baseten chutesai cortecs fireworks grok hf kimi models neuralmagic novita pro public route routers siliconflow tee unsloth workers-ai @cf'.split(
    ' ',
  ),
)

/** Parses a name such as `accounts/fireworks/models/glm-5p1` or `hf:zai-org/GLM-5.1-FP8`. */
export function parseName(listed: string): ParsedName {
  const path = listed
    // OpenRouter marks names that move to a newer model: `~anthropic/claude-opus-latest`.
    .replace(/^~/, '')
    // A prefix of the host, as in `hf:zai-org/GLM-5.1-FP8`.
    .replace(/^[a-z]+:(?=[^/]+\/)/i, '')
    .split('/')
  const [name, variant] = splitVariant(path.at(-1)!)
  const prefixes = path.slice(0, -1)
  const prefix = prefixes.findLast((part) => findAuthor(part, name))
  const normalized = name
    .toLowerCase()
    .replace(/[_@: ]/g, '-')
    // Fireworks writes the point of a version as `p`: `glm-5p1`.
    .replace(/(\d)p(\d)/g, '$1.$2')
    .replace(/-+/g, '-')
    .replace(hostBrandPrefix, '')
  const stripped = withoutAuthor(normalized)
  const served = withoutServing(normalizeClaudeOrder(stripped.slug))
  const [, year, month, dayOfMonth] = dateSuffix.exec(served.slug) ?? []
  const undated = year ? served.slug.replace(dateSuffix, '') : served.slug
  return {
    author: (prefix && findAuthor(prefix, name)) ?? stripped.author,
    hasUnknownPrefix: !prefix && prefixes.some((part) => !nonAuthorSegments.has(part.toLowerCase())),
    slug: served.slug,
    key: toKey(undated),
    variant,
    quantization: served.quantization,
    date: year && `${year}-${month}-${dayOfMonth}`,
  }
}

/** Normalizes a name: `qwen-3-8b`, `qwen3_8b` and `Qwen3-8B` have the same key, `qwen2-57b` and `qwen2.5-7b` do not. */
export function toKey(slug: string): string {
  return slug
    .replace(/[._-]+/g, '-')
    .replace(/(?<=\d)-(?=\d)/g, '.')
    .replaceAll('-', '')
}

/** Splits off a variant after a colon. Ollama writes the size there, which is part of the name. */
function splitVariant(name: string): [name: string, variant: string | undefined] {
  const at = name.indexOf(':')
  if (at < 0 || /^\d+(\.\d+)?[bt](-.*)?$/i.test(name.slice(at + 1))) return [name, undefined]
  return [
    name.slice(0, at),
    name
      .slice(at + 1)
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-'),
  ]
}

/** Authors that providers prepend to a name, as in `zai-org-glm-5`. */
const authorPrefix =
  /^(anthropic|openai|google|xai|x-ai|zai-org|z-ai|zai|xiaomi|nvidia|cohere|meta|amazon|moonshotai|stepfun)[-.]+(?=(claude|gpt|o\d|gemini|gemma|grok|glm|mimo|nemotron|nvidia|command|llama|nova|kimi|step)\b)/

function withoutAuthor(slug: string): { slug: string; author?: string } {
  const [prefix, spelling] = authorPrefix.exec(slug) ?? []
  if (!prefix || !spelling) return { slug }
  const rest = slug.slice(prefix.length)
  return { slug: rest, author: findAuthor(spelling, rest) }
}

/** Normalizes the order of words in Claude names, which changed with version 4. Both orders are in use. */
function normalizeClaudeOrder(slug: string): string {
  if (!slug.startsWith('claude')) return slug
  return slug
    .replace(/^claude-(4(?:[.-]\d)?)-(opus|sonnet|haiku)\b/, 'claude-$2-$1')
    .replace(/^claude-(opus|sonnet|haiku)-(3(?:[.-]\d)?)\b/, 'claude-$2-$1')
    .replace(/^(claude-(?:opus|sonnet)-4)-0$/, '$1')
}

function withoutServing(slug: string): { slug: string; quantization: string | undefined } {
  let rest = slug.replace(servingSuffix, '')
  const [suffix, quantization] = quantizations.find(([pattern]) => pattern.test(rest)) ?? []
  if (suffix) rest = rest.replace(suffix, '')
  return { slug: rest.replace(servingSuffix, ''), quantization }
}
